/*
 * A destructive action cannot be speculative.
 * @@args: -w
 */
BEGIN { speculate(1); raise(1); }
