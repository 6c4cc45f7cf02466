/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * signals MODE:
 *
 *	handle	SIGUSR1, which a handler takes
 *	ignore	SIGUSR1, which is ignored
 *	wait	SIGUSR1, which sigtimedwait() takes
 *	segv	load from address 16
 *	fpe	divide by zero
 *	ill	an undefined instruction
 *	trap	a breakpoint
 *	kill	SIGKILL
 *	core	abort(), with a core file
 *	step	an instruction with the trap flag
 *	write	store to read-only memory
 *	bus	load from a mapping behind the end of its file
 *	float	divide by zero as the FPU does
 *	states	to a child that sleeps, is stopped, sleeps, has ended: SIGSTOP,
 *		SIGCONT, SIGKILL, SIGTERM
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
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

static void
dump_core(void)
{
	struct rlimit limit;

	getrlimit(RLIMIT_CORE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_CORE, &limit);
	abort();
}

static void
write_constant(void)
{
	*(volatile char *)(uintptr_t) "constant" = 1;
}

static void
load_behind(void)
{
	FILE *f = tmpfile();
	const volatile char *p =
	    mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fileno(f), 0);

	(void)*p;
}

static void
divide_floats(void)
{
	const uint16_t divisions_trap = 0x37b;

	__asm__ volatile("fldcw %0; fld1; fldz; fdivrp; fwait"
			 :
			 : "m"(divisions_trap)
			 : "st");
}

static void
await_sleep(pid_t pid)
{
	const struct timespec some = { 0, 1000000 };
	char path[64], state = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	while (state != 'S') {
		FILE *f = fopen(path, "r");

		nanosleep(&some, NULL);
		if (f == NULL || fscanf(f, "%*d (signals) %c", &state) != 1)
			abort();
		fclose(f);
	}
}

static void
pass_states(void)
{
	siginfo_t end;
	pid_t pid = fork();

	while (pid == 0)
		pause();
	await_sleep(pid);
	kill(pid, SIGSTOP);
	waitpid(pid, NULL, WUNTRACED);
	kill(pid, SIGCONT);
	await_sleep(pid);
	kill(pid, SIGKILL);
	waitid(P_PID, (id_t)pid, &end, WEXITED | WNOWAIT);
	kill(pid, SIGTERM);
	waitpid(pid, NULL, 0);
}

int
main(int argc, char **argv)
{
	const char *mode = argc == 2 ? argv[1] : "";
	const struct rlimit none = { 0, 0 };
	volatile int zero = 0, address = 16;

	if (strcmp(mode, "core") == 0)
		dump_core();
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
	else if (strcmp(mode, "step") == 0)
		__asm__ volatile("pushf; orl $0x100, (%%rsp); popf; nop"
				 :
				 :
				 : "cc", "memory");
	else if (strcmp(mode, "write") == 0)
		write_constant();
	else if (strcmp(mode, "bus") == 0)
		load_behind();
	else if (strcmp(mode, "float") == 0)
		divide_floats();
	else if (strcmp(mode, "states") == 0)
		pass_states();
	else
		return 2;
	return 0;
}
