/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Run on each CPU in turn, and wait until programs that run now have ended.
 */
#include "exec/bpf/bpf_impl.h"

#include <linux/membarrier.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cpulist.h"
#include "base/mem.h"

/* From Linux 7.0 on, tracepoints and traced functions do not disable
 * preemption. */
static bool
kernel_preempts_all(void)
{
	struct utsname u;

	return uname(&u) == 0 && strtol(u.release, NULL, 10) >= 7;
}

static bool
can_be_preempted(const struct bx_exec *x)
{
	if (kernel_preempts_all())
		return true;
	for (size_t i = 0; i < x->ngroups; i++) {
		if (bx_ctx(x->groups[i].tr.facts->ctx)->is_preemptible)
			return true;
	}
	return false;
}

static bool
visit(const struct bx_exec *x, uint32_t cpu, cpu_set_t *one, bx_visit_f *f,
    int *rc)
{
	size_t size = CPU_ALLOC_SIZE(x->e.ncpus);

	CPU_ZERO_S(size, one);
	CPU_SET_S(cpu, size, one);
	if (sched_setaffinity(0, size, one) != 0)
		return !cpu_is_online(cpu);
	if (f != NULL && *rc == 0)
		*rc = f(x);
	return true;
}

/*
 * Run on each CPU in turn.  When dtrace runs on a CPU, no program that cannot
 * be preempted is running there.  Real-time priority for that moment keeps
 * real-time threads from delaying dtrace.  False: a CPU was not allowed
 * (cpusets).
 */
bool
bx_visit_cpus(const struct bx_exec *x, bx_visit_f *f, int *rc)
{
	size_t size = CPU_ALLOC_SIZE(x->e.ncpus);
	cpu_set_t *before = mem_alloc(size), *one = mem_alloc(size);
	struct sched_param normal = { 0 },
			   fifo = { .sched_priority =
					sched_get_priority_max(SCHED_FIFO) };
	int policy = sched_getscheduler(0);
	bool all = sched_getaffinity(0, size, before) == 0;
	bool raised = policy == SCHED_OTHER &&
	    sched_setscheduler(0, SCHED_FIFO, &fifo) == 0;

	/* visit CPUs only if dtrace can restore its affinity */
	for (uint32_t cpu = 0, n = all ? x->e.ncpus : 0; cpu < n; cpu++)
		all &= visit(x, cpu, one, f, rc);
	sched_setaffinity(0, size, before);
	if (raised)
		sched_setscheduler(0, SCHED_OTHER, &normal);
	free(before);
	free(one);
	return all;
}

static bool
may_sleep(const struct bx_exec *x)
{
	for (size_t i = 0; i < x->ngroups; i++) {
		if (x->groups[i].image.sleeps)
			return true;
	}
	return false;
}

#define SLEEPERS_MAX_NS 100000000 /* the page may be on a disk, or never come */
#define SLEEPERS_LOOK_NS 200000

/* Keep in `taken` those machine states that are still in use.  False:
 * none is. */
static bool
note_slots(const struct bx_exec *x, uint64_t *taken)
{
	uint64_t any = 0;

	for (uint32_t cpu = 0; cpu < x->e.ncpus; cpu++) {
		taken[cpu] &=
		    __atomic_load_n(&bx_pcpu(x, cpu)->slots, __ATOMIC_ACQUIRE);
		any |= taken[cpu];
	}
	return any != 0;
}

/*
 * Wait for programs that wait for a page.  They hold up no grace period, but
 * have a machine state until they end.  Waits for those that have one now, but
 * for none twice.
 */
static void
await_sleepers(struct bx_exec *x)
{
	const struct timespec pause = { .tv_nsec = SLEEPERS_LOOK_NS };
	uint64_t *taken = mem_alloc(x->e.ncpus * sizeof(*taken));
	uint64_t end = now_ns() + SLEEPERS_MAX_NS;

	if (x->stuck == NULL)
		x->stuck = mem_alloc(x->e.ncpus * sizeof(*x->stuck));
	note_slots(x, x->stuck);
	for (uint32_t cpu = 0; cpu < x->e.ncpus; cpu++)
		taken[cpu] = ~x->stuck[cpu];
	while (note_slots(x, taken) && now_ns() < end)
		nanosleep(&pause, NULL);
	for (uint32_t cpu = 0; cpu < x->e.ncpus; cpu++)
		x->stuck[cpu] |= taken[cpu];
	free(taken);
}

/*
 * A program that does not sleep holds up a grace period, and membarrier() waits
 * for one.  It takes 15 ms and is refused where a CPU has no ticks (nohz_full),
 * so visiting the CPUs comes first.
 */
void
bx_quiesce(struct bx_exec *x)
{
	if (!bx_visit_cpus(x, NULL, NULL) || can_be_preempted(x))
		syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
	if (may_sleep(x))
		await_sleepers(x);
}
