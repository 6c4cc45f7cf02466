/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Standard output that is the trace's alone: what the commands of -c write to
 * it goes to standard error.
 *
 * If option oformat is set when a command is created, the child does this
 * before its exec (proc.c).  A script's pragma comes later, when the command
 * is stopped behind its exec: dtrace then makes it call dup2() once.  No probe
 * is armed yet, and the process is single, so its code may be changed for one
 * instruction.
 */
#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libdtrace/dt_impl.h"

#define CS_64 0x33     /* the code segment of 64-bit programs */
#define DUP2_32 63     /* the call's number with int $0x80 */
#define SYSCALL 0x050f /* the instructions, as they are in memory */
#define INT80 0x80cd

/* The registers with which the instruction calls dup2(2, 1). */
static struct user_regs_struct
regs_of_call(const struct user_regs_struct *saved)
{
	struct user_regs_struct regs = *saved;

	regs.orig_rax = (unsigned long long)-1; /* no call to restart */
	if (saved->cs == CS_64) {
		regs.rax = SYS_dup2;
		regs.rdi = STDERR_FILENO;
		regs.rsi = STDOUT_FILENO;
	} else {
		regs.rax = DUP2_32;
		regs.rbx = STDERR_FILENO;
		regs.rcx = STDOUT_FILENO;
	}
	return regs;
}

/*
 * Step over the instruction.  A signal that comes first is sent again later.
 * Returns 0 or an errno.
 */
static int
step(pid_t pid)
{
	int status, held = 0;

	for (;;) {
		if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) != 0 ||
		    waitpid(pid, &status, __WALL) < 0)
			return errno;
		if (!WIFSTOPPED(status))
			return ESRCH;
		if (status >> 16 == 0 && WSTOPSIG(status) == SIGTRAP)
			break;
		if (status >> 16 == 0)
			held = WSTOPSIG(status);
	}
	return held != 0 && kill(pid, held) != 0 ? errno : 0;
}

/*
 * Get the registers.  A process that is stopped by its exec is still in that
 * call, whose end changes them: a step goes to the end of the call.
 */
static int
leave_call(pid_t pid, struct user_regs_struct *regs)
{
	int err;

	if (ptrace(PTRACE_GETREGS, pid, NULL, regs) != 0)
		return errno;
	if ((int64_t)regs->orig_rax < 0)
		return 0;
	err = step(pid);
	if (err == 0 && ptrace(PTRACE_GETREGS, pid, NULL, regs) != 0)
		err = errno;
	return err;
}

/* Returns 0 or an errno: of ptrace, or of the call. */
static int
call_dup2(pid_t pid)
{
	struct user_regs_struct saved, regs;
	long insn, code;
	int err = leave_call(pid, &saved);

	if (err != 0)
		return err;
	regs = regs_of_call(&saved);
	insn = saved.cs == CS_64 ? SYSCALL : INT80;
	errno = 0;
	code = ptrace(PTRACE_PEEKTEXT, pid, saved.rip, NULL);
	if (errno != 0 ||
	    ptrace(PTRACE_POKETEXT, pid, saved.rip, (code & ~0xffffL) | insn) !=
		0)
		return errno;
	err = ptrace(PTRACE_SETREGS, pid, NULL, &regs) != 0 ? errno : step(pid);
	if (err == 0 && ptrace(PTRACE_GETREGS, pid, NULL, &regs) != 0)
		err = errno;
	if (ptrace(PTRACE_POKETEXT, pid, saved.rip, code) != 0 ||
	    ptrace(PTRACE_SETREGS, pid, NULL, &saved) != 0)
		return errno;
	if (err == 0 && (int)regs.rax != STDOUT_FILENO)
		err = (int)regs.rax < 0 ? -(int)regs.rax : ENOSYS;
	return err;
}

int
dt_procs_turn(struct dt_hdl *h)
{
	if (!dt_owns_stdout(h))
		return 0;
	VEC_FOREACH(&h->procs.list, proc) {
		int err = proc->is_held && !proc->is_turned ?
		    call_dup2(proc->pid) :
		    0;

		if (err != 0)
			return dt_fail(h,
			    "cannot keep the output of process %d out of the "
			    "trace: %s; give the trace a file (-o), or set "
			    "oformat with -x",
			    (int)proc->pid, strerror(err));
		proc->is_turned = true;
	}
	return 0;
}
