/*
 * printa() with a format prints it for each row: keys, then %@ the value.
 * @@args: -q
 */
BEGIN { @["a", 1] = sum(20); @["b", 2] = sum(10); exit(0); }
END { printa("%@5d|%-4s|%03d\n", @); }
