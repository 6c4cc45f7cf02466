/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * The current process: its open files, its arguments.
 */
#include "exec/runtime/rt_code.h"

/* The word at `addr`; *bad is the first address that could not be read. */
RT_INLINE u64
load(struct rt_mstate *ms, u64 addr, u64 size, u64 *bad)
{
	u64 value = 0;

	(void)ms;
	if (rt_peek(ms, &value, size, addr) != 0 && *bad == 0)
		*bad = addr;
	return value;
}

RT_PUBLIC u64
rt_getf(u64 slot, u64 fd)
{
	struct rt_mstate *ms = rt_ms(slot);
	u64 files, fdt, file, bad = 0;

	if (ms == NULL)
		return 0;
	files = load(ms, rt_task_struct(ms) + RTC(ms, task_files), 8, &bad);
	if (files == 0) /* a thread that is exiting */
		return 0;
	fdt = load(ms, files + RTC(ms, files_fdt), 8, &bad);
	if (fd >= load(ms, fdt + RTC(ms, fdtable_max_fds), 4, &bad))
		return 0;
	file = load(ms, fdt + RTC(ms, fdtable_fd), 8, &bad);
	file = load(ms, file + 8 * fd, 8, &bad);
	return bad != 0 ? rt_fault(ms, DIF_FLT_BADADDR, bad) : file;
}

/* Each NUL byte of eight becomes a blank. */
RT_CALLBACK long
blank_step(u32 i, void *arg)
{
	struct rt_mstate *ms = ((struct rt_ctx *)arg)->ms;
	u64 off = rt_scratch(ms) + 8 * (u64)i;
	u64 word = rt_word(ms, off);

	rt_set_word(ms, off, word | rt_zero_bytes(word) / (0x80 / ' '));
	return 0;
}

/* The arguments of the process, joined by blanks; "" for a kernel thread. */
RT_PUBLIC u64
rt_execargs(u64 slot)
{
	struct rt_mstate *ms = rt_ms(slot);
	struct rt_ctx ctx = { ms };
	u64 mm, start = 0, len = 0, max, off, bad = 0;

	if (ms == NULL)
		return 0;
	mm = load(ms, rt_task_struct(ms) + RTC(ms, task_mm), 8, &bad);
	if (mm != 0) {
		start = load(ms, mm + RTC(ms, mm_arg_start), 8, &bad);
		len = load(ms, mm + RTC(ms, mm_arg_end), 8, &bad) - start;
	}
	if (bad != 0)
		return rt_fault(ms, DIF_FLT_BADADDR, bad);
	if (len > 0)
		len--; /* the last argument's NUL */
	max = RTC(ms, strsize) - 1;
	if (len > max)
		len = max;
	if (len == 0) /* a kernel thread may not even try to read */
		return rt_result(ms, 0);
	off = rt_scratch(ms);
	if (rt_upeek(ms, rt_mem(ms, off), rt_bound(ms, len), start) != 0)
		return rt_fault(ms, DIF_FLT_BADADDR, start);
	RT_LOOP(RT_WORDS(len), blank_step, &ctx);
	return rt_result(ms, len);
}
