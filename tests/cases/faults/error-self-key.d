/*
 * A key that cannot be read is a fault, also for a thread that has no
 * variables yet.
 * @@args: -q
 */
self int a[string];

BEGIN { trace(self->a[stringof((char *)8)]); }
BEGIN { exit(0); }
ERROR { printf("fault %d, value %d\n", arg4, arg5); }
