/*
 * commit() takes one argument.
 * @@args: -w
 */
BEGIN { commit(1, 2); }
