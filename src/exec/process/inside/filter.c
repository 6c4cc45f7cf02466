/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * A traced process installs a seccomp filter, which knows the program's system
 * calls and none of ours.  Before the filter is in force, this code looks up
 * each of our calls in it (rt_filter.c); our code makes no denied call any more
 * (rt_os.h).  Then reading memory fails as for a bad address, dtrace is not
 * woken, and so on, and the program runs on.  Part of the freestanding code, as
 * firing.c is.
 *
 * A filter may belong to one thread; this code applies it to the process and,
 * by the seed (area.h), to children.  If the kernel refuses the filter, the
 * state before is restored.  If two threads install filters at the same time,
 * all our calls are denied.
 */
#include "exec/process/inside/fire.h"
#include "exec/runtime/rt_filter.h"
#include "exec/runtime/rt_os.h"

/* Numbers: arch/x86/entry/syscalls/syscall_64.tbl of the kernel. */
enum { SYS_PRCTL = 157, SYS_SECCOMP = 317 };

/* linux/prctl.h, linux/seccomp.h */
enum { PR_SET_SECCOMP = 22, MODE_STRICT = 1, MODE_FILTER = 2 };
enum { SET_MODE_STRICT = 0, SET_MODE_FILTER = 1, NEW_LISTENER = 8 };

#define WAIT_CYCLES 30000000 /* some 10 ms */

/* The first word of this code; make_code() in map.c writes it. */
const s64 rt_denied_off __attribute__((section(".rodata.slot"))) = 0;

/* struct sock_fprog */
struct filter_program {
	u64 len; /* 16 bits, and padding */
	u64 insns;
};

enum mode { NONE, STRICT, FILTER };

static enum mode
mode_of(const u64 *frame)
{
	u32 what = (u32)frame[RDI];

	if (frame[RAX] == SYS_PRCTL && what == PR_SET_SECCOMP)
		return frame[RSI] == MODE_STRICT ? STRICT :
		    frame[RSI] == MODE_FILTER	 ? FILTER :
						   NONE;
	if (frame[RAX] == SYS_SECCOMP)
		return what == SET_MODE_STRICT ? STRICT :
		    what == SET_MODE_FILTER    ? FILTER :
						 NONE;
	return NONE;
}

/* The number of instructions that were copied; 0: it cannot be read. */
static u32
read_program(struct pr_filters *f, u64 at)
{
	struct filter_program p;
	u32 n;

	if (rt_os_read(0, &p, sizeof(p), at) != 0)
		return 0;
	n = (u32)p.len & 0xffff;
	if (n > PR_FILTER_MAX ||
	    rt_os_read(0, f->insns, n * sizeof(f->insns[0]), p.insns) != 0)
		return 0;
	return n;
}

static void
deny(struct pr_denied *denied, u32 nr)
{
	denied->bits[nr / 64] |= 1ULL << nr % 64;
}

/* Add the calls that the filter does not permit; n is 0: it permits none. */
static void
judge(struct pr_denied *denied, const struct pr_filters *f, u32 n)
{
	static const u32 ours[] = {
#define CALL(NAME, nr) nr,
		RT_CALLS(CALL)
#undef CALL
	};
	const struct rt_bpf *prog = (const struct rt_bpf *)f->insns;

	for (u64 i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
		if (!rt_filter_permits(prog, n, ours[i]))
			deny(denied, ours[i]);
	}
}

/* Does our code need the kernel for the time or for thread ids?  The strict
 * mode takes the time-stamp counter away, too. */
static int
needs_calls(const struct pr_conf *c, enum mode mode)
{
	return mode == STRICT ||
	    (!c->has_tsc && rt_is_denied(RT_SYS_CLOCK_GETTIME)) ||
	    (!c->has_cpu && rt_is_denied(RT_SYS_GETCPU)) ||
	    (!c->has_fsgsbase && rt_is_denied(RT_SYS_ARCH_PRCTL));
}

/* Let no probe fire any more, as in a child that is not traced. */
static void
fall_silent(struct pr_own *own)
{
	own->start.live = 0;
	memset(own->near, 0, sizeof(own->near));
	memset(own->find, 0, sizeof(own->find));
}

/* A firing may be about to make a call that the filter denies: wait, but not
 * long, until no thread is in a firing. */
static void
await_firings(const struct pr_own *own, const struct pr_conf *c)
{
	u64 until = rt_cpu_cycles() + WAIT_CYCLES;
	u64 first = (u64)own - c->own + c->threads;

	for (u64 i = 0; i < c->nthreads; i++) {
		const volatile struct pr_shared *s =
		    (void *)(first + i * c->thread_size);

		if (!(own->had[i / 64] >> i % 64 & 1))
			continue;
		while ((s->active != 0 || s->counting != 0) &&
		    rt_cpu_cycles() < until)
			rt_cpu_pause();
	}
}

u64
pr_sys_filters(struct pr_own *own, const struct pr_conf *c, const u64 *frame)
{
	struct pr_seed *seed = seed_of(own, c);
	struct pr_filters *f = &seed->filters;
	struct pr_denied denied = seed->denied;
	enum mode mode = mode_of(frame);
	u32 n;

	if (mode == NONE)
		return 0;
	if (!__sync_bool_compare_and_swap(&f->sp, 0, frame[RSP])) {
		judge(&seed->denied, f, 0);
		return 0;
	}
	f->before = denied;
	f->was_quiet = seed->is_quiet;
	f->was_live = own->start.live;
	f->listens = frame[RAX] == SYS_SECCOMP && (frame[RSI] & NEW_LISTENER);
	n = mode == FILTER ? read_program(f, frame[RDX]) : 0;
	judge(&denied, f, n);
	if (memcmp(&denied, &f->before, sizeof(denied)) == 0)
		return 0;
	pr_tell(own, c, PR_FILTERS);
	seed->denied = denied;
	seed->is_quiet = 1;
	if (needs_calls(c, mode))
		fall_silent(own);
	await_firings(own, c);
	return 0;
}

/*
 * seccomp() has returned.  With SECCOMP_FILTER_FLAG_TSYNC it may return the id
 * of a thread that cannot have the filter; then no thread has it.
 */
u64
pr_sys_filtered(struct pr_own *own, const struct pr_conf *c, const u64 *frame)
{
	struct pr_seed *seed = seed_of(own, c);
	struct pr_filters *f = &seed->filters;
	s64 rc = (s64)frame[RAX];

	if (f->sp != frame[RSP])
		return 0;
	if (rc < 0 || (rc > 0 && !f->listens)) {
		seed->denied = f->before;
		seed->is_quiet = f->was_quiet;
		own->start.live = f->was_live;
	}
	__atomic_store_n(&f->sp, 0, __ATOMIC_RELEASE);
	return 0;
}
