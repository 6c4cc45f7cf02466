/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * uprobe [wait]: the cost of a function call, a line "NAME NS" each; with
 * `wait`, the program stays until standard input ends.  The functions differ in
 * the ways of beginning and ending that matter for a probe; many_0 ...
 * many_4999 exist only to be armed.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cost.h"

#define FUNCTION(name, text)                                                   \
	__asm__(".text\n.p2align 4\n.globl " #name "\n.type " #name            \
		", @function\n" #name ":\n" text ".size " #name ", . - " #name \
		"\n");                                                         \
	void name(void)

FUNCTION(f_endbr_push, "endbr64\n push %rbx\n pop %rbx\n ret\n");
FUNCTION(f_push_push, "push %rbp\n push %rbx\n pop %rbx\n pop %rbp\n ret\n");
FUNCTION(f_nop5, ".byte 0x0f, 0x1f, 0x44, 0, 0\n ret\n");
FUNCTION(f_test_jcc, "test %rdi, %rdi\n je 1f\n 1: ret\n");
FUNCTION(f_mov, "mov %rdi, %rsi\n ret\n");

__asm__(".text\n.altmacro\n"
	".macro many n\n.type many_\\n, @function\nmany_\\n:\n push %rbx\n"
	"pop %rbx\n ret\n.size many_\\n, . - many_\\n\n.endm\n"
	".set i, 0\n.rept 5000\nmany %i\n.set i, i + 1\n.endr\n.noaltmacro\n");

static const struct {
	const char *name;
	void (*f)(void);
} functions[] = {
	{ "f_endbr_push", f_endbr_push },
	{ "f_push_push", f_push_push },
	{ "f_nop5", f_nop5 },
	{ "f_test_jcc", f_test_jcc },
	{ "f_mov", f_mov },
};

int
main(int argc, char *argv[])
{
	char c;

	if (argc > 1 && strcmp(argv[1], "wait") == 0) {
		while (read(0, &c, 1) > 0)
			;
		return 0;
	}
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		printf("%s %.0f\n", functions[i].name, cost(functions[i].f));
	return 0;
}
