/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CTF_BTF_IMPORT_IMPL_H
#define CTF_BTF_IMPORT_IMPL_H

/* Shared by the import of BTF (btf_import.c) and its nodes (btf_node.c). */
#include "base/vec.h"
#include "ctf/btf_import.h"

struct btf_import {
	struct ctf_import im;
	struct btf_import *base;
	char *path; /* file to open; NULL after the attempt */
	char *problem;
	struct btf_blob *blob;
	btf_lend_f *lend; /* NULL: no lender, or asked already */
	void *lend_arg;
	bool is_lent;
	VEC(struct ctf_type *) nodes; /* of own types; NULL: not made yet */
	VEC(uint32_t) enums; /* own types that are enums, once searched */
	bool knows_enums;
	unsigned fill_depth;
};

/* ---- btf_node.c ---------------------------------------------------------- */

/*
 * The node of a type of the blob, which is open; NULL: it cannot be made.
 * `depth` counts the types on the way to it, 0 for the first one.
 */
struct ctf_type *btf_node(struct btf_import *bi, uint32_t id, unsigned depth);
/* struct ctf_import_ops.fill */
void btf_fill(struct ctf_import *im, struct ctf_type *t);
/* The name and the value of the i-th enumerator. */
const char *btf_enumerator_name(
    const struct btf_import *bi, const struct btf_type *bt, uint32_t i);
int64_t btf_enumerator_value(const struct btf_type *bt, uint32_t i);

#endif
