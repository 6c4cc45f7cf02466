/*
 * speculate() takes one argument.
 * @@args: -w
 */
BEGIN { speculate(); }
