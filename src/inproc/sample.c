/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stop a single thread (threads.c says which stops are usable, and why).
 *
 * A thread in a restartable sequence (rseq(2)) is let go: the kernel restarts
 * the sequence only if it finds the thread in it.
 */
#include "inproc/sample.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/procstatus.h"
#include "inproc/enter_impl.h"

/* include/linux/errno.h of the kernel: "Should never be seen by user programs"
 */
#define ERESTARTSYS 512
#define ERESTART_RESTARTBLOCK 516

#define TRAP_FLAG 0x100 /* SDM 1, 3.4.3 */

bool
inproc_sample_ask(pid_t tid)
{
	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) != 0)
		return false;
	ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
	return true;
}

void
inproc_sample_pass(pid_t tid)
{
	ptrace(PTRACE_DETACH, tid, NULL, NULL);
}

void
inproc_sample_send(pid_t tid, struct user_regs_struct *regs)
{
	regs->orig_rax = (uint64_t)-1;
	ptrace(PTRACE_SETREGS, tid, NULL, regs);
	ptrace(PTRACE_DETACH, tid, NULL, NULL);
}

static bool
read_there(pid_t pid, uint64_t addr, void *buf, size_t len)
{
	struct iovec to = { .iov_base = buf, .iov_len = len };
	struct iovec from = { .iov_base = (void *)(uintptr_t)addr,
		.iov_len = len };

	return process_vm_readv(pid, &to, 1, &from, 1, 0) == (ssize_t)len;
}

/* Leave a child of ours that has ended for its own waiter. */
static void
forget_ended(pid_t pid, pid_t tid)
{
	char parent[16];

	if (tid == pid && proc_status(tid, "PPid", parent, sizeof(parent)) &&
	    atoi(parent) == (int)getpid())
		return;
	waitpid(tid, NULL, WNOHANG | __WALL);
}

/*
 * rseq: struct rseq (linux/rseq.h) points to the sequence, behind two CPU
 * numbers.
 */
static bool
is_in_rseq(pid_t pid, pid_t tid, uint64_t pc)
{
	struct __ptrace_rseq_configuration c;
	uint64_t at, cs[3]; /* version and flags, start, length */

	if (ptrace(PTRACE_GET_RSEQ_CONFIGURATION, tid, sizeof(c), &c) !=
		sizeof(c) ||
	    c.rseq_abi_pointer == 0)
		return false;
	if (!read_there(pid, c.rseq_abi_pointer + 8, &at, sizeof(at)))
		return true;
	return at != 0 &&
	    (!read_there(pid, at, cs, sizeof(cs)) || pc - cs[1] < cs[2]);
}

/*
 * Did the thread wait in a system call?  The call goes on when the thread does.
 */
static bool
has_waited(pid_t pid, pid_t tid, struct user_regs_struct *regs)
{
	int64_t result = (int64_t)regs->rax;
	uint8_t insn[2];

	if ((int64_t)regs->orig_rax < 0)
		return false;
	if (result <= -ERESTARTSYS && result >= -ERESTART_RESTARTBLOCK)
		return true;
	if (!ent_was_cut_short(tid, regs) ||
	    !read_there(pid, regs->rip - 2, insn, sizeof(insn)) ||
	    insn[0] != 0x0f || insn[1] != 0x05)
		return false;
	ent_repeat(regs);
	ptrace(PTRACE_SETREGS, tid, NULL, regs);
	return true;
}

static enum inproc_sampled
take_stop(pid_t pid, pid_t tid, int status, struct user_regs_struct *regs)
{
	bool is_event = status >> 16 != 0;

	if (status >> 16 != PTRACE_EVENT_STOP || WSTOPSIG(status) != SIGTRAP) {
		ptrace(PTRACE_DETACH, tid, NULL,
		    is_event ? 0L : (long)WSTOPSIG(status));
		return INPROC_SAMPLE_PASSED;
	}
	if (ptrace(PTRACE_GETREGS, tid, NULL, regs) == 0 &&
	    (regs->eflags & TRAP_FLAG) == 0 && !has_waited(pid, tid, regs) &&
	    !is_in_rseq(pid, tid, regs->rip))
		return INPROC_SAMPLE_HERE;
	inproc_sample_pass(tid);
	return INPROC_SAMPLE_PASSED;
}

enum inproc_sampled
inproc_sample_poll(pid_t pid, pid_t tid, struct user_regs_struct *regs)
{
	siginfo_t si = { 0 };
	int status;

	if (waitid(P_PID, (id_t)tid, &si,
		WEXITED | WSTOPPED | WNOHANG | WNOWAIT | __WALL) != 0)
		return INPROC_SAMPLE_PASSED;
	if (si.si_pid == 0)
		return INPROC_SAMPLE_WAIT;
	if (si.si_code != CLD_TRAPPED && si.si_code != CLD_STOPPED) {
		forget_ended(pid, tid);
		return INPROC_SAMPLE_PASSED;
	}
	if (waitpid(tid, &status, WNOHANG | __WALL) != tid)
		return INPROC_SAMPLE_WAIT;
	return take_stop(pid, tid, status, regs);
}
