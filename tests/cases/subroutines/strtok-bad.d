/*
 * strtok of a wild address is a fault, and leaves the string before it.
 * @@args: -q
 */
BEGIN { trace(strtok("a b", " ")); }
BEGIN { trace(strtok((char *)0xffffdeadbeef0000, " ")); }
BEGIN { trace(strtok(NULL, " ")); exit(0); }
