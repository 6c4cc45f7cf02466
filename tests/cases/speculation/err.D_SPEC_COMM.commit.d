/*
 * What is committed is not speculated on.
 * @@args: -w
 */
BEGIN { commit(1); speculate(1); }
