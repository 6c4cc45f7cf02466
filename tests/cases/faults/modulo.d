/*
 * The remainder of a division by zero is a fault.
 * @@args: -q
 */
BEGIN { x = 0; trace(1 % x); }
BEGIN { exit(0); }
