/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * shallow: threads at the end of their stacks.
 *
 *	shallow left FIRST LAST		call shallow_step() with half of a
 *					stack left, then with so many bytes, by
 *					eights, each in a new thread
 *	shallow overflow BYTES		recurse until the stack is used up
 *	shallow handler LEFT		handle a signal on a stack of its own
 *					that has so much left
 *	shallow coroutines ROUNDS	change between stacks of three pages
 *	shallow children FIRST LAST	fork with so many bytes left, by 32s
 *
 * Each prints what it did, and exits with 1 if a word of other memory was
 * changed.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define PAGE 4096
#define STACK (8 * PAGE)
#define CANARY 0x5a

/* A leaf without a frame, all of whose instructions can be displaced.  Behind
 * its ret there is space for a jump, wherever trampolines are. */
long shallow_step(const char *text, long n);
__asm__(".text\n"
	".globl shallow_step\n"
	".type shallow_step,@function\n"
	"shallow_step:\n"
	"	lea 1(%rsi),%rax\n"
	"	cmp %rax,%rsi\n"
	"	nopl 0(%rax,%rax)\n"
	"	jne 1f\n"
	"	xor %eax,%eax\n"
	"1:	ret\n"
	".size shallow_step,.-shallow_step\n"
	".skip 16,0x90\n");

/* Call it with the stack pointer at sp. */
static long
step_at(uint8_t *sp, long n)
{
	long result;

	__asm__ volatile(
	    "mov %%rsp,%%rbx\n\t"
	    "mov %3,%%rsp\n\t"
	    "call shallow_step\n\t"
	    "mov %%rbx,%%rsp"
	    : "=a"(result)
	    : "D"("a,b,c"), "S"(n), "r"(sp)
	    : "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "memory", "cc");
	return result;
}

static uint8_t *
new_stack(void)
{
	uint8_t *p = mmap(NULL, STACK + PAGE, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || mprotect(p, PAGE, PROT_NONE) != 0)
		exit(2);
	return p + PAGE;
}

/* ---- little left -------------------------------------------------------- */

static uint8_t *low;

static void *
step_with(void *arg)
{
	long left = (long)(intptr_t)arg;
	long calls = step_at(low + STACK / 2, 0);

	return (void *)(intptr_t)(calls + step_at(low + left, left) - left);
}

static int
leave(long first, long last)
{
	long calls = 0;

	for (long left = first; left <= last; left += 8) {
		pthread_attr_t attr;
		pthread_t thread;
		void *result = NULL;

		low = new_stack();
		pthread_attr_init(&attr);
		pthread_attr_setstack(&attr, low, STACK);
		if (pthread_create(&thread, &attr, step_with,
			(void *)(intptr_t)left) != 0 ||
		    pthread_join(thread, &result) != 0)
			return 2;
		munmap(low - PAGE, STACK + PAGE);
		calls += (long)(intptr_t)result;
	}
	printf("calls %ld\n", calls);
	return 0;
}

/* ---- overflow ----------------------------------------------------------- */

static volatile long depth;
static sigjmp_buf back;

static void
on_overflow(int sig)
{
	(void)sig;
	siglongjmp(back, 1);
}

__attribute__((noipa)) static long
shallow_down(long n)
{
	volatile long here = n;

	if (depth++ < 0)
		return here;
	return shallow_down(n + 1) + here;
}

static void *
overflow_thread(void *arg)
{
	stack_t own = { .ss_sp = malloc(1 << 16), .ss_size = 1 << 16 };
	struct sigaction act = { .sa_handler = on_overflow,
		.sa_flags = SA_ONSTACK };

	(void)arg;
	sigaltstack(&own, NULL);
	sigaction(SIGSEGV, &act, NULL);
	if (sigsetjmp(back, 1) == 0)
		shallow_down(0);
	printf("depth %ld\n", depth);
	depth = 0;
	if (sigsetjmp(back, 1) == 0)
		shallow_down(0);
	printf("again %ld\n", depth);
	own.ss_flags = SS_DISABLE;
	sigaltstack(&own, NULL);
	free(own.ss_sp);
	return NULL;
}

static int
overflow(long size)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, (size_t)size);
	if (pthread_create(&thread, &attr, overflow_thread, NULL) != 0 ||
	    pthread_join(thread, NULL) != 0)
		return 2;
	return 0;
}

/* ---- a handler's own stack ---------------------------------------------- */

static volatile long handled;

static void
on_signal(int sig)
{
	(void)sig;
	handled += shallow_step("a,b,c", 0);
}

