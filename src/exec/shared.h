/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_SHARED_H
#define EXEC_SHARED_H

/*
 * Variables that a plan's parts in processes and in the kernel both use.
 *
 *	mark | global | global | ...		one word each
 *	key | key | ...				a table of threads (rt_self.h)
 *	self-> words | self-> words | ...	of the thread of each key
 *
 * They are in the value of a BPF array map, which is mapped in dtrace and in
 * each process that it enters.  Processes can write anything there.  So offsets
 * and sizes are in the code of both parts, and any word is a valid value.  A
 * process can take another thread's key; so the kernel looks for keys of
 * threads of the entered processes only.
 */
#include <stdbool.h>
#include <sys/types.h>

#include "base/vec.h"
#include "dif/dif.h"
#include "exec/runtime/rt.h"

struct exec_shared_var {
	uint32_t id;
	uint8_t scope;	  /* DIFV_SCOPE_* */
	uint32_t off;	  /* bytes from the start: of the memory, or of the
			   * thread's words */
	const char *name; /* borrowed */
};

struct exec_shared {
	VEC(struct exec_shared_var) v;	/* empty: no memory is needed */
	VEC(pid_t) pids;		/* processes that reach the memory */
	uint32_t size;			/* of mark and globals, in bytes */
	uint32_t self_size;		/* of a thread's words */
	uint32_t self_keys, self_words; /* offsets, if self_size is not 0 */
	int fd;				/* of the map */
	uint64_t len;			/* of the memory: whole pages */
};

/* Processes whose threads the kernel can tell from others; one is dtrace. */
#define EXEC_SHARED_PIDS 16

/* Can the variable be shared, as far as its scope and its type say? */
bool exec_shared_can(const struct dif_var *dv);
/* Give the variable a word, unless it has one; `name` must outlive `sh`. */
void exec_shared_add(
    struct exec_shared *sh, uint32_t id, uint8_t scope, const char *name);
/* After the last variable: place the table of threads, and set `len`. */
void exec_shared_lay_out(struct exec_shared *sh, uint64_t page);
void exec_shared_conf(const struct exec_shared *sh, struct rt_conf *conf);
void exec_shared_fini(struct exec_shared *sh);
/* NULL: the variable is not shared.  `sh` may be NULL. */
const struct exec_shared_var *exec_shared_find(
    const struct exec_shared *sh, uint32_t id, uint8_t scope, uint8_t kind);

#endif
