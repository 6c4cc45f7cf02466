/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_BPF_ATTACH_H
#define EXEC_BPF_ATTACH_H

/*
 * How the kernel reaches probes: by the kind of the probe, what programs run as
 * and what attaches them.  A provider says where a probe is; the rest is here.
 *
 *	attach_rawtp.c	system calls, tracepoints: raw tracepoints
 *	attach_perf.c	clocks, counters: perf events
 *	attach_fbt.c	functions of the kernel: trampolines, kprobes
 *	attach_uprobe.c	places in programs: uprobes
 */
#include "exec/bpf/tr.h"
#include "provider/provider.h"

struct bx_places;
struct refusals;

/* File descriptors whose closing disarms. */
struct bx_fds {
	VEC(int) fds;
	VEC(uint32_t) cpus;	/* perf events: what CPU each is on */
};
/* Close all of `fds`, and forget them. */
void bx_fds_close(struct bx_fds *fds);

/*
 * Probes to arm with one loaded program.  The attachment's cookie tells the
 * program which probe fired: probes[i] has the cookie first_cookie + i.  A
 * program without cookies (the kernel has none for this kind of attachment, or
 * the program does not ask) knows its only probe.
 */
struct bx_arming {
	enum bx_context ctx;
	const struct dt_probe *const *probes;
	size_t n;
	uint64_t first_cookie;
	bool has_cookies;
	int prog_fd;
	/* Perf events: on this CPU only; NULL: on all CPUs that are online. */
	const uint32_t *only_cpu;
	/* A place that cannot be armed is noted here, and the others are armed.
	 * NULL: such a place is an error. */
	struct refusals *refused;
	struct bx_places *places; /* site.h */
};

struct bx_attach {
	/* What programs for probes of this kind run as. */
	enum bx_context ctx;
	/* Instead of that, by all probes of a group.  NULL: always `ctx`. */
	enum bx_context (*choose)(const struct dt_probe *const *probes,
	    size_t n);
	/* Contexts with a program per target: the function or tracepoint, as
	 * the BTF of vmlinux counts; 0: vmlinux has none such. */
	uint32_t (*target)(const struct dt_probe *p);
	/*
	 * Arm probes of one group.  Appends the file descriptors to close for
	 * disarming to *fds, also when it fails.  Closing perf events waits for
	 * a grace period each: thousands of probes need links in bulk.  Returns
	 * 0, or -errno with a message in *msg (malloced).  NULL: dtrace runs the
	 * program itself, or there is none.
	 */
	int (*arm)(const struct bx_arming *a, struct bx_fds *fds, char **msg);
};
const struct bx_attach *bx_attach(enum dt_probe_kind kind);

/* To follow strerror(err) in a message: what is missing where the kernel does
 * not permit something; else "". */
const char *bx_needs(int err);
/* The type of perf events of a source ("uprobe"); -1: there is no such one. */
int bx_event_type(const char *source);

/* attach_rawtp.c */
int bx_arm_calls(const struct bx_arming *a, struct bx_fds *fds, char **msg);
int bx_arm_tracepoints(const struct bx_arming *a, struct bx_fds *fds,
    char **msg);

/*
 * attach_perf.c: an event on each CPU, which runs the program each period.  All
 * are started once all are open, so that they run in step.
 */
int bx_arm_clock(const struct bx_arming *a, struct bx_fds *fds, char **msg);
int bx_arm_counter(const struct bx_arming *a, struct bx_fds *fds, char **msg);

/* attach_fbt.c */
enum bx_context bx_choose_kfuncs(const struct dt_probe *const *probes,
    size_t n);
int bx_arm_kfuncs(const struct bx_arming *a, struct bx_fds *fds, char **msg);
bool bx_has_kprobes(void);

/* attach.c: struct dt_exec_ops.can_arm */
bool bx_can_arm(enum dt_probe_kind kind, const struct dt_code_place *at);

/*
 * attach_uprobe.c.  Does the kernel arm many at once (since 6.6; filtering
 * processes right since 6.10)?  Found by trying, once.  Programs are then
 * loaded for this attach type.
 */
bool bx_uprobe_has_multi(void);
#define BX_UPROBE_MULTI 48 /* BPF_TRACE_UPROBE_MULTI, <linux/bpf.h> of 6.6 */
/* Can the kernel tell programs that ask (dt_usite.is_enabled) yes?  Elsewhere
 * usdt_is_enabled.c has to. */
bool bx_uprobe_can_answer(void);
int bx_arm_uprobes(const struct bx_arming *a, struct bx_fds *fds, char **msg);

#endif
