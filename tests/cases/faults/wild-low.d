/*
 * Reading an odd small address is a fault.
 * @@args: -q
 */
BEGIN { trace(*(char *)12345); }
BEGIN { exit(0); }
