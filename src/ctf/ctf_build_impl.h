/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CTF_CTF_BUILD_IMPL_H
#define CTF_CTF_BUILD_IMPL_H

/* Shared by the files that write CTF. */
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "ctf/ctf_build.h"

struct ctf_build {
	struct arena arena; /* for items */
	struct strtab names;
	VEC(struct ctf_node) nodes; /* node r is nodes.v[r - 1] */
	uint32_t *slots;	    /* hash table of nodes */
	size_t nslots;
	/* declarations of all units, one unit after another */
	VEC(ctf_ref) decls;
	VEC(size_t) units; /* index of each unit's first */
	VEC(struct build_symbol {
		bool is_func;
		ctf_ref type;
		uint32_t unit;
	})
	symbols;
};

static inline const struct ctf_node *
build_node(const struct ctf_build *b, ctf_ref r)
{
	return &b->nodes.v[r - 1];
}

static inline bool
build_is_body(const struct ctf_node *n)
{
	return n->kind == CTF_K_STRUCT || n->kind == CTF_K_UNION ||
	    n->kind == CTF_K_ENUM;
}

/* Called for each node that a node refers to: its target, members, ... */
typedef void build_ref_f(void *arg, ctf_ref r);
void build_each_ref(const struct ctf_node *n, build_ref_f *f, void *arg);

/* ---- linking (ctf_link.c) ------------------------------------------------ */

/*
 * The types as they will be written: a node, with the choice that its ambiguous
 * tags mean (NULL if it reaches none).  Type t of the file is types.v[t - 1].
 */
struct build_link {
	struct ctf_build *b;
	VEC(struct link_type {
		ctf_ref node;
		ctf_ref *choice; /* by number of the ambiguous tag */
		uint32_t next;	 /* another type of the same node */
	})
	types;
	uint32_t *first; /* node: its first type */
	uint32_t *tags;	 /* FORWARD node: its tag, from 1 */
	VEC(struct link_tag {
		ctf_ref forward;
		uint32_t number; /* number if ambiguous, or NONE */
		VEC(ctf_ref) bodies;
	})
	table;
	uint32_t nambiguous, nwords;
	uint64_t *reach;      /* node: ambiguous tags that it reaches */
	ctf_ref *unit_choice; /* tag: its body in one unit */
	uint32_t chosen;      /* the unit of unit_choice */
	bool has_grown;
	struct arena arena;
};

void build_link_init(struct build_link *l, struct ctf_build *b);
void build_link_fini(struct build_link *l);
bool build_link_has_body(const struct build_link *l, ctf_ref forward);
/* The file's number of node r, as type `from` of the file means it. */
uint32_t build_link_ref(struct build_link *l, uint32_t from, ctf_ref r);
/* The file's number of node r, as a unit means it. */
uint32_t build_link_symbol(struct build_link *l, uint32_t unit, ctf_ref r);

#endif
