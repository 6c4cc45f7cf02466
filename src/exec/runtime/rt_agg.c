/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * Bucket numbers of the distribution aggregations; rules and packing of `arg`
 * in doc/reference/records.md section 6.  Pure functions of their arguments.
 */
#include "exec/runtime/rt_code.h"

/*
 * floor(log2(v)) of v > 0, without branches (the verifier would follow every
 * combination): fill the bits below the highest one and count them.
 */
RT_INLINE u64
log2_floor(u64 v)
{
	v |= v >> 1;
	v |= v >> 2;
	v |= v >> 4;
	v |= v >> 8;
	v |= v >> 16;
	v |= v >> 32;
	v -= v >> 1 & 0x5555555555555555ULL;
	v = (v & 0x3333333333333333ULL) + (v >> 2 & 0x3333333333333333ULL);
	v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
	return (v * RT_ONES >> 56) - 1;
}

RT_PUBLIC u64
rt_quantize_index(u64 value)
{
	u64 log;

	if (value == 0)
		return RT_QUANTIZE_ZERO;
	if ((s64)value > 0)
		return RT_QUANTIZE_ZERO + 1 + log2_floor(value);
	log = log2_floor(-value);
	return log >= RT_QUANTIZE_ZERO ? 0 : RT_QUANTIZE_ZERO - 1 - log;
}

/*
 * The bucket of value 0 is 1, and that of each value below 64 its own; the
 * 6 bits behind the highest one choose among 64 of a power of two.  So no
 * bucket is wider than 1/64 of its values.
 */
RT_PUBLIC u64
rt_percentile_index(u64 value)
{
	u64 log, sub;

	if ((s64)value < 0)
		return 0;
	if (value < 64)
		return 1 + value;
	log = log2_floor(value);
	sub = value >> ((log - 6) & 63) & 63;
	return 1 + 64 * (log - 5) + sub;
}

RT_PUBLIC u64
rt_lquantize_index(u64 value, u64 arg)
{
	s64 base = (s32)arg;
	u64 levels = arg >> 32 & 0xffff, step = arg >> 48;
	s64 v = (s32)value;
	u64 level;

	if (v < base || step == 0)
		return 0;
	level = (u64)(v - base) / step;
	return level < levels ? level + 1 : levels + 1;
}

/*
 * There is no machine state here, so the loop's variables are on the stack.
 * None of them is an offset or decides a branch by itself, so the verifier may
 * forget their values and still stops after few iterations.
 */
struct llquantize {
	u64 value, factor, low, nsteps;
	u64 start;  /* factor^m: the start of magnitude m */
	u64 bucket; /* first bucket of magnitude m; at the end, the result */
};

RT_CALLBACK long
llquantize_step(u32 m, void *arg)
{
	struct llquantize *q = arg;
	u64 start = q->start, next = start * q->factor;
	u64 nbuckets = next < q->nsteps ? next : q->nsteps;

	q->start = next;
	if (m < q->low)
		return 0;
	if (m == q->low && q->value < start) {
		q->bucket = 0;
		return 1;
	}
	if (nbuckets == 0)
		return 1;
	/*
	 * The first buckets of the magnitude lie below `start`: they belong to
	 * the one before.
	 */
	q->bucket -= nbuckets / q->factor;
	if (q->value < next) {
		q->bucket += q->value / (next / nbuckets);
		return 1;
	}
	q->bucket += nbuckets;
	return 0;
}

RT_PUBLIC u64
rt_llquantize_index(u64 value, u64 arg)
{
	struct llquantize q = {
		.value = value,
		.factor = arg >> 48,
		.low = arg >> 32 & 0xffff,
		.nsteps = arg & 0xffff,
		.start = 1,
		.bucket = 1,
	};

	if ((s64)value < 0 || q.factor == 0)
		return 0;
	RT_LOOP((arg >> 16 & 0xffff) + 1, llquantize_step, &q);
	return q.bucket;
}
