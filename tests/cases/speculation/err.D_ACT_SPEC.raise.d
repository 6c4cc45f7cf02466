/*
 * What changes the system cannot be taken back.
 * @@args: -w
 */
BEGIN { speculate(1); raise(1); }
