/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * calls FILE WHAT...: call functions of every shape of entry and exit, count
 * the calls, and write the counts to FILE, a line "FUNCTION CALLS" each, by
 * name.
 *
 *	once N		each function N times
 *	threads N	two threads, N times each
 *	fork N		N times, and in a child, whose calls do not count
 *	vfork N		the same with vfork()
 *	exec N		N times, then the same program once more
 *	wait		wait until a line comes on standard input
 *	raise		one call returns by a C++-like unwinding: longjmp()
 *
 * Most functions are assembly, so that no compiler changes their shape.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define FUNCTION(name, text)                                                   \
	__asm__(".text\n.globl " #name "\n.type " #name ", @function\n" #name  \
		":\n" text ".size " #name ", . - " #name "\n");                \
	long name(long a)

FUNCTION(fn_endbr, "endbr64\n push %rbx\n mov %rdi, %rax\n pop %rbx\n ret\n");
FUNCTION(fn_pushes,
    "push %r15\n push %r14\n mov %rdi, %rax\n pop %r14\n"
    "pop %r15\n ret\n");
FUNCTION(fn_nop, "nopl 0(%rax, %rax)\n mov %rdi, %rax\n ret\n");
FUNCTION(fn_lea, "lea 1(%rdi), %rax\n ret\n");
FUNCTION(fn_sub, "sub $24, %rsp\n call fn_lea\n add $24, %rsp\n ret\n");
FUNCTION(fn_two_exits,
    "test $1, %dil\n je 1f\n mov $1, %eax\n ret\n"
    "1: mov $2, %eax\n ret\n");
FUNCTION(fn_tail, "add $1, %rdi\n jmp fn_lea\n");
FUNCTION(fn_cond_tail, "test $1, %dil\n jne fn_lea\n mov $3, %eax\n ret\n");
FUNCTION(fn_less_tail, "cmp $3, %rdi\n jl fn_lea\n mov $3, %eax\n ret\n");
FUNCTION(fn_loop,
    "endbr64\n push %rbx\n 1: dec %rdi\n jg 1b\n pop %rbx\n"
    "ret\n");
FUNCTION(fn_loop_entry, "endbr64\n 1: nop\n dec %rdi\n jg 1b\n ret\n");
FUNCTION(fn_indirect, "lea fn_lea(%rip), %rax\n jmp *%rax\n");
FUNCTION(fn_switch,
    "and $1, %edi\n lea 9f(%rip), %rdx\n"
    "movslq (%rdx, %rdi, 4), %rax\n add %rdx, %rax\n jmp *%rax\n"
    "1: mov $4, %eax\n ret\n 2: mov $5, %eax\n ret\n"
    ".section .rodata\n .balign 4\n 9: .long 1b - 9b, 2b - 9b\n .text\n");

/* The kernel puts no probe on the second and third instruction. */
FUNCTION(prefixed,
    "mov %rdi, %rax\n cs nopl (%rax)\n lock orl $0, (%rsp)\n"
    "ret\n");

/* Ten arguments, so that a script can check each one that it reads. */
long fn_args(long, long, long, long, long, long, long, long, long, long);

__attribute__((noipa)) long
fn_args(long a, long b, long c, long d, long e, long f, long g, long h, long i,
    long j)
{
	return a + b + c + d + e + f + g + h + i + j;
}

/* Calls itself; returns the depth. */
long fn_recurse(long depth);

__attribute__((noipa)) long
fn_recurse(long depth)
{
	long n = depth > 0 ? fn_recurse(depth - 1) : 0;

	__asm__ volatile("" : "+r"(n));
	return n + 1;
}

static const struct {
	const char *name;
	long (*f)(long);
} functions[] = {
	{ "fn_cond_tail", fn_cond_tail },
	{ "fn_endbr", fn_endbr },
	{ "fn_indirect", fn_indirect },
	{ "fn_lea", fn_lea },
	{ "fn_less_tail", fn_less_tail },
	{ "fn_loop", fn_loop },
	{ "fn_loop_entry", fn_loop_entry },
	{ "fn_nop", fn_nop },
	{ "fn_pushes", fn_pushes },
	{ "fn_recurse", fn_recurse },
	{ "fn_sub", fn_sub },
	{ "fn_switch", fn_switch },
	{ "fn_tail", fn_tail },
	{ "fn_two_exits", fn_two_exits },
};
#define N (sizeof(functions) / sizeof(functions[0]))
enum {
	COND_TAIL = 0,
	INDIRECT = 2,
	LEA = 3,
	LESS_TAIL = 4,
	RECURSE = 9,
	SUB = 10,
	TAIL = 12
};

static long calls[N], args_calls;

/* Count the calls that one call of function i with argument a makes. */
static void
count_call(size_t i, long a)
{
	__atomic_add_fetch(
	    &calls[i], i == RECURSE ? a + 1 : 1, __ATOMIC_RELAXED);
	if (i == SUB || i == TAIL || i == INDIRECT ||
	    (i == COND_TAIL && a % 2 != 0) || (i == LESS_TAIL && a < 3))
		__atomic_add_fetch(&calls[LEA], 1, __ATOMIC_RELAXED);
}

static void
call_all(long n, int counts)
{
	for (long a = 0; a < n; a++) {
		for (size_t i = 0; i < N; i++) {
			long (*volatile f)(long) = functions[i].f;

			f(a % 7);
			if (counts)
				count_call(i, a % 7);
		}
		if (counts)
			__atomic_add_fetch(&args_calls, 1, __ATOMIC_RELAXED);
		fn_args(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
	}
}

static void *
thread(void *arg)
{
	call_all(*(long *)arg, 1);
	return NULL;
}

static void
call_in_threads(long n)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, thread, &n);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

static void
call_in_child(long n, pid_t child)
{
	if (child == 0) {
		call_all(n, 0);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	call_all(n, 1);
}

static jmp_buf env;
long fn_jumps(long a);

__attribute__((noipa)) long
fn_jumps(long a)
{
	if (a > 0)
		longjmp(env, 1);
	__asm__ volatile("");
	return a;
}

static void
write_counts(const char *path)
{
	FILE *f = fopen(path, "w");

	if (f == NULL) {
		perror(path);
		exit(1);
	}
	fprintf(f, "fn_args %ld\n", args_calls);
	for (size_t i = 0; i < N; i++)
		fprintf(f, "%s %ld\n", functions[i].name, calls[i]);
	fclose(f);
}

int
main(int argc, char *argv[])
{
	long n = argc > 3 ? atol(argv[3]) : 0;
	const char *what = argc > 2 ? argv[2] : "";

	if (strcmp(what, "once") == 0) {
		prefixed(n);
		call_all(n, 1);
	} else if (strcmp(what, "threads") == 0) {
		call_in_threads(n);
	} else if (strcmp(what, "fork") == 0) {
		call_in_child(n, fork());
	} else if (strcmp(what, "vfork") == 0) {
		call_in_child(n, vfork());
	} else if (strcmp(what, "exec") == 0) {
		call_all(n, 1);
		write_counts(argv[1]);
		execl(
		    "/proc/self/exe", argv[0], argv[4], "once", argv[3], NULL);
	} else if (strcmp(what, "wait") == 0) {
		printf("ready\n");
		fflush(stdout);
		getchar();
		call_all(n, 1);
	} else if (strcmp(what, "raise") == 0) {
		if (setjmp(env) == 0)
			fn_jumps(1);
		fn_jumps(0);
	} else {
		fprintf(stderr, "calls FILE once|threads|fork|vfork|exec N\n");
		return 2;
	}
	write_counts(argv[1]);
	return 0;
}
