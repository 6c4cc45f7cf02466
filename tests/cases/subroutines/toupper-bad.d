/*
 * A wild address is a fault for each of the string subroutines.
 * @@args: -q
 */
BEGIN { trace(toupper((char *)0xffffdeadbeef0000)); }
BEGIN { trace(tolower((char *)0xffffdeadbeef0000)); }
BEGIN { trace(cleanpath((char *)0xffffdeadbeef0000)); }
BEGIN { trace(json((char *)0xffffdeadbeef0000, "a")); }
BEGIN { trace(json("{}", (char *)0xffffdeadbeef0000)); }
BEGIN { exit(0); }
