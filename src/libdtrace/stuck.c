/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Targets that are stopped: dtrace ends when they end, so a user who waits for
 * it has to be told.
 *
 * A command that asks its parent to trace it (PTRACE_TRACEME), as programs do
 * to keep debuggers away, asks dtrace.  It would stop for ever at its first
 * signal: dtrace continues it, with the signal.  A process stopped by SIGSTOP
 * or by a debugger is left stopped.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/procstatus.h"
#include "base/vec.h"
#include "libdtrace/dt_impl.h"

#define LOOK_NS 500000000ULL
#define STUCK_LOOKS 2 /* in a row, as dtrace stops targets, too */

/*
 * Has the process stopped for a signal? inproc/sample.c stops a process and
 * waits for that stop, which is an event: such a stop is left for it.
 */
static bool
has_stopped(const struct dt_proc *proc, siginfo_t *si)
{
	return waitid(P_PID, (id_t)proc->pid, si,
		   WSTOPPED | WNOHANG | WNOWAIT | __WALL) == 0 &&
	    si->si_pid == proc->pid && si->si_code == CLD_TRAPPED &&
	    si->si_status >> 8 == 0;
}

/*
 * Continue a command that is a tracee of dtrace and has stopped for a signal.
 */
static void
let_tracee_go(struct dt_hdl *h, struct dt_proc *proc)
{
	siginfo_t si = { 0 };
	long sig;

	if (!proc->is_created || !has_stopped(proc, &si) ||
	    waitid(P_PID, (id_t)proc->pid, &si, WSTOPPED | WNOHANG | __WALL) !=
		0)
		return;
	/* the trap of an exec, or one of its own */
	sig = si.si_status == SIGTRAP ? 0 : si.si_status;
	if (ptrace(PTRACE_DETACH, proc->pid, NULL, sig) == 0)
		dt_notice(h,
		    "pid %d has asked its parent to trace it "
		    "(PTRACE_TRACEME); its parent is dtrace, which lets it run "
		    "untraced by ptrace",
		    (int)proc->pid);
}

/* 'T': stopped by SIGSTOP, 't': by a tracer; or another letter. */
static char
state_of(pid_t pid)
{
	char state[32];

	return proc_status(pid, "State", state, sizeof(state)) ? state[0] : '?';
}

static void
tell_stuck(struct dt_hdl *h, const struct dt_proc *proc, char state, int tracer)
{
	int pid = (int)proc->pid;

	if (state == 't')
		dt_notice(h,
		    "pid %d is stopped by process %d, which traces it; "
		    "dtrace waits until it goes on, or for Control-C",
		    pid, tracer);
	else
		dt_notice(h,
		    "pid %d is stopped (SIGSTOP, or for a terminal's "
		    "job control); dtrace waits until it goes on (kill -CONT "
		    "%d), or for Control-C",
		    pid, pid);
}

/* Is the tracer the guardian of programs that dtrace has entered? */
static bool
is_one_of_us(int tracer)
{
	char path[32], name[32] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/comm", tracer);
	f = fopen(path, "re");
	if (f == NULL)
		return true; /* it has ended already */
	if (fgets(name, sizeof(name), f) == NULL)
		name[0] = '\0';
	fclose(f);
	return strncmp(name, "dtrace", strlen("dtrace")) == 0;
}

/*
 * A debugger's breakpoint and the kernel's for a probe are the same byte.  The
 * kernel takes the trap for its own.  The one that is removed last restores the
 * byte that it found, which is the other's breakpoint, and that ends the
 * program.
 */
static void
look_at_tracer(struct dt_hdl *h, struct dt_proc *proc, int tracer)
{
	if (tracer <= 0 || tracer == (int)getpid()) {
		proc->has_debugger = false;
		return;
	}
	if (proc->has_debugger || !plan_has_uprobes(h->plan) ||
	    is_one_of_us(tracer))
		return;
	proc->has_debugger = true;
	dt_notice(h,
	    "pid %d is traced by process %d, a debugger or strace: a "
	    "breakpoint that is set on the instruction of a probe does not "
	    "stop the program, and ends it with SIGTRAP if dtrace ends before "
	    "it is deleted; set breakpoints elsewhere, or before dtrace comes",
	    (int)proc->pid, tracer);
}

static void
look(struct dt_hdl *h, struct dt_proc *proc)
{
	long tracer = proc_status_number(proc->pid, "TracerPid");
	char state;

	let_tracee_go(h, proc);
	state = state_of(proc->pid);
	look_at_tracer(h, proc, (int)tracer);
	if (state != 'T' && state != 't') {
		proc->nstuck = 0;
		return;
	}
	if (++proc->nstuck == STUCK_LOOKS)
		tell_stuck(h, proc, state, (int)tracer);
}

void
dt_stuck_look(struct dt_hdl *h)
{
	uint64_t now = now_ns();

	if (now < h->due.stuck)
		return;
	h->due.stuck = now + LOOK_NS;
	VEC_FOREACH(&h->procs.list, proc) {
		if (!proc->is_held && !proc->has_ended && !proc->is_forgotten)
			look(h, proc);
	}
}