/* Handle a signal on a stack with room for the kernel's frame and `left`
 * bytes. */
static int
handle(long left)
{
	size_t size = getauxval(AT_MINSIGSTKSZ) + (size_t)left;
	uint8_t *memory = malloc(size + 2 * PAGE);
	stack_t own = { .ss_size = size };
	struct sigaction act = { .sa_handler = on_signal,
		.sa_flags = SA_ONSTACK };
	int changed = 0;

	if (memory == NULL)
		return 2;
	memset(memory, CANARY, size + 2 * PAGE);
	/* the handler's frame is in the middle of a page */
	own.ss_sp = (void *)((((uintptr_t)memory + size + PAGE) &
				 ~(uintptr_t)(PAGE - 1)) +
	    PAGE / 2 - size + 512);
	sigaltstack(&own, NULL);
	sigaction(SIGUSR1, &act, NULL);
	for (int i = 0; i < 100; i++)
		raise(SIGUSR1);
	for (const uint8_t *p = memory; p < (uint8_t *)own.ss_sp; p++)
		changed += *p != CANARY;
	printf("handled %ld changed %d\n", handled, changed);
	return changed != 0;
}

/* ---- coroutines --------------------------------------------------------- */

#define NCO 3
static ucontext_t main_context, contexts[NCO];
static uint8_t *stacks[NCO];
static long co_calls;

static void
co_main(int i)
{
	for (;;) {
		co_calls += step_at(stacks[i] + 64 + 512 * i, 0);
		swapcontext(&contexts[i], &main_context);
	}
}

static int
coroutines(long rounds)
{
	co_calls = shallow_step("a,b,c", 0);
	for (int i = 0; i < NCO; i++) {
		stacks[i] = new_stack();
		getcontext(&contexts[i]);
		contexts[i].uc_stack.ss_sp = stacks[i];
		contexts[i].uc_stack.ss_size = STACK;
		makecontext(&contexts[i], (void (*)(void))co_main, 1, i);
	}
	for (long n = 0; n < rounds; n++) {
		for (int i = 0; i < NCO; i++)
			swapcontext(&main_context, &contexts[i]);
	}
	printf("calls %ld\n", co_calls);
	return 0;
}

/* ---- children ----------------------------------------------------------- */

/* fork(); the child exits with 7 at once, without using the stack. */
long shallow_fork(void);
__asm__(".text\n"
	".globl shallow_fork\n"
	".type shallow_fork,@function\n"
	"shallow_fork:\n"
	"	mov $57,%eax\n"
	"	syscall\n"
	"	cmp $0xfffffffffffff000,%rax\n"
	"	ja 1f\n"
	"	test %eax,%eax\n"
	"	jne 1f\n"
	"	mov $7,%edi\n"
	"	mov $231,%eax\n"
	"	syscall\n"
	"	hlt\n"
	"1:	ret\n"
	".size shallow_fork,.-shallow_fork\n");

static long
fork_at(uint8_t *sp)
{
	long pid;

	__asm__ volatile("mov %%rsp,%%rbx\n\t"
			 "mov %1,%%rsp\n\t"
			 "call shallow_fork\n\t"
			 "mov %%rbx,%%rsp"
			 : "=a"(pid)
			 : "r"(sp)
			 : "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10",
			 "r11", "memory", "cc");
	return pid;
}

static int
children(long first, long last)
{
	uint8_t *end = new_stack();
	long n = 0;

	for (long left = first; left <= last; left += 32) {
		long pid = fork_at(end + left);
		int status = 0;

		if (pid < 0 || waitpid((pid_t)pid, &status, 0) != pid)
			return 2;
		n += WIFEXITED(status) && WEXITSTATUS(status) == 7;
	}
	printf("children %ld\n", n);
	return 0;
}

int
main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "left") == 0)
		return leave(atol(argv[2]), atol(argv[3]));
	if (argc == 4 && strcmp(argv[1], "children") == 0)
		return children(atol(argv[2]), atol(argv[3]));
	if (argc == 3 && strcmp(argv[1], "overflow") == 0)
		return overflow(atol(argv[2]));
	if (argc == 3 && strcmp(argv[1], "handler") == 0)
		return handle(atol(argv[2]));
	if (argc == 3 && strcmp(argv[1], "coroutines") == 0)
		return coroutines(atol(argv[2]));
	fprintf(stderr,
	    "usage: shallow left FIRST LAST | overflow BYTES | "
	    "handler LEFT | coroutines ROUNDS | "
	    "children FIRST LAST\n");
	return 2;
}
