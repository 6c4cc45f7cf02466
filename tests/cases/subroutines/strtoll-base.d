/*
 * strtoll refuses other bases: an illegal operation.
 * @@args: -q
 */
BEGIN { trace(strtoll("1", 1)); }
BEGIN { trace(strtoll("1", 37)); }
BEGIN { trace(strtoll((char *)0xffffdeadbeef0000)); }
BEGIN { exit(0); }
