/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_VARS_H
#define EXEC_VARS_H

/*
 * The user variables of some objects, and where they lie: each scope is one
 * piece of storage; a by-reference variable is a marker word and its bytes.
 */
#include "base/err.h"
#include "base/vec.h"
#include "dif/dif.h"
#include "exec/runtime/rt_vm.h"

struct exec_shared;
struct exec_vars {
	VEC(struct rt_uvar) v;
	/* bytes of storage, by DIFV_SCOPE_* */
	uint32_t sizes[3];
	const struct exec_shared *shared; /* these lie elsewhere; or NULL */
};

/* Add an object's; false with *err when one has another type. */
CHECKED bool exec_vars_add(struct exec_vars *vars, const struct dif_obj *dp,
    uint32_t strsize, struct err *err);
const struct rt_uvar *exec_vars_find(const struct exec_vars *vars, uint32_t id,
    uint8_t scope, uint8_t kind); /* or NULL */
/* The most bytes that one's value has, at least 8. */
size_t exec_vars_largest(const struct exec_vars *vars);
/*
 * Lay out the memory of a machine state from c->locals on:
 *
 *	this-> variables | tmp a | tmp b | tok | scratch
 *
 * Returns its size: a power of two, and one string that the longest access at
 * its end may touch.
 */
uint64_t exec_vars_lay_out(struct rt_conf *c, const struct exec_vars *vars,
    uint32_t strsize, uint64_t scratchsize);
/* Bytes that a key of any tuple takes at most (rt_vm.key). */
size_t exec_key_max(uint32_t strsize);

#endif
