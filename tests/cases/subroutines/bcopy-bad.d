/*
 * bcopy writes to own memory only, and says which address it cannot use.
 * @@args: -q
 */
BEGIN { bcopy("abc", (char *)0xffffdeadbeef0000, 3); }
BEGIN { bcopy((char *)0xffffdeadbeef0000, alloca(8), 3); }
BEGIN { bcopy((char *)0, alloca(8), 3); }
BEGIN { bcopy("abc", (char *)0, 3); }
BEGIN { exit(0); }
