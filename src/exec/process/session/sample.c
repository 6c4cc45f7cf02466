/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * profile-N in processes: no clock of the kernel interrupts them, so dtrace
 * looks which threads run.
 *
 * Every period, dtrace stops for a moment each running thread that has used
 * another period of CPU time since its last sample, and sends it through the
 * probe's body.  That is the code that other probes run, in the thread itself,
 * so a clause can read all that it can read there.  Then the thread goes on
 * where it was.  So a thread's share of samples is its share of CPU time,
 * whatever dtrace's clock does and however busy the CPUs are.  A sample of a
 * thread in the kernel shows only the program's side.
 *
 *	stack	|	      %rsp - 144  %rsp - 128	 %rsp
 *		| frame ... | flags, pc  | red zone	| the program's
 *
 * The CPU time of a process with one thread is the process's clock, which is
 * exact.  With several threads it is the time that the scheduler has accounted
 * to each, every few milliseconds: samples come later then, but as many.  A
 * thread that for some periods was not seen running, or could not be sampled,
 * has missed samples.
 */
#include "exec/process/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/proclist.h"
#include "base/procstatus.h"
#include "base/vec.h"
#include "inproc/inproc.h"
#include "inproc/sample.h"
#include "sym/elf_read.h"

#define NS 1000000000LL
#define LOOK_NS 10000000 /* between looks for new threads */
/* A thread is owed samples for this time at most, or for OWED_MIN periods if
 * they are longer. */
#define OWED_NS 100000000
#define OWED_MIN 16
#define STOP_NS 100000 /* to wait for threads to stop */
#define SETTLE_NS 2000000000
#define NAP_NS 20000

struct thread {
	struct pr_proc *p;
	pid_t tid;
	int fd;		/* of its schedstat; -1: use the process's clock */
	int64_t ran_ns; /* CPU time at the last look; -1: no look yet */
	int64_t owed_ns;
	bool is_asked;
	bool is_there;
};

struct pr_sampler {
	VEC(struct thread) threads;
	int64_t looked_ns;
};

/* -1: the process or thread has ended. */
static int64_t
cpu_time_ns(clockid_t clock)
{
	struct timespec ts;

	return clock_gettime(clock, &ts) == 0 ? ts.tv_sec * NS + ts.tv_nsec :
						-1;
}

/* ---- which threads there are -------------------------------------------- */

/* Go programs are not sampled: a goroutine may have only a few hundred bytes of
 * stack left. */
static bool
is_of_go(pid_t pid)
{
	char path[32];
	struct err err = { 0 };
	struct elf_syms *es;
	bool is = false;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	es = elf_syms_read(fd, NULL, "", &err);
	close(fd);
	if (es != NULL) {
		is = inproc_file_is_go(es);
		elf_syms_rele(es);
	}
	err_clear(&err);
	return is;
}

static bool
is_fit(const struct pr_exec *x, struct pr_proc *p)
{
	char *text;

	if (p->is_looked_at)
		return !p->is_unfit;
	p->is_looked_at = true;
	p->is_unfit = is_of_go(p->pid);
	if (p->is_unfit && x->opts.notice != NULL) {
		text =
		    mem_printf("profile-N is not available in process %d "
			       "with -x substrate=process: stacks of Go have "
			       "no room for it; run dtrace with sudo, without "
			       "this option",
			(int)p->pid);
		x->opts.notice(x->opts.notice_arg, text);
		free(text);
	}
	return !p->is_unfit;
}

static struct thread *
thread_find(struct pr_sampler *s, const struct pr_proc *p, pid_t tid)
{
	VEC_FOREACH(&s->threads, t) {
		if (t->p == p && t->tid == tid)
			return t;
	}
	return NULL;
}

