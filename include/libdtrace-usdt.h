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
 * `name` is the provider's without the number of the process: a name of C of
 * at most 53 characters, without a digit at the end.  `module` is what dtrace
 * shows as the probes' module: at most 63 characters, no spaces and no colons.
 * Both are copied.  NULL: one of them is no such name (EINVAL).
 *
 * Functions of this library end the program when there is no memory for what
 * they keep.
 */
struct dtrace_usdt_provider *dtrace_usdt_provider(
    const char *name, const char *module);

/*
 * Add a probe, before the provider is enabled.  `function` is as a module's
 * name; `name` has at most 63 letters, digits, underscores and dashes.  `types`
 * are the C types of the arguments ("int", "char *", "uint64_t"), of at most
 * 127 characters; they are copied.  The probe lives as long as the provider.
 * NULL: a name or a type is none (EINVAL), the provider is enabled already
 * (EBUSY), or there are more than DTRACE_USDT_MAXARGS arguments (E2BIG).
 */
struct dtrace_usdt_probe *dtrace_usdt_probe(struct dtrace_usdt_provider *p,
    const char *function, const char *name, int nargs,
    const char *const *types);

/*
 * Show the probes to dtrace.  0, or -1: there are none (ENOENT), this process
 * may not map memory that can be executed (EPERM, EACCES), there is no memory
 * to map (ENOMEM), or too many files are open (EMFILE, ENFILE).
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
 * other code than a site has (ENOEXEC), it cannot be written to (EPERM,
 * EACCES), /proc is not mounted (ENOENT), there is no memory to map near a site
 * (ENOMEM), or too many files are open (EMFILE, ENFILE).  Nothing is changed
 * then.
 */
int dtrace_usdt_add_dof(const void *dof, const char *module, uint64_t base);
/* The sites are as they were.  0, or -1: there is no such number (ESRCH). */
int dtrace_usdt_remove_dof(int number);

#ifdef __cplusplus
}
#endif

#endif
