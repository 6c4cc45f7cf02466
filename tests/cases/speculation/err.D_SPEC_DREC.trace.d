/*
 * Data before speculate() would not be speculative.
 * @@args: -w
 */
BEGIN { trace(1); speculate(1); }
