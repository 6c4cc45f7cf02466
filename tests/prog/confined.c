/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Run a command as containers did for long: system calls by which one process
 * looks into another are refused (EPERM).
 *
 *	confined ptrace|readv|both COMMAND ...
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REFUSE(nr)                                                             \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (nr), 0, 1),                       \
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)

static int
confine(unsigned first, unsigned second, unsigned third)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		    offsetof(struct seccomp_data, nr)),
		REFUSE(first),
		REFUSE(second),
		REFUSE(third),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { sizeof(code) / sizeof(code[0]), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog);
}

int
main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";
	unsigned trace = SYS_ptrace, readv = SYS_process_vm_readv,
		 writev = SYS_process_vm_writev;

	if (strcmp(what, "ptrace") == 0)
		readv = writev = trace;
	else if (strcmp(what, "readv") == 0)
		trace = readv;
	else if (strcmp(what, "both") != 0) {
		fprintf(stderr, "usage: confined ptrace|readv|both COMMAND\n");
		return 2;
	}
	if (confine(trace, readv, writev) != 0) {
		perror("confined");
		return 1;
	}
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}
