/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes calls, and then as many with a seccomp filter that ends the program for
 * system calls which the program never makes.  Among them are those by which
 * probes in it read memory, look for their process and wake dtrace.
 *
 *	sealed HOW [CALLS]
 *
 *	some	by prctl(), a filter that forbids some of them
 *	all	by seccomp(), a filter that permits only an orderly end
 *	strict	the strict mode
 *	none	a filter that the kernel refuses
 *	harmless	a filter that forbids a call that is never made
 *	threads	for all of three threads, of which two go on calling
 *	child	in a child of fork()
 *	deep	as `all`, and then calls on parts of the stack that are used
 *		for the first time
 */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOAD(member)                                                           \
	BPF_STMT(                                                              \
	    BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_##action)
#define IF(nr, action)                                                         \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (nr), 0, 1), RETURN(action)
#define DEEP 200

int fn_step(const char *s);
int fn_deep(const char *s, int n);

static volatile int stops;

__attribute__((noinline)) int
fn_step(const char *s)
{
	__asm__ volatile("" ::: "memory");
	return s[0];
}

static struct sock_filter some[] = {
	LOAD(nr),
	IF(SYS_process_vm_readv, KILL_PROCESS),
	IF(SYS_process_vm_writev, KILL_PROCESS),
	IF(SYS_getpid, KILL_PROCESS),
	IF(SYS_futex, KILL_PROCESS),
	RETURN(ALLOW),
};
static struct sock_filter all[] = {
	LOAD(arch),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
	RETURN(KILL_PROCESS),
	LOAD(nr),
	IF(SYS_write, ALLOW),
	IF(SYS_exit, ALLOW),
	IF(SYS_exit_group, ALLOW),
	RETURN(KILL_PROCESS),
};
static struct sock_filter harmless[] = {
	LOAD(nr),
	IF(SYS_reboot, KILL_PROCESS),
	RETURN(ALLOW),
};
static struct sock_filter broken[] = { LOAD(nr) };

#define PROGRAM(code)                                                          \
	(struct sock_fprog)                                                    \
	{                                                                      \
		sizeof(code) / sizeof((code)[0]), (code)                       \
	}

static long
by_prctl(struct sock_fprog prog)
{
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog);
}

static long
by_seccomp(struct sock_fprog prog, unsigned flags)
{
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &prog);
}

static long
seal(const char *how)
{
	if (strcmp(how, "none") == 0)
		return by_prctl(PROGRAM(broken)) == 0 ? -1 : 0;
	if (strcmp(how, "harmless") == 0)
		return by_prctl(PROGRAM(harmless));
	if (strcmp(how, "strict") == 0)
		return prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	if (strcmp(how, "threads") == 0)
		return by_seccomp(PROGRAM(some), SECCOMP_FILTER_FLAG_TSYNC);
	if (strcmp(how, "all") == 0 || strcmp(how, "deep") == 0)
		return by_seccomp(PROGRAM(all), 0);
	return by_prctl(PROGRAM(some));
}

static int
steps(const char *s, int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += fn_step(s);
	return sum;
}

/* Each level takes a quarter of a page of stack. */
__attribute__((noinline)) int
fn_deep(const char *s, int n)
{
	volatile char room[1024];

	room[0] = s[0];
	return n == 0 ? fn_step(s) : fn_deep(s, n - 1) - room[0] + s[0];
}

static void *
go_on(void *s)
{
	while (!stops)
		fn_step(s);
	return NULL;
}

static void
say(const char *what, int sum)
{
	char text[64];
	int n = snprintf(text, sizeof(text), "%s %d\n", what, sum);

	if (write(STDOUT_FILENO, text, (size_t)n) != n)
		syscall(SYS_exit, 1);
}

static void
run(const char *how, const char *s, int n)
{
	int sum = steps(s, n);

	if (seal(how) != 0) {
		perror("sealed: seccomp");
		_exit(1);
	}
	if (strcmp(how, "deep") == 0)
		say("deep", fn_deep(s, DEEP));
	say("sum", sum + steps(s, n));
}

static void
begin_threads(char *s)
{
	pthread_t id;

	for (int i = 0; i < 2; i++) {
		if (pthread_create(&id, NULL, go_on, s) != 0)
			exit(1);
	}
	usleep(100000);
}

int
main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "some";
	int n = argc > 2 ? atoi(argv[2]) : 10, status = 0;
	char *s = strdup("heap");

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return 1;
	if (strcmp(how, "child") == 0 && fork() != 0) {
		wait(&status);
		printf("child %x\n", (unsigned)status);
		return 0;
	}
	if (strcmp(how, "threads") == 0)
		begin_threads(s);
	run(how, s, n);
	stops = 1;
	/* the strict mode does not permit exit_group() */
	syscall(strcmp(how, "strict") == 0 ? SYS_exit : SYS_exit_group, 0);
}
