/*
 * printa() without a format prints a blank line and the rows.
 * @@args: -q
 */
BEGIN { @["a"] = sum(2); @["b"] = sum(1); exit(0); }
END { printa(@); printf("end\n"); }
