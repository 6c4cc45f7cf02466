/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LIBDTRACE_USDT_H
#define LIBDTRACE_USDT_H

/*
 * Probes that a program makes while it runs: libdtrace-usdt.
 *
 *	p = dtrace_usdt_provider("myserver", "plugin.so");
 *	t[0] = "char *"; t[1] = "int";
 *	done = dtrace_usdt_probe(p, "query", "query-done", 2, t);
 *	dtrace_usdt_enable(p);
 *	...
 *	if (dtrace_usdt_is_enabled(done))
 *		dtrace_usdt_fire(done, args);
 *
 * dtrace finds the probe as myserver<pid>:plugin.so:query:query-done, as it
 * finds those of <sys/sdt.h>: nothing else has to run.  A probe that nobody
 * traces costs the look at a word of memory.
 *
 * A provider is for one thread at a time until it is enabled.  Probes may fire
 * in all threads, and in signal handlers.  Functions that fail say why by
 * errno, too.
 */
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DTRACE_USDT_MAXARGS 12

struct dtrace_usdt_provider;

struct dtrace_usdt_probe {
	/* not 0 while the probe is traced; NULL before it is enabled */
	const volatile unsigned short *dtu_semaphore;
	void (*dtu_site)(void);
	int dtu_nargs;
};

/*
 * `name` is the provider's without the number of the process, `module` what
 * dtrace shows as the probes' module.  Both are copied.  NULL: a name is empty
 * or too long (63 characters), or has characters that no name has (EINVAL), or
 * there is no memory (ENOMEM).
 */
struct dtrace_usdt_provider *dtrace_usdt_provider(
    const char *name, const char *module);

/*
 * Add a probe, before the provider is enabled.  `types` are the C types of the
 * arguments ("int", "char *", "uint64_t"); they are copied.  It lives as long
 * as the provider.  NULL: as above, or the provider is enabled already (EBUSY),
 * or there are more than DTRACE_USDT_MAXARGS arguments (E2BIG).
 */
struct dtrace_usdt_probe *dtrace_usdt_probe(struct dtrace_usdt_provider *p,
    const char *function, const char *name, int nargs,
    const char *const *types);

/*
 * Show the probes to dtrace.  0, or -1: there are none (ENOENT), or this
 * process may not map memory that can be executed (EPERM, EACCES), or there is
 * none (ENOMEM).
 */
int dtrace_usdt_enable(struct dtrace_usdt_provider *p);

/* The probes are there no more: nothing may fire one from now on.  `p` may be
 * NULL. */
void dtrace_usdt_destroy(struct dtrace_usdt_provider *p);

static inline int
dtrace_usdt_is_enabled(const struct dtrace_usdt_probe *probe)
{
	return probe->dtu_semaphore != 0 && *probe->dtu_semaphore != 0;
}

/* Fire; `args` are as many as the probe has.  It does nothing if the probe is
 * not traced. */
void dtrace_usdt_fire(
    const struct dtrace_usdt_probe *probe, const uintptr_t *args);

/* ---- DOF ----------------------------------------------------------------- */

/*
 * Probes that something else describes by DOF in memory, as libusdt and the
 * start-up code of other systems' `dtrace -G` do for their kernels: the sites
 * that the DOF names are overwritten, with jumps to sites that dtrace finds. No
 * thread may be at a site meanwhile.
 *
 * `dof` is not needed any more afterwards.  `base` is where the object is
 * loaded that the DOF is for (dofhp_addr).  Returns a number for
 * dtrace_usdt_remove_dof(), or -1: the DOF is damaged (EINVAL), a site has
 * other code than a site has (ENOEXEC), it cannot be written to (EACCES), /proc
 * is not mounted (ENOENT), or memory as above.  Nothing is changed then.
 */
int dtrace_usdt_add_dof(const void *dof, const char *module, uint64_t base);
/* The sites are as they were.  0, or -1: there is no such number (ESRCH). */
int dtrace_usdt_remove_dof(int number);

#ifdef __cplusplus
}
#endif

#endif
