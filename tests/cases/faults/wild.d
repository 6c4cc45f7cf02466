/*
 * Reading kernel space that is not mapped is a fault.
 * @@args: -q
 */
BEGIN { trace(*(int *)0xffffdeadbeef0000); }
BEGIN { exit(0); }
