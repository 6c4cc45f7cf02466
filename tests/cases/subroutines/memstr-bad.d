/*
 * memstr takes 4096 bytes at most, and no wild address.
 * @@args: -q -x scratchsize=8k -x strsize=5k
 */
BEGIN { trace(strlen(memstr(alloca(4096), 'x', 4096))); }
BEGIN { trace(memstr(alloca(4097), 'x', 4097)); }
BEGIN { trace(memstr((void *)0xffffdeadbeef0000, 'x', 4)); }
BEGIN { exit(0); }
