/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls work(1), then makes a child, which calls work(2), by system calls in
 * functions that dtrace leaves in place: a cancellable call, as glibc 2.41
 * makes it, and fork(2) where musl would have such a call.
 */
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

long cancellable_call(const int *is_canceled, long nr, long arg);
long pinned_fork(void);
void work(int n);

__asm__(".text\n"
	".type cancellable_call, @function\n"
	"cancellable_call:\n"
	"	sub $24, %rsp\n"
	"__syscall_cancel_arch_start:\n"
	"	mov (%rdi), %eax\n"
	"	mov %rdi, %r11\n"
	"	mov %rsi, %rax\n"
	"	mov %rdx, %rdi\n"
	"	mov %r11, 8(%rsp)\n"
	"	syscall\n"
	"__syscall_cancel_arch_end:\n"
	"	add $24, %rsp\n"
	"	ret\n"
	".size cancellable_call, . - cancellable_call\n"
	".type pinned_fork, @function\n"
	"pinned_fork:\n"
	"__cp_begin:\n"
	"	mov $57, %eax\n"
	"	syscall\n"
	"	ret\n"
	".size pinned_fork, . - pinned_fork\n");

/* A jump fits at its beginning. */
__attribute__((noipa)) void
work(int n)
{
	volatile int sum = n;

	sum *= sum + n;
	__asm__ volatile("" : : "r"(sum));
}

int
main(void)
{
	const int is_canceled = 0;
	int status = 1;
	pid_t child;

	work(1);
	cancellable_call(&is_canceled, SYS_getpid, 0);
	child = (pid_t)pinned_fork();
	if (child == 0) {
		work(2);
		_exit(0);
	}
	waitpid(child, &status, 0);
	return status;
}
