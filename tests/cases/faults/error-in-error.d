/*
 * A fault within ERROR is counted, not told again and again.
 * @@args: -q
 */
BEGIN { trace(*(int *)0); }
BEGIN { exit(0); }
ERROR { trace(*(int *)4); }
