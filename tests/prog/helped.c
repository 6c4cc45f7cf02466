/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A small interpreter: its functions are calls of eval(), whose frame says
 * which function it runs; one of them runs a copy of eval()'s code in other
 * memory.
 *
 *	main -> eval "@alpha" -> eval "@beta" -> copy of eval "gamma" -> leaf
 *
 * It calls leaf() `argv[1]` times, with "call" a system call each time, and
 * with "bad" the name of "@beta" is nowhere.  argv[3] is a library to load
 * first.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

struct frame {
	const char *name; /* NULL: the helper cannot read the frame */
	uint32_t line;
	void (*run)(struct frame *);
	void (*next)(struct frame *);
};

/* A frame of eval(): its struct frame is at -8(%rbp), "fram" below it. */
void eval(struct frame *f);
extern const char eval_end[];
__asm__(".text\n"
	".globl eval\n"
	".type eval, @function\n"
	"eval: .cfi_startproc\n"
	"	push %rbp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset 6, -16\n"
	"	mov %rsp, %rbp\n"
	"	.cfi_def_cfa_register 6\n"
	"	push %rdi\n"
	"	push $0x6672616d\n"
	"	call *16(%rdi)\n"
	"	leave\n"
	"	.cfi_def_cfa 7, 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size eval, . - eval\n"
	".globl eval_end\n"
	"eval_end:\n");

static int calls;

void leaf(struct frame *f);
__attribute__((noinline, noclone)) void
leaf(struct frame *f)
{
	__asm__ volatile("" : : "r"(f) : "memory");
	if (calls)
		getppid();
}

static struct frame frames[] = {
	{ .name = "@alpha", .line = 10 },
	{ .name = "@beta", .line = 20 },
	{ .name = "gamma", .line = 30 },
};

static void
run_next(struct frame *f)
{
	f->next(f + 1);
	__asm__ volatile("" : : : "memory"); /* prevents a tail call */
}

/* Code that is in no file. */
static void (*copy_of_eval(void))(struct frame *)
{
	size_t len = (size_t)(eval_end - (const char *)(uintptr_t)eval);
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		exit(1);
	memcpy(p, (const void *)(uintptr_t)eval, len);
	return (void (*)(struct frame *))(uintptr_t)p;
}

int
main(int argc, char **argv)
{
	int times = argc > 1 ? atoi(argv[1]) : 1;

	frames[0].run = frames[1].run = run_next;
	frames[0].next = eval;
	frames[1].next = copy_of_eval();
	frames[2].run = leaf;
	/* BPF programs only read names that are in memory */
	for (size_t i = 0; i < 3; i++)
		(void)*(const volatile char *)frames[i].name;
	if (argc > 3 && dlopen(argv[3], RTLD_NOW) == NULL)
		return 1;
	calls = argc > 2 && strcmp(argv[2], "call") == 0;
	if (argc > 2 && strcmp(argv[2], "bad") == 0)
		frames[1].name = NULL;
	for (int i = 0; i < times; i++) {
		eval(&frames[0]);
		if (calls)
			nanosleep(
			    &(struct timespec){ .tv_nsec = 100000 }, NULL);
	}
	return 0;
}
