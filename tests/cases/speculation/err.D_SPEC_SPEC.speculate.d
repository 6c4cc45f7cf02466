/*
 * A clause speculates once.
 * @@args: -w
 */
BEGIN { speculate(1); speculate(1); }
