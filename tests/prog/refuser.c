/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A library, loaded before all others (LD_PRELOAD), that stands for a kernel
 * which puts no probes on the functions $REFUSED (names, each between spaces):
 * it refuses multi-kprobes and kprobes that have one of them.  It has no
 * trampolines (fentry, fexit).
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* union bpf_attr of BPF_LINK_CREATE, with kprobe_multi (Linux 5.18) */
struct multi {
	uint32_t prog, target, type, flags;
	uint32_t multi_flags, n;
	uint64_t names, addrs;
};
#define KPROBE_MULTI 42 /* BPF_TRACE_KPROBE_MULTI */
#define MOST 8

static uint64_t refused[MOST];
static size_t nrefused;

static __attribute__((constructor)) void
find_refused(void)
{
	const char *names = getenv("REFUSED");
	FILE *f = fopen("/proc/kallsyms", "re");
	unsigned long long addr;
	char name[256], word[260];

	while (names != NULL && f != NULL && nrefused < MOST &&
	    fscanf(f, "%llx %*c %255s%*[^\n]", &addr, name) == 2) {
		snprintf(word, sizeof(word), " %s ", name);
		if (strstr(names, word) != NULL)
			refused[nrefused++] = addr;
	}
	if (f != NULL)
		fclose(f);
}

static bool
is_refused(uint64_t addr)
{
	for (size_t i = 0; i < nrefused; i++) {
		if (refused[i] == addr)
			return true;
	}
	return false;
}

/* The error of a call; 0: it is carried out. */
static int
error_of(long nr, const long *args)
{
	const struct multi *m = (const struct multi *)args[1];
	const struct perf_event_attr *e =
	    (const struct perf_event_attr *)args[0];

	if (nr == SYS_perf_event_open)
		return e->kprobe_addr != 0 && is_refused(e->kprobe_addr) ?
		    EINVAL :
		    0;
	if (nr != SYS_bpf || args[0] != BPF_LINK_CREATE)
		return 0;
	/* libbpf tries again after EINVAL */
	if (m->type == BPF_TRACE_FENTRY || m->type == BPF_TRACE_FEXIT)
		return EOPNOTSUPP;
	if (m->type != KPROBE_MULTI || m->addrs == 0)
		return 0;
	for (uint32_t i = 0; i < m->n; i++) {
		if (is_refused(((const uint64_t *)m->addrs)[i]))
			return EINVAL;
	}
	return 0;
}

long
syscall(long nr, ...)
{
	static __typeof__(&syscall) real;
	long args[6];
	va_list ap;
	int error;

	va_start(ap, nr);
	for (size_t i = 0; i < 6; i++)
		args[i] = va_arg(ap, long);
	va_end(ap);
	error = error_of(nr, args);
	if (error != 0) {
		errno = error;
		return -1;
	}
	if (real == NULL)
		real = dlsym(RTLD_NEXT, "syscall");
	return real(nr, args[0], args[1], args[2], args[3], args[4], args[5]);
}
