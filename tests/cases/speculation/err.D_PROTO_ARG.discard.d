/*
 * The number of a speculation is an integer.
 * @@args: -w
 */
BEGIN { discard("a"); }
