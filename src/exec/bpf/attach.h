/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_BPF_ATTACH_H
#define EXEC_BPF_ATTACH_H

/*
 * The ways by which the kernel reaches probes: for each kind of probe, the kind
 * of its programs and the function that attaches them.  A provider only says
 * where a probe is.
 *
 *	attach_rawtp.c	system calls, tracepoints: raw tracepoints
 *	attach_perf.c	clocks, counters: perf events
 *	attach_fbt.c	functions of the kernel: trampolines, kprobes
 *	attach_uprobe.c	places in programs: uprobes
 */
#include "base/err.h"
#include "base/vec.h"
#include "exec/bpf/tr.h"
#include "provider/provider.h"

struct bx_places;
struct refusals;

#define BX_SMALL_LINK 128

/* File descriptors of attachments: closing them disarms. */
struct bx_fds {
	VEC(int) fds;
	VEC(uint32_t) cpus; /* the CPU of each perf event */
	VEC(int) large;	    /* links of more than BX_SMALL_LINK places */
};
/* Close and forget all of `fds`. */
void bx_fds_close(struct bx_fds *fds);

/*
 * Probes to arm with one loaded program.  The attachment's cookie tells the
 * program which probe fired: probes[i] has the cookie first_cookie + i.  A
 * program without cookies (the kernel has none for this kind of attachment, or
 * the program does not use them) serves one probe only.
 */
struct bx_arming {
	enum bx_context ctx;
	const struct dt_probe *const *probes;
	size_t n;
	uint64_t first_cookie;
	bool has_cookies;
	int prog_fd;
	/* Perf events: arm this CPU only; NULL: all online CPUs. */
	const uint32_t *only_cpu;
	/* Receives the places that cannot be armed; the others are armed.
	 * NULL: such a place is an error. */
	struct refusals *refused;
	struct bx_places *places; /* site.h */
};

struct bx_attach {
	/* The kind of program for probes of this kind. */
	enum bx_context ctx;
	/* Choose that kind from all probes of a group.  NULL: always `ctx`. */
	enum bx_context (*choose)(
	    const struct dt_probe *const *probes, size_t n);
	/* Contexts with a program per target: the BTF id in vmlinux of the
	 * function or tracepoint; 0: vmlinux does not have it. */
	uint32_t (*target)(const struct dt_probe *p);
	/*
	 * Arm probes of one group.  Appends the file descriptors to close for
	 * disarming to *fds, also when it fails.  Closing a perf event waits
	 * for a grace period: thousands of probes need links in bulk.  Returns
	 * 0, or -errno with a message in *err.  NULL: dtrace runs
	 * the program itself, or there is none.
	 */
	int (*arm)(
	    const struct bx_arming *a, struct bx_fds *fds, struct err *err);
};
const struct bx_attach *bx_attach(enum dt_probe_kind kind);

/* Text to follow strerror(err) in a message: the privilege that is missing if
 * the kernel refused permission; else "". */
const char *bx_needs(int err);
/* The type number of a perf event source ("uprobe"), or -errno; -ENOENT: the
 * kernel has no such source. */
int bx_event_type(const char *source);
/* Set the error of a source that cannot be had: -ENODEV, or `code`. */
int bx_event_error(const char *source, int code, struct err *err);

/* attach_rawtp.c */
CHECKED int bx_arm_calls(
    const struct bx_arming *a, struct bx_fds *fds, struct err *err);
CHECKED int bx_arm_tracepoints(
    const struct bx_arming *a, struct bx_fds *fds, struct err *err);

/* attach_perf.c: open an event on each CPU, which runs the program each period.
 * All events start after all are open, so that they run in step. */
CHECKED int bx_arm_clock(
    const struct bx_arming *a, struct bx_fds *fds, struct err *err);
CHECKED int bx_arm_counter(
    const struct bx_arming *a, struct bx_fds *fds, struct err *err);

/* attach_fbt.c */
enum bx_context bx_choose_kfuncs(
    const struct dt_probe *const *probes, size_t n);
CHECKED int bx_arm_kfuncs(
    const struct bx_arming *a, struct bx_fds *fds, struct err *err);
bool bx_has_kprobes(void);
/*
 * Can functions have trampolines (fentry)?  Asked with one that all kernels
 * have.
 */
bool bx_has_trampolines(void);

/* attach.c: struct dt_exec_ops.can_arm */
bool bx_can_arm(enum dt_probe_kind kind, const struct dt_code_place *at);

/*
 * attach_uprobe.c.  Does the kernel arm many uprobes at once (since 6.6; its
 * process filter works since 6.10)?  Tried once.  Programs are then loaded for
 * the attach type BX_UPROBE_MULTI.
 */
bool bx_uprobe_has_multi(void);
#define BX_UPROBE_MULTI 48 /* BPF_TRACE_UPROBE_MULTI, <linux/bpf.h> of 6.6 */
/* Can the kernel answer yes to programs that ask (dt_usite.is_enabled)?  If
 * not, usdt_is_enabled.c does. */
bool bx_uprobe_can_answer(void);
CHECKED int bx_arm_uprobes(
    const struct bx_arming *a, struct bx_fds *fds, struct err *err);

#endif
