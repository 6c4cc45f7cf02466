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
 * finds those of <sys/sdt.h>; no other process is needed.  A probe that is not
 * traced costs one read of memory.
 *
 * Until a provider is enabled, only one thread at a time may use it.  Probes
 * may fire in all threads, and in signal handlers.  Functions that fail set
 * errno.
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
 * Create a provider.  `name` is its name without the process's number: a C name
 * of at most 53 characters that does not end in a digit.  `module` is shown by
 * dtrace as the probes' module: at most 63 characters, no spaces and no colons.
 * Both are copied.  Returns NULL if one of them is invalid (EINVAL).
 *
 * Functions of this library end the program if they have no memory for their
 * tables.
 */
struct dtrace_usdt_provider *dtrace_usdt_provider(
    const char *name, const char *module);

/*
 * Add a probe, before the provider is enabled.  `function` follows the rules of
 * a module's name; `name` has at most 63 letters, digits, underscores and
 * dashes.  `types` are the C types of the arguments ("int", "char *",
 * "uint64_t"), of at most 127 characters; they are copied.  The probe lives as
 * long as the provider.  Returns NULL if a name or a type is invalid (EINVAL),
 * the provider is enabled already (EBUSY), or there are more than
 * DTRACE_USDT_MAXARGS arguments (E2BIG).
 */
struct dtrace_usdt_probe *dtrace_usdt_probe(struct dtrace_usdt_provider *p,
    const char *function, const char *name, int nargs,
    const char *const *types);

/*
 * Show the probes to dtrace.  Returns 0, or -1: there are no probes (ENOENT),
 * this process may not map executable memory (EPERM, EACCES), there is no
 * memory to map (ENOMEM), or too many files are open (EMFILE, ENFILE).
 */
int dtrace_usdt_enable(struct dtrace_usdt_provider *p);

/*
 * Remove the probes and free the provider: its probes must not be fired from
 * now on.  `p` may be NULL.
 */
void dtrace_usdt_destroy(struct dtrace_usdt_provider *p);

static inline int
dtrace_usdt_is_enabled(const struct dtrace_usdt_probe *probe)
{
	return probe->dtu_semaphore != 0 && *probe->dtu_semaphore != 0;
}

/*
 * Fire a probe; `args` has as many as the probe.  Does nothing if the probe is
 * not traced.
 */
void dtrace_usdt_fire(
    const struct dtrace_usdt_probe *probe, const uintptr_t *args);

/* ---- DOF ----------------------------------------------------------------- */

/*
 * Add probes that DOF in memory describes, as libusdt and the start-up code of
 * other systems' `dtrace -G` make it for their kernels: the DOF's sites are
 * overwritten with jumps to sites that dtrace finds.  No thread may be at a
 * site meanwhile.
 *
 * `dof` may be freed afterwards.  `base` is the load address of the DOF's
 * object (dofhp_addr).  Returns a number for dtrace_usdt_remove_dof(), or -1:
 * the DOF is damaged (EINVAL), the code at a site is not a site's (ENOEXEC), it
 * cannot be written to (EPERM, EACCES), /proc is not mounted (ENOENT), there is
 * no memory to map near a site (ENOMEM), or too many files are open (EMFILE,
 * ENFILE).  Nothing is changed then.
 */
int dtrace_usdt_add_dof(const void *dof, const char *module, uint64_t base);
/* Restore the sites. Returns 0, or -1: the number is unknown (ESRCH). */
int dtrace_usdt_remove_dof(int number);

#ifdef __cplusplus
}
#endif

#endif
