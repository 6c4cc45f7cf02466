/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cost of seeing a system call without the kernel's help: getppid() many
 * times, in the ways that an ordinary user has.
 *
 *	calls plain	no interception; under dtrace, its probes
 *	calls dispatch	syscall user dispatch: SIGSYS, and the handler makes
 *			the call
 *	calls trap	seccomp, SECCOMP_RET_TRAP: likewise
 *	calls notify	seccomp, SECCOMP_RET_USER_NOTIF: another process lets
 *			the call go on
 *	calls ptrace	another process stops this one before and after
 *
 * Prints nanoseconds per call.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "clock.h"

/* Code whose calls are never intercepted: one makes a call, the other ends a
 * handler. */
long free_call(long nr, long a, long b, long c);
void free_return(void);
extern char free_begin[], free_end[];
__asm__(".text\n"
	".globl free_begin, free_end, free_call, free_return\n"
	"free_begin:\n"
	"free_call:\n"
	"	mov %rdi,%rax; mov %rsi,%rdi; mov %rdx,%rsi; mov %rcx,%rdx\n"
	"	syscall\n"
	"	ret\n"
	"free_return:\n"
	"	mov $15,%eax\n"
	"	syscall\n"
	"	nop\n"
	"free_end:\n");

static volatile char selector;

static void
on_sigsys(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)sig;
	uc->uc_mcontext.gregs[REG_RAX] =
	    free_call(info->si_syscall, uc->uc_mcontext.gregs[REG_RDI],
		uc->uc_mcontext.gregs[REG_RSI], uc->uc_mcontext.gregs[REG_RDX]);
}

/* struct sigaction as the kernel defines it (<asm/signal.h>). */
struct kernel_action {
	void (*handler)(int, siginfo_t *, void *);
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};

static void
handle_sigsys(void)
{
	const struct kernel_action act = { .handler = on_sigsys,
		.flags = SA_SIGINFO | 0x04000000 /* SA_RESTORER */,
		.restorer = free_return };

	if (syscall(SYS_rt_sigaction, SIGSYS, &act, NULL, 8) != 0)
		perror("rt_sigaction");
}

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif

static void
set_dispatch(void)
{
	handle_sigsys();
	if (prctl(PR_SET_SYSCALL_USER_DISPATCH, 1, free_begin,
		free_end - free_begin, &selector) != 0)
		exit(77);
	selector = 1; /* SYSCALL_DISPATCH_FILTER_BLOCK */
}

/* Install a filter that answers `action` to getppid() from any code but
 * free_call(). */
static int
set_filter(uint32_t action, unsigned flags)
{
	struct sock_filter insns[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		    offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		    offsetof(struct seccomp_data, instruction_pointer)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
		    (uint32_t)((uintptr_t)free_return - 1), 1, 0),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { sizeof(insns) / sizeof(insns[0]), insns };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		exit(77);
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &prog);
}

static void
set_trap(void)
{
	handle_sigsys();
	if (set_filter(SECCOMP_RET_TRAP, 0) != 0)
		exit(77);
}

/* The child inherits the descriptor, and lets each call go on. */
static void
answer(int fd)
{
	struct seccomp_notif req;
	struct seccomp_notif_resp resp;

	for (;;) {
		memset(&req, 0, sizeof(req));
		if (ioctl(fd, SECCOMP_IOCTL_NOTIF_RECV, &req) != 0)
			_exit(0);
		resp = (struct seccomp_notif_resp){ .id = req.id,
			.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE };
		ioctl(fd, SECCOMP_IOCTL_NOTIF_SEND, &resp);
	}
}

static void
set_notify(void)
{
	int fd = set_filter(
	    SECCOMP_RET_USER_NOTIF, SECCOMP_FILTER_FLAG_NEW_LISTENER);

	if (fd < 0)
		exit(77);
	if (fork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		answer(fd);
	}
	close(fd);
}

/* The parent traces; the child goes on with the benchmark. */
static void
set_ptrace(void)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		return;
	}
	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status))
		ptrace(PTRACE_SYSCALL, pid, NULL, NULL);
	_exit(0);
}

static void
nothing(void)
{
}

static const struct {
	const char *name;
	void (*set)(void);
	unsigned calls;
} ways[] = {
	{ "plain", nothing, 2000000 },
	{ "dispatch", set_dispatch, 200000 },
	{ "trap", set_trap, 200000 },
	{ "notify", set_notify, 50000 },
	{ "ptrace", set_ptrace, 20000 },
};

/* Take the best of many short passes: other processes use the machine, too. */
#define PASSES 200
static double
measure(unsigned n)
{
	uint64_t best = UINT64_MAX;

	for (unsigned pass = 0; pass < PASSES; pass++) {
		uint64_t begin = now_ns(), ns;

		for (unsigned i = 0; i < n / PASSES; i++)
			getppid();
		ns = now_ns() - begin;
		best = ns < best ? ns : best;
	}
	return (double)best / (n / PASSES);
}

int
main(int argc, char **argv)
{
	for (size_t i = 0; argc == 2 && i < sizeof(ways) / sizeof(ways[0]);
	     i++) {
		if (strcmp(argv[1], ways[i].name) != 0)
			continue;
		double ns;

		ways[i].set();
		ns = measure(ways[i].calls);
		selector = 0;
		printf("%s %.0f\n", ways[i].name, ns);
		return 0;
	}
	fprintf(stderr, "usage: calls plain|dispatch|trap|notify|ptrace\n");
	return 2;
}
