/*
 * A format may leave out the value, or keys.
 * @@args: -q
 */
BEGIN { @["a", 1] = sum(20); exit(0); }
END { printa("%s %d\n", @); printa("%@d\n", @); printa("%s\n", @); }
