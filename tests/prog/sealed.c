/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * 10 calls, then as many with a seccomp filter that ends the program for system
 * calls which it never makes: those by which probes in it read memory, look for
 * their process and wake dtrace.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define CALLS 10
#define KILL(nr)                                                               \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (nr), 0, 1),                       \
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)

int fn_step(const char *s);

__attribute__((noinline)) int
fn_step(const char *s)
{
	__asm__ volatile("" ::: "memory");
	return s[0];
}

static int
seal(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		    offsetof(struct seccomp_data, nr)),
		KILL(SYS_process_vm_readv),
		KILL(SYS_process_vm_writev),
		KILL(SYS_getpid),
		KILL(SYS_futex),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { sizeof(code) / sizeof(code[0]), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog);
}

int
main(void)
{
	char *s = strdup("heap");
	int sum = 0;

	for (int i = 0; i < CALLS; i++)
		sum += fn_step(s);
	if (seal() != 0) {
		perror("sealed: seccomp");
		return 1;
	}
	for (int i = 0; i < CALLS; i++)
		sum += fn_step(s);
	printf("sum %d\n", sum);
	free(s);
	return 0;
}
