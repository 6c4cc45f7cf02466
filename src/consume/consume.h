/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONSUME_CONSUME_H
#define CONSUME_CONSUME_H

/*
 * Consumer: records and aggregations -> what a person reads.
 *
 * Output is DTrace's classic format to the byte (reference/language.md
 * section 15).  Everything comes from the plan and the substrate's ops; this
 * module neither compiles nor arms anything.
 */
#include <stdio.h>

#include "ctf/ctf.h"
#include "exec/exec.h"
#include "plan/plan.h"

struct consumer;

struct consume_opts {
	bool quiet, flowindent, rawbytes;
	bool aggsortkey, aggsortrev;
	uint32_t aggsortpos, aggsortkeypos;
	bool agghist, aggpack, aggzoom, aggpercpu;
	bool utf8;			/* option encoding: pictures may use it */
	uint32_t stackindent;		/* default 14 */
	bool json;			/* option oformat: doc/json.md */
	uint64_t specsize;		/* of a CPU's share in a speculation */
	bool temporal;			/* merge CPUs by time (default on) */
	bool destructive;		/* -w: system() may run */
	bool droptags;			/* messages about drops name the kind */
	struct ctf_graph *types;	/* the program's: for print() */
	/* setopt(): 0, or -1 with *msg (malloced).  What changes comes back
	 * through consumer_set_opts(). */
	int (*setopt)(void *arg, const char *name, const char *value,
	    char **msg);
	void *setopt_arg;
};

/* All borrowed; must outlive the consumer. Messages go to `err`. */
struct consumer *consumer_create(struct plan *pl,
    const struct dt_exec_ops *ops, struct dt_exec *x,
    const struct consume_opts *opts, FILE *out, FILE *err);
void consumer_destroy(struct consumer *c);
void consumer_set_opts(struct consumer *c, const struct consume_opts *opts);

/*
 * Take and print what has arrived.  Returns 0, 1 when an exit() record was
 * seen (its status in *status), or -errno: -EPIPE and the like when the output
 * cannot be written.
 */
int consumer_work(struct consumer *c, int *status);

/* After exec stop: print the rest, then every aggregation that no printa()
 * has printed, and flush. */
int consumer_finish(struct consumer *c, int *status);

/* On a terminal: clear it; and print what every aggregation has now. A failure is
 * the next call's. */
void consumer_clear_screen(struct consumer *c);
void consumer_refresh(struct consumer *c);

/* Report drops since the last call, as DTrace words them. */
void consumer_report_drops(struct consumer *c);

/* Kernel symbols: /proc/kallsyms, read on first use. */
struct ksyms;
struct ksyms *ksyms_create(void);
void ksyms_destroy(struct ksyms *ks);
/* "vmlinux`vfs_read+0x10", "vmlinux`vfs_read", or "0xffff..." */
void ksyms_format(struct ksyms *ks, uint64_t addr, struct strbuf *out);
/* The same in parts, valid as long as ks; false: no symbol is near. */
bool ksyms_find_name(struct ksyms *ks, uint64_t addr, const char **mod,
    const char **name, uint64_t *offset);

/* Text of a fault code, as in DTrace's ERROR message: "invalid address". */
const char *consume_fault_str(uint32_t fault);

#endif
