/*
 * aggsortrev turns the order around.
 * @@args: -q -x aggsortrev
 */
BEGIN { @["b"] = sum(1); @["a"] = sum(2); @["c"] = sum(3); exit(0); }
END { printa("%s %@d\n", @); }
