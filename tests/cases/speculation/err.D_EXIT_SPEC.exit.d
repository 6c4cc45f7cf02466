/*
 * exit() is not speculative.
 * @@args: -w
 */
BEGIN { speculate(1); exit(0); }