static void
thread_meet(struct pr_sampler *s, struct pr_proc *p, pid_t tid)
{
	struct thread *t = thread_find(s, p, tid);

	if (t == NULL) {
		VEC_PUSH(&s->threads,
		    ((struct thread){
			.p = p, .tid = tid, .fd = -1, .ran_ns = -1 }));
		t = &s->threads.v[s->threads.n - 1];
	}
	t->is_there = true;
}

/* If the list of threads has an error, those that it lacks are kept. */
static void
look_in(struct pr_sampler *s, struct pr_proc *p)
{
	struct proc_list list;
	pid_t tid;
	int rc;

	proc_list_open(&list, p->pid);
	while ((tid = proc_list_next(&list)) != 0)
		thread_meet(s, p, tid);
	rc = proc_list_close(&list);
	if (rc == 0 || proc_is_gone(-rc))
		return;
	VEC_FOREACH(&s->threads, t)
		t->is_there |= t->p == p;
}

/* Count the samples that a thread is owed as missed. */
static void
miss(struct pr_exec *x, const struct pr_firing *f, struct thread *t)
{
	int64_t n = t->owed_ns / (int64_t)f->probe->period_ns;

	x->missed += n > 0 ? (uint64_t)n : 0;
	t->owed_ns = 0;
}

/* Forget threads that have ended, except those that were asked to stop. */
static void
forget_ended(struct pr_exec *x, const struct pr_firing *f)
{
	struct pr_sampler *s = f->sampler;
	size_t n = 0;

	VEC_FOREACH(&s->threads, t) {
		if (t->is_there || t->is_asked) {
			s->threads.v[n++] = *t;
			continue;
		}
		miss(x, f, t);
		if (t->fd >= 0)
			close(t->fd);
	}
	s->threads.n = n;
}

static void
look(struct pr_exec *x, const struct pr_firing *f)
{
	struct pr_sampler *s = f->sampler;
	int64_t now = (int64_t)now_ns();

	if (s->looked_ns != 0 && now - s->looked_ns < LOOK_NS)
		return;
	s->looked_ns = now;
	VEC_FOREACH(&s->threads, t)
		t->is_there = false;
	VEC_FOREACH(&x->plant.procs, p) {
		if ((*p)->entered != NULL && !(*p)->is_lost &&
		    !(*p)->is_descendant && is_fit(x, *p))
			look_in(s, *p);
	}
	forget_ended(x, f);
}

/* ---- who has run -------------------------------------------------------- */

static bool
is_alone(const struct pr_sampler *s, const struct thread *t)
{
	VEC_FOREACH(&s->threads, other) {
		if (other != t && other->p == t->p)
			return false;
	}
	return true;
}

/* proc(5): the first number of schedstat; -1: there is none. */
static int64_t
thread_clock(struct thread *t)
{
	char path[64], text[64];
	ssize_t n;

	if (t->fd < 0) {
		snprintf(path, sizeof(path), "/proc/%d/task/%d/schedstat",
		    (int)t->p->pid, (int)t->tid);
		t->fd = open(path, O_RDONLY | O_CLOEXEC);
		t->ran_ns = -1; /* the old value was of the process */
	}
	n = t->fd >= 0 ? pread(t->fd, text, sizeof(text) - 1, 0) : -1;
	if (n <= 0)
		return -1;
	text[n] = '\0';
	return strtoll(text, NULL, 10);
}

static int64_t
process_clock(struct thread *t)
{
	clockid_t clock;

	if (t->fd >= 0) {
		close(t->fd);
		t->fd = -1;
		t->ran_ns = -1; /* the old value was of the thread */
	}
	return clock_getcpuclockid(t->p->pid, &clock) == 0 ?
	    cpu_time_ns(clock) :
	    -1;
}

/* A thread is owed samples for its CPU time; too many of them are missed. */
static void
account(struct pr_exec *x, const struct pr_sampler *s, struct thread *t,
    int64_t period)
{
	int64_t max = OWED_MIN * period > OWED_NS ? OWED_MIN * period : OWED_NS;
	int64_t ran = is_alone(s, t) ? process_clock(t) : thread_clock(t);

	if (ran >= 0 && t->ran_ns >= 0)
		t->owed_ns += ran - t->ran_ns;
	t->ran_ns = ran;
	if (t->owed_ns > max) {
		x->missed += (uint64_t)((t->owed_ns - max) / period);
		t->owed_ns = max;
	}
}

