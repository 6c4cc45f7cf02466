/*
 * trunc(@) removes every row.
 * @@args: -q
 */
BEGIN { @["a"] = count(); @["b"] = count(); exit(0); }
END { trunc(@); printf("gone\n"); printa("%s %@d\n", @); }
