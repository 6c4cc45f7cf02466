/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * signals MODE:
 *
 *	handle	SIGUSR1, which a handler takes
 *	ignore	SIGUSR1, which is ignored
 *	wait	SIGUSR1, which sigtimedwait() takes
 *	segv	load from address 16
 *	fpe	divide by zero
 *	ill	an instruction that there is not
 *	trap	a breakpoint
 *	kill	SIGKILL
 */
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static void
handler(int sig)
{
	(void)sig;
}

static void
take(void (*how)(int))
{
	struct sigaction sa = { .sa_handler = how };

	sigaction(SIGUSR1, &sa, NULL);
	kill(getpid(), SIGUSR1);
}

static void
wait_for(void)
{
	const struct timespec soon = { 10, 0 };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	kill(getpid(), SIGUSR1);
	if (sigtimedwait(&set, NULL, &soon) != SIGUSR1)
		abort();
}

int
main(int argc, char **argv)
{
	const char *mode = argc == 2 ? argv[1] : "";
	const struct rlimit none = { 0, 0 };
	volatile int zero = 0, address = 16;

	setrlimit(RLIMIT_CORE, &none);
	if (strcmp(mode, "handle") == 0)
		take(handler);
	else if (strcmp(mode, "ignore") == 0)
		take(SIG_IGN);
	else if (strcmp(mode, "wait") == 0)
		wait_for();
	else if (strcmp(mode, "segv") == 0)
		*(volatile char *)(uintptr_t)address;
	else if (strcmp(mode, "fpe") == 0)
		zero = 100 / zero;
	else if (strcmp(mode, "ill") == 0)
		__builtin_trap();
	else if (strcmp(mode, "trap") == 0)
		__asm__ volatile("int3");
	else if (strcmp(mode, "kill") == 0)
		kill(getpid(), SIGKILL);
	else
		return 2;
	return 0;
}