static bool
is_running(const struct thread *t)
{
	char path[64], text[128], *paren;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)t->p->pid,
	    (int)t->tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	paren = strrchr(text, ')'); /* ends the name (15 characters) */
	return paren != NULL && strncmp(paren, ") R", 3) == 0;
}

/* ---- the sample --------------------------------------------------------- */

/* Is our memory in the process, which has executed no other program? */
static bool
is_entered(const struct pr_proc *p)
{
	struct pr_start start;

	return pr_proc_read(p->pid, p->entered->own, &start, sizeof(start)) &&
	    start.live == 1 && start.pid == (uint64_t)p->pid;
}

/* The program's pc; 0: the thread is in the middle of a probe.  A system call
 * that our code makes for the program counts as the program's. */
static uint64_t
program_pc(
    const struct pr_exec *x, const struct pr_proc *p, uint64_t pc, bool is_call)
{
	if (pc - p->entered->code < x->conf.region_size)
		return 0;
	VEC_FOREACH(&p->files, f) {
		VEC_FOREACH(&f->plan.moves, m) {
			if (m->to == pc)
				return m->from;
		}
	}
	VEC_FOREACH(&p->space.areas, area) {
		if (pc - area->lo < area->hi - area->lo)
			return is_call ? pc : 0;
	}
	return pc;
}

/* Is the thread in a system call that finish.c knows?  INT 0x80 has other
 * numbers. */
static bool
has_called(const struct pr_proc *p, const struct user_regs_struct *r)
{
	uint8_t insn[INPROC_SYSCALL_LEN];

	return (int64_t)r->orig_rax >= 0 &&
	    pr_proc_read(p->pid, r->rip - sizeof(insn), insn, sizeof(insn)) &&
	    insn[0] == 0x0f && insn[1] == 0x05;
}

/* The registers as bodies expect them, and the address to return to. */
static struct inproc_frame
frame_of(
    const struct user_regs_struct *r, uint64_t pc, uint64_t back, bool is_call)
{
	return (struct inproc_frame){
		.regs = { r->rax, r->rcx, r->rdx, r->rbx, r->rsp, r->rbp,
		    r->rsi, r->rdi, r->r8, r->r9, r->r10, r->r11, r->r12,
		    r->r13, r->r14, r->r15 },
		.flags = is_call ? r->orig_rax : (uint64_t)-1, /* finish.c */
		.ip = pc,
		.rflags = r->eflags,
		.pad = back,
	};
}

/* Write both parts, and a word at the end of the stack that C functions need.
 * If that fails, the stack is too short, and there is no sample. */
static bool
write_stack(pid_t pid, uint64_t at, const struct inproc_frame *frame,
    uint64_t back, const uint64_t way[2])
{
	struct iovec from[] = { { .iov_base = (void *)(uintptr_t)frame,
				    .iov_len = sizeof(*frame) },
		{ .iov_base = (void *)(uintptr_t)way, .iov_len = 16 },
		{ .iov_base = (void *)(uintptr_t)way, .iov_len = 8 } };
	struct iovec to[] = { { .iov_base = (void *)(uintptr_t)at,
				  .iov_len = sizeof(*frame) },
		{ .iov_base = (void *)(uintptr_t)back, .iov_len = 16 },
		{ .iov_base = (void *)(uintptr_t)(at - PR_C_ROOM),
		    .iov_len = 8 } };

	return process_vm_writev(pid, from, 3, to, 3, 0) ==
	    (ssize_t)sizeof(*frame) + 16 + 8;
}

