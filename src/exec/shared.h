/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_SHARED_H
#define EXEC_SHARED_H

/*
 * Variables that a plan's parts in processes and in the kernel both use.
 *
 *	mark | global | global | ...		one word each
 *
 * They are in the value of a BPF array map, which is mapped in dtrace and in
 * each process that it enters.  Processes can write anything there.  So offsets
 * and sizes are in the code of both parts, and any word is a valid value.
 */
#include <stdbool.h>

#include "base/vec.h"
#include "dif/dif.h"

struct exec_shared_var {
	uint32_t id;
	uint8_t scope;	  /* DIFV_SCOPE_* */
	uint32_t off;	  /* bytes from the memory's start */
	const char *name; /* borrowed */
};

struct exec_shared {
	VEC(struct exec_shared_var) v; /* empty: no memory is needed */
	uint32_t size;		       /* of the words, in bytes */
	int fd;			       /* of the map */
	uint64_t len;		       /* of the memory: whole pages */
};

/* Can the variable be shared? */
bool exec_shared_can(const struct dif_var *dv);
/* Give the variable a word, unless it has one; `name` must outlive `sh`. */
void exec_shared_add(
    struct exec_shared *sh, uint32_t id, uint8_t scope, const char *name);
/* NULL: the variable is not shared.  `sh` may be NULL. */
const struct exec_shared_var *exec_shared_find(
    const struct exec_shared *sh, uint32_t id, uint8_t scope, uint8_t kind);

#endif
