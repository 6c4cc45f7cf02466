/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Run a command as containers did for long: system calls by which one process
 * looks into another are refused (EPERM), or one that their filter does not
 * know.
 *
 *	confined ptrace|readv|both|CALL COMMAND ...
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

static const struct what {
	const char *name;
	unsigned calls[3];
} whats[] = {
	{ "ptrace", { SYS_ptrace, SYS_ptrace, SYS_ptrace } },
	{ "readv", { SYS_process_vm_readv, SYS_process_vm_readv,
		       SYS_process_vm_writev } },
	{ "both", { SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev } },
	/* of what docker and podman forbid by default, what we would call */
	{ "container", { SYS_bpf, SYS_perf_event_open, SYS_pidfd_getfd } },
	{ "bpf", { SYS_bpf, SYS_bpf, SYS_bpf } },
	{ "memfd", { SYS_memfd_create, SYS_memfd_create, SYS_memfd_create } },
	{ "pidfd", { SYS_pidfd_open, SYS_pidfd_open, SYS_pidfd_open } },
	{ "time", { SYS_time, SYS_time, SYS_time } },
	{ "sigaltstack", { SYS_sigaltstack, SYS_sigaltstack, SYS_sigaltstack } },
	{ "faccessat2", { SYS_faccessat2, SYS_faccessat2, SYS_faccessat2 } },
	{ "fgetxattr", { SYS_fgetxattr, SYS_fgetxattr, SYS_fgetxattr } },
};

static const struct what *
find_what(const char *name)
{
	for (size_t i = 0; i < sizeof(whats) / sizeof(whats[0]); i++) {
		if (strcmp(name, whats[i].name) == 0)
			return &whats[i];
	}
	return NULL;
}

int
main(int argc, char **argv)
{
	const struct what *w = argc > 2 ? find_what(argv[1]) : NULL;

	if (w == NULL) {
		fprintf(stderr,
		    "usage: confined ptrace|readv|both|CALL COMMAND\n");
		return 2;
	}
	if (confine(w->calls[0], w->calls[1], w->calls[2]) != 0) {
		perror("confined");
		return 1;
	}
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}
