#!/usr/sbin/dtrace -s
/*
 * pid-malloc-sizes.d: who asks malloc() for what: sizes above a million, as a
 * list and a distribution by powers of two.
 *
 * @@load: py import ctypes; l = ctypes.CDLL(None); l.malloc.restype =
 *     ctypes.c_void_p; l.free.argtypes = [ctypes.c_void_p]; [l.free(l.malloc(1
 *     << i)) for i in range(20, 26) for j in range(i)]
 * @@truth: output
 * @@check: {int(r[1]): int(r[2]) for r in rows if r[0] == "size"} == {1 << i:
 *     i for i in range(20, 26)}
 * @@check: {k: v for k, v in dist("bytes").items() if v} == {1 << i: i for i
 *     in range(20, 26)}
 */

#pragma D option quiet

pid$target:libc.so.6:malloc:entry
/arg0 >= 1048576 && (arg0 & (arg0 - 1)) == 0/
{
	@sizes[arg0] = count();
	@bytes["bytes"] = quantize(arg0);
}

END
{
	printa("size %d %@d\n", @sizes);
	printa("%s%@d\n", @bytes);
}
