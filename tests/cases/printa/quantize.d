/*
 * %@d of a distribution prints the distribution.
 * @@args: -q
 */
BEGIN { @["k"] = quantize(1); exit(0); }
END { printa("%s:%@d.\n", @); }
