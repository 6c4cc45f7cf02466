/*
 * So is the remainder by zero.
 * @@args: -q
 */
BEGIN { x = 0; trace(1 % x); }
BEGIN { exit(0); }
