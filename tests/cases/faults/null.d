/*
 * Reading through a null pointer is a fault, not a crash.
 * @@args: -q
 */
BEGIN { trace(*(int *)NULL); }
BEGIN { exit(0); }
