/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONSUME_FLAME_H
#define CONSUME_FLAME_H

/*
 * Flame graphs: the tree of the frames of an aggregation (flametree.c), and the
 * page that shows it (flame.c).
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/str.h"
#include "base/vec.h"

enum flame_kind { FLAME_KEY, FLAME_USER, FLAME_KERNEL };

/*
 * A frame: the total of all stacks that have it at this place.  Node 0 is the
 * root.  A caller precedes those that it calls.
 */
struct flame_node {
	uint32_t name; /* in flame_tree.names; 0: the root */
	uint32_t caller;
	enum flame_kind kind;
	uint64_t total;
	uint64_t before; /* in the run that is compared with */
};

struct flame_tree {
	VEC(struct flame_node) nodes;
	uint32_t *slots; /* node numbers plus 1, by caller and name; 0: free */
	size_t nslots;
	struct strtab names;
	uint64_t nmerged; /* frames whose values are only their callers' */
	uint64_t nflat;	  /* rows left out: their value is not positive */
	bool is_compared; /* flame_compare(); node 0 has the whole of it */
	uint64_t gone;	  /* of that, in stacks that the tree does not have */
	uint64_t ngone;	  /* those stacks: lines */
};

void flame_tree_init(struct flame_tree *t);
void flame_tree_fini(struct flame_tree *t);
/*
 * Add `value` to the frame of this name below `caller`, and return its number.
 * The smallest frames are merged into their callers between two stacks.
 */
uint32_t flame_tree_add(struct flame_tree *t, uint32_t caller, const char *name,
    enum flame_kind kind, uint64_t value);
/* The frame of this name below `caller`; 0: there is none. */
uint32_t flame_tree_find(
    const struct flame_tree *t, uint32_t caller, const char *name);
/* Merge the smallest frames until at most `max` are left. */
void flame_tree_limit(struct flame_tree *t, size_t max);

/*
 * flamediff.c: add what the frames of the trees had in another run, whose lines
 * of oformat=folded the file has.  names[i] is that of trees[i], without @.
 */
struct flame_compare {
	struct flame_tree *trees;
	const char *const *names;
	size_t n;
	uint64_t nbad;	 /* result: lines that are no stacks */
	uint64_t nother; /* result: lines of other aggregations */
};
void flame_compare(struct flame_compare *cmp, FILE *f);
/* The class of a frame; what its label says more; and that of the graph. */
void flame_diff_class(
    struct strbuf *sb, const struct flame_tree *t, uint32_t i);
void flame_diff_label(
    struct strbuf *sb, const struct flame_tree *t, uint32_t i);
void flame_diff_title(struct strbuf *sb, const struct flame_tree *t);

/* flame.c, for pages that have more than flame graphs */
struct agg;
struct dtrace_event;
extern const char flame_script[], flame_style[];
/* Add the keys and stacks of a row; a value of 0 or less is only counted. */
void flame_add_row(
    struct flame_tree *t, const struct dtrace_event *ev, int64_t value);
/* Append a heading and the graph as HTML. */
void flame_html(struct strbuf *sb, struct flame_tree *t, const struct agg *ag);

#endif
