/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Run a command under a seccomp filter, as containers and services have them.
 *
 *	confined PROFILE COMMAND ...
 *
 * A profile is a row of `profiles`: rules, each of which refuses a system call,
 * or one whose argument has given bits.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RULES_MAX 96

struct rule {
	unsigned call;
	int arg;	   /* argument to check; -1: none */
	unsigned bits, is; /* refused if (arg & bits) == is */
	int err;
	int arg2; /* and (arg2 & bits2) != 0, if bits2 is set */
	unsigned bits2;
};

#define CALL(name)                                                             \
	{                                                                      \
		.call = SYS_##name, .arg = -1, .err = EPERM                    \
	}
/* A call by number, for headers that lack its name. */
#define NUMBER(nr)                                                             \
	{                                                                      \
		.call = (nr), .arg = -1, .err = EPERM                          \
	}
#define BITS(name, n, mask, value)                                             \
	{                                                                      \
		.call = SYS_##name, .arg = (n), .bits = (mask), .is = (value), \
		.err = EPERM                                                   \
	}
#define NRULES(rules) (sizeof(rules) / sizeof((rules)[0]))

/* ---- profiles ------------------------------------------------------------ */

/*
 * System calls that docker's default profile (moby/profiles/seccomp) forbids in
 * a container without added capabilities.  SYS_PTRACE would allow the last two.
 */
static const struct rule docker[] = {
	CALL(acct),
	CALL(add_key),
	CALL(bpf),
	CALL(clock_adjtime),
	CALL(clock_settime),
	CALL(delete_module),
	CALL(fanotify_init),
	CALL(finit_module),
	CALL(fsconfig),
	CALL(fsmount),
	CALL(fsopen),
	CALL(fspick),
	CALL(get_mempolicy),
	CALL(init_module),
	CALL(ioperm),
	CALL(iopl),
	CALL(io_uring_enter),
	CALL(io_uring_register),
	CALL(io_uring_setup),
	CALL(kexec_file_load),
	CALL(kexec_load),
	CALL(keyctl),
	CALL(lookup_dcookie),
	CALL(mbind),
	CALL(migrate_pages),
	CALL(mount),
	NUMBER(442), /* mount_setattr */
	CALL(move_mount),
	CALL(move_pages),
	CALL(open_by_handle_at),
	CALL(open_tree),
	CALL(perf_event_open),
	CALL(pivot_root),
	CALL(quotactl),
	CALL(reboot),
	CALL(request_key),
	CALL(sethostname),
	CALL(set_mempolicy),
	CALL(setns),
	CALL(settimeofday),
	CALL(swapoff),
	CALL(swapon),
	CALL(syslog),
	CALL(umount2),
	CALL(unshare),
	CALL(userfaultfd),
	CALL(vhangup),
	{ .call = SYS_clone3, .arg = -1, .err = ENOSYS },
	CALL(kcmp),
	CALL(pidfd_getfd),
};
#define NPTRACE 2

/* systemd's MemoryDenyWriteExecute=yes (seccomp_memory_deny_write_execute()) */
static const struct rule services[] = {
	BITS(mmap, 2, PROT_WRITE | PROT_EXEC, PROT_WRITE | PROT_EXEC),
	BITS(mprotect, 2, PROT_EXEC, PROT_EXEC),
	BITS(pkey_mprotect, 2, PROT_EXEC, PROT_EXEC),
	BITS(shmat, 2, SHM_EXEC, SHM_EXEC),
};

/* The possible rules of a security module against code in files that are not on
 * a disk; the kernel's own loader need not obey them. */
static const struct rule memory_files[] = {
	{ .call = SYS_mmap,
	    .arg = 2,
	    .bits = PROT_EXEC,
	    .is = PROT_EXEC,
	    .err = EACCES,
	    .arg2 = 3,
	    .bits2 = MAP_SHARED },
};

static const struct rule ptrace_rule[] = { CALL(ptrace) };
static const struct rule readv[] = { CALL(process_vm_readv),
	CALL(process_vm_writev) };
static const struct rule both[] = { CALL(ptrace), CALL(process_vm_readv),
	CALL(process_vm_writev) };
