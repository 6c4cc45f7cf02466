/*
 * An aggregation that printa() printed is not printed again at the end.
 * @@args: -q
 */
BEGIN { @a = count(); @b = sum(7); exit(0); }
END { printa("%@d\n", @a); }
