/*
 * clear() sets the values to 0 and keeps the keys.
 * @@args: -q
 */
BEGIN { @["a"] = count(); @["b"] = count(); exit(0); }
END { clear(@); printa("%s %@d\n", @); }
