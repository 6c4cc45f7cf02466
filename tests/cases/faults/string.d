/*
 * A wild string pointer is a fault.
 * @@args: -q
 */
BEGIN { printf("%s\n", stringof((char *)0x10)); }
BEGIN { exit(0); }
