/*
 * An aggregation cannot be taken back.
 * @@args: -w
 */
BEGIN { speculate(1); @ = count(); }
