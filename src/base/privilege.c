/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/privilege.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"

#define MAX_CAPS 2

static const struct {
	int caps[MAX_CAPS]; /* -1: none */
} privileges[] = {
#define PRIVILEGE(NAME, a, b) [DT_PRIV_##NAME] = { { a, b } },
#include "base/privileges.def"
#undef PRIVILEGE
};

/* The name of a capability in the table. */
static const char *
cap_name(int cap)
{
	switch (cap) {
	case CAP_SYS_PTRACE:
		return "CAP_SYS_PTRACE";
	case CAP_BPF:
		return "CAP_BPF";
	case CAP_PERFMON:
		return "CAP_PERFMON";
	case CAP_SYS_ADMIN:
		return "CAP_SYS_ADMIN";
	default:
		return "?";
	}
}

/* The effective capabilities, a bit each; all if the kernel does not tell. */
static uint64_t
effective_caps(void)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3] = { 0 };

	if (syscall(SYS_capget, &head, caps) != 0)
		return UINT64_MAX;
	return caps[0].effective | (uint64_t)caps[1].effective << 32;
}

/*
 * Newer capabilities were split off CAP_SYS_ADMIN, which still includes them.
 */
static bool
stands_for(uint64_t have, int cap)
{
	return (have >> cap & 1) != 0 ||
	    (cap != CAP_SYS_PTRACE && (have >> CAP_SYS_ADMIN & 1) != 0);
}

bool
dt_privilege_has(enum dt_privilege p)
{
	uint64_t have = effective_caps();

	for (size_t i = 0; i < MAX_CAPS; i++) {
		int cap = privileges[p].caps[i];

		if (cap >= 0 && !stands_for(have, cap))
			return false;
	}
	return true;
}

char *
dt_privilege_refusal(enum dt_privilege p, const char *what)
{
	uint64_t have = dt_privilege_has(p) ? 0 : effective_caps();
	struct strbuf caps = { 0 };
	unsigned n = 0;
	char *text;

	for (size_t i = 0; i < MAX_CAPS; i++) {
		int cap = privileges[p].caps[i];

		if (cap >= 0 && !stands_for(have, cap))
			strbuf_printf(&caps, "%s%s", n++ != 0 ? " and " : "",
			    cap_name(cap));
	}
	text = mem_printf("%s needs the %s %s, which %s missing", what,
	    n == 1 ? "capability" : "capabilities", caps.s,
	    n == 1 ? "is" : "are");
	strbuf_fini(&caps);
	return text;
}

/* ---- the kernel ---------------------------------------------------------- */

/*
 * Is this a user namespace, whose ids differ from those outside
 * (user_namespaces(7))?
 */
static bool
in_user_namespace(void)
{
	static const char all[] = "         0          0 4294967295\n";
	int fd = open("/proc/self/uid_map", O_RDONLY | O_CLOEXEC);
	char map[sizeof(all)];
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, map, sizeof(map));
	close(fd);
	return n != sizeof(all) - 1 || memcmp(map, all, sizeof(all) - 1) != 0;
}

char *
dt_bpf_refusal(void)
{
	if (!dt_privilege_has(DT_PRIV_KERNEL))
		return NULL;
	if (in_user_namespace())
		return mem_strdup("dtrace may not call bpf(): the capabilities "
				  "that it has are those of a user namespace, "
				  "and mean nothing in the kernel; run dtrace "
				  "outside of it");
	if (prctl(PR_GET_SECCOMP) == SECCOMP_MODE_FILTER)
		return mem_strdup("dtrace may not call bpf(): a seccomp "
				  "filter, as containers have, forbids it; "
				  "give the container the capabilities BPF and "
				  "PERFMON, or another seccomp profile");
	return mem_strdup("dtrace may not call bpf(): a security module "
			  "forbids it (/sys/kernel/security/lsm lists them)");
}

/* ---- other processes ---------------------------------------------------- */

#define YAMA "/proc/sys/kernel/yama/ptrace_scope"

/* Filters and security modules answer so; the calls themselves do not. */
static bool
is_forbidden(long rc)
{
	return rc < 0 && (errno == EPERM || errno == EACCES || errno == ENOSYS);
}

/*
 * The first call that is forbidden; they are tried with arguments that do
 * nothing.
 */
static const char *
forbidden_call(void)
{
	if (is_forbidden(ptrace(PTRACE_SEIZE, INT_MAX, NULL, NULL)))
		return "ptrace";
	if (is_forbidden(process_vm_readv(getpid(), NULL, 0, NULL, 0, 0)))
		return "process_vm_readv";
	if (is_forbidden(process_vm_writev(getpid(), NULL, 0, NULL, 0, 0)))
		return "process_vm_writev";
	if (is_forbidden(syscall(SYS_pidfd_open, -1, 0)))
		return "pidfd_open";
	if (is_forbidden(syscall(SYS_pidfd_getfd, -1, 0, 0)))
		return "pidfd_getfd";
	if (is_forbidden(syscall(SYS_memfd_create, NULL, 0)))
		return "memfd_create";
	return NULL;
}

/* '0' without Yama. */
static char
yama_scope(void)
{
	int fd = open(YAMA, O_RDONLY | O_CLOEXEC);
	char scope = '0';

	if (fd >= 0) {
		if (read(fd, &scope, 1) != 1)
			scope = '0';
		close(fd);
	}
	return scope;
}

char *
dt_privilege_calls(void)
{
	const char *call = forbidden_call();

	if (call == NULL)
		return NULL;
	return mem_printf("dtrace may not call %s(): a seccomp filter, as "
			  "containers have, forbids it; give the container the "
			  "capability SYS_PTRACE, or another seccomp profile",
	    call);
}

char *
dt_ptrace_refusal(bool is_child)
{
	char *why = dt_privilege_calls(), scope = yama_scope();

	if (why != NULL)
		return why;
	if (scope == '1' && !is_child)
		return mem_strdup(
		    YAMA " is 1, so only processes that dtrace "
			 "starts can be traced: start the program "
			 "with -c, run dtrace with sudo, or set "
			 "it to 0");
	if (scope == '2')
		return mem_strdup(YAMA " is 2, so only root can trace "
				       "processes: run dtrace with sudo, or "
				       "set it to 1, which is enough for -c");
	if (scope == '3')
		return mem_strdup(YAMA " is 3, so nobody can trace processes "
				       "until the next boot");
	return NULL;
}
