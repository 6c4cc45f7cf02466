/*
 * An aggregation cannot be speculative.
 * @@args: -w
 */
BEGIN { speculate(1); @ = count(); }