static const struct rule old_docker[] = { CALL(bpf), CALL(perf_event_open),
	CALL(process_vm_readv) };
static const struct rule bpf[] = { CALL(bpf) };
static const struct rule memfd[] = { CALL(memfd_create) };
static const struct rule pidfd[] = { CALL(pidfd_open) };
static const struct rule time_rule[] = { CALL(time) };
static const struct rule stacks[] = { CALL(sigaltstack) };
static const struct rule faccess[] = { CALL(faccessat2) };
static const struct rule xattr[] = { CALL(fgetxattr) };

static const struct profile {
	const char *name;
	const struct rule *rules;
	size_t n;
} profiles[] = {
	{ "docker", docker, NRULES(docker) },
	{ "docker-ptrace", docker, NRULES(docker) - NPTRACE },
	{ "docker-old", old_docker, NRULES(old_docker) },
	{ "services", services, NRULES(services) },
	{ "memory-files", memory_files, NRULES(memory_files) },
	{ "ptrace", ptrace_rule, NRULES(ptrace_rule) },
	{ "readv", readv, NRULES(readv) },
	{ "both", both, NRULES(both) },
	{ "bpf", bpf, NRULES(bpf) },
	{ "memfd", memfd, NRULES(memfd) },
	{ "pidfd", pidfd, NRULES(pidfd) },
	{ "time", time_rule, NRULES(time_rule) },
	{ "sigaltstack", stacks, NRULES(stacks) },
	{ "faccessat2", faccess, NRULES(faccess) },
	{ "fgetxattr", xattr, NRULES(xattr) },
};

/* ---- the filter ---------------------------------------------------------- */

struct filter {
	struct sock_filter v[RULES_MAX * 9];
	unsigned short n;
};

#define ADD(f, insn) ((f)->v[(f)->n++] = (struct sock_filter)insn)
#define LOAD(f, member)                                                        \
	ADD(f,                                                                 \
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS,                                 \
		(unsigned)offsetof(struct seccomp_data, member)))

/* Check bits of an argument; if the rule does not apply, jump behind it, over
 * `rest` more instructions. */
static void
add_bits(struct filter *f, int arg, unsigned bits, unsigned is, bool is_not,
    unsigned char rest)
{
	LOAD(f, args[0]);
	f->v[f->n - 1].k += 8 * (unsigned)arg;
	ADD(f, BPF_STMT(BPF_ALU | BPF_AND | BPF_K, bits));
	if (is_not)
		ADD(f, BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, is, rest, 0));
	else
		ADD(f, BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, is, 0, rest));
}

static void
add_rule(struct filter *f, const struct rule *r)
{
	unsigned char second = r->bits2 != 0 ? 3 : 0;
	unsigned char first = r->arg >= 0 ? 3 : 0;

	LOAD(f, nr);
	ADD(f,
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, r->call, 0,
		(unsigned char)(first + second + 1)));
	if (first != 0)
		add_bits(f, r->arg, r->bits, r->is, false,
		    (unsigned char)(second + 1));
	if (second != 0)
		add_bits(f, r->arg2, r->bits2, 0, true, 1);
	ADD(f, BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)r->err));
}

static int
confine(const struct profile *p)
{
	static struct filter f;
	struct sock_fprog prog = { .filter = f.v };

	for (size_t i = 0; i < p->n; i++)
		add_rule(&f, &p->rules[i]);
	ADD(&f, BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
	prog.len = f.n;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog);
}

static const struct profile *
find_profile(const char *name)
{
	for (size_t i = 0; i < sizeof(profiles) / sizeof(profiles[0]); i++) {
		if (strcmp(name, profiles[i].name) == 0)
			return &profiles[i];
	}
	return NULL;
}

int
main(int argc, char **argv)
{
	const struct profile *p = argc > 2 ? find_profile(argv[1]) : NULL;

	if (p == NULL) {
		fprintf(stderr, "usage: confined PROFILE COMMAND ...\n");
		return 2;
	}
	if (confine(p) != 0) {
		perror("confined");
		return 1;
	}
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}
