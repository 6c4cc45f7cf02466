#!/usr/sbin/dtrace -s
/*
 * pid-leaks.d: what was allocated and never freed, by an array of what is
 * live.
 *
 * @@load: py import ctypes; l = ctypes.CDLL(None); l.malloc.restype =
 *     ctypes.c_void_p; l.free.argtypes = [ctypes.c_void_p]; p =
 *     [l.malloc(3000000 + i) for i in range(10)]; [l.free(p[i]) for i in (0,
 *     2, 3, 5, 7, 8)]
 * @@truth: output
 * @@check: n("allocated") == 10 and n("freed") == 6
 * @@check: n("left") == sum(3000000 + i for i in (1, 4, 6, 9))
 */

#pragma D option quiet

int64_t size[uint64_t];

pid$target:libc.so.6:malloc:entry
/arg0 >= 3000000 && arg0 < 3000010/
{
	self->size = arg0;
}

pid$target:libc.so.6:malloc:return
/self->size && arg1/
{
	size[arg1] = self->size;
	left += self->size;
	allocated++;
	self->size = 0;
}

pid$target:libc.so.6:free:entry
/size[arg0]/
{
	left -= size[arg0];
	freed++;
	size[arg0] = 0;
}

END
{
	printf("allocated %d\nfreed %d\nleft %d\n", allocated, freed, left);
}
