#!/usr/sbin/dtrace -s
/*
 * agg-quantize.d: A distribution by powers of two, of negative numbers, 0 and
 * positive ones.
 *
 * @@load: prog known seq:50
 * @@truth: output
 * @@check: {k: v for k, v in dist().items() if v} == (lambda c: dict(c))(
 *     __import__("collections").Counter((v > 0) - (v < 0) and ((v > 0) - (v <
 *     0)) * 2 ** (abs(v).bit_length() - 1) for v in (i * i - 100 for i in
 *     range(50))))
 * @@check: (min(dist()), max(dist())) == (-128, 4096)   # a row more each side
 */

#pragma D option quiet

syscall::getpriority:entry
/pid == $target/
{
	@ = quantize((int64_t)arg1 * (int64_t)arg1 - 100);
}
