/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_PROCESS_PROC_H
#define EXEC_PROCESS_PROC_H

/* The processes that probes are in. */
#include "exec/process/impl.h"
#include "inproc/enter.h"
#include "sym/proc_maps.h"

/* Sites of a file in a process.  Addresses of bodies are offsets of the region.
 */
struct pr_file {
	const struct dt_ufile *file;
	VEC(struct inproc_point) points;
	VEC(const struct dt_probe *) probes; /* of the points */
	VEC(const struct dt_usite *) sites;
	struct elf_syms *es;
	struct inproc_module *module;
	uint64_t bias;		 /* at which the plan is */
	size_t nplanned;	 /* points that are in the process; 0: none */
	bool is_whole;		 /* the plan has them all */
	bool is_fresh;		 /* the plan is not applied yet */
	bool has_calls;		 /* its system calls are points */
	struct inproc_plan plan; /* the last one */
};

struct pr_proc {
	pid_t pid;
	struct proc_maps maps; /* before it was entered; if it was wanted */
	VEC(struct pr_file) files;
	struct inproc_proc *entered;
	uint64_t maps_turn; /* of its list of mappings */
	struct inproc_space space;
	bool is_lost;		     /* it executed what cannot be entered */
	bool is_looked_at, is_unfit; /* to be sampled: sample.c */
};

/* arm.c: memory of a process, all of it or nothing. */
bool pr_proc_read(pid_t pid, uint64_t at, void *buf, size_t len);
/* arm.c: a file of a process; what is known of its code (NULL with *msg:
 * nothing can be planted there); a point that is no probe's site. */
struct pr_file *pr_file_of(struct pr_proc *p, const struct dt_ufile *file);
const struct inproc_module *pr_file_module(struct pr_file *f, char **msg);
void pr_file_add(struct pr_file *f, const struct inproc_point *pt);

#endif