static bool
send(struct pr_exec *x, const struct pr_firing *f, const struct thread *t,
    struct user_regs_struct *r)
{
	bool is_call = has_called(t->p, r); /* finish.c finishes it */
	uint64_t pc = program_pc(x, t->p, r->rip, is_call);
	uint64_t back = r->rsp - PR_RED_ZONE - 16;
	uint64_t at = (back - sizeof(struct inproc_frame)) & ~15ULL;
	struct inproc_frame frame = frame_of(r, pc, back, is_call);
	const uint64_t way[2] = { r->eflags, r->rip };

	if (!is_entered(t->p) || pc == 0 ||
	    !write_stack(t->p->pid, at, &frame, back, way))
		return false;
	r->rsp = at;
	r->rip = t->p->entered->code + f->call;
	inproc_sample_send(t->tid, r);
	return true;
}

/* Has the thread stopped or ended? */
static bool
poll_thread(struct pr_exec *x, const struct pr_firing *f, struct thread *t)
{
	struct user_regs_struct regs;
	enum inproc_sampled is = inproc_sample_poll(t->p->pid, t->tid, &regs);

	if (is == INPROC_SAMPLE_WAIT)
		return false;
	t->is_asked = false;
	if (is != INPROC_SAMPLE_HERE)
		return true;
	if (send(x, f, t, &regs))
		t->owed_ns -= (int64_t)f->probe->period_ns;
	else
		inproc_sample_pass(t->tid);
	return true;
}

/* Sample the threads that have stopped.  Is any thread left that has not, as it
 * waits for a CPU? */
static bool
take(struct pr_exec *x, const struct pr_firing *f, int64_t within_ns)
{
	int64_t until = (int64_t)now_ns() + within_ns;
	struct timespec nap = { .tv_nsec = NAP_NS };
	bool is_waiting = true;

	for (;;) {
		is_waiting = false;
		VEC_FOREACH(&f->sampler->threads, t) {
			if (t->is_asked)
				is_waiting |= !poll_thread(x, f, t);
		}
		if (!is_waiting || (int64_t)now_ns() > until)
			return is_waiting;
		nanosleep(&nap, NULL);
	}
}

void
pr_sample(struct pr_exec *x, struct pr_firing *f)
{
	int64_t period = (int64_t)f->probe->period_ns;

	if (f->sampler == NULL)
		f->sampler = mem_alloc(sizeof(*f->sampler));
	look(x, f);
	VEC_FOREACH(&f->sampler->threads, t) {
		account(x, f->sampler, t, period);
		if (!t->is_asked && t->owed_ns >= period / 2 && is_running(t))
			t->is_asked = inproc_sample_ask(t->tid);
	}
	take(x, f, STOP_NS);
}

/* Take for at most within_ns.  Is any thread left that has not stopped? */
static bool
take_all(struct pr_exec *x, int64_t within_ns)
{
	bool is_waiting = false;

	VEC_FOREACH(&x->bodies, b) {
		VEC_FOREACH(&b->probes, f) {
			if (f->sampler != NULL)
				is_waiting |= take(x, f, within_ns);
		}
	}
	return is_waiting;
}

bool
pr_sample_again(struct pr_exec *x)
{
	return take_all(x, 0);
}

void
pr_sample_settle(struct pr_exec *x)
{
	take_all(x, SETTLE_NS);
}

void
pr_sample_stop(struct pr_exec *x)
{
	pr_sample_settle(x);
	VEC_FOREACH(&x->bodies, b) {
		VEC_FOREACH(&b->probes, f) {
			if (f->sampler == NULL)
				continue;
			VEC_FOREACH(&f->sampler->threads, t)
				miss(x, f, t);
		}
	}
}

void
pr_sample_free(struct pr_firing *f)
{
	if (f->sampler == NULL)
		return;
	VEC_FOREACH(&f->sampler->threads, t) {
		if (t->fd >= 0)
			close(t->fd);
	}
	VEC_FREE(&f->sampler->threads);
	free(f->sampler);
}
