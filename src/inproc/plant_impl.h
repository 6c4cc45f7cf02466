/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef INPROC_PLANT_IMPL_H
#define INPROC_PLANT_IMPL_H

/* Shared by the files that change a stopped process's code (plant*.c). */
#include "inproc/enter_impl.h"

/* The writes to plant now, and the windows that cannot be planted. */
struct ent_planting {
	struct ent_ledger *l;
	struct ent_stop *s;
	bool *is_blocked; /* one for each window */
	uint64_t nblocked;
};

/* ---- stacks.c ------------------------------------------------------------ */

/* A search for words on a stack. */
struct ent_sought {
	bool (*is)(const void *arg, uint64_t value);
	const void *arg;
	bool in_context; /* count a word only where a context has it */
};

bool ent_stack_has(struct ent_stop *s, const struct proc_maps *pm,
    const struct ent_thread *t, const struct ent_sought *what);
/* Go keeps the stacks of goroutines that do not run in the heap. */
bool ent_heap_has(struct ent_stop *s, const struct proc_maps *pm,
    const struct ent_sought *what);

/* ---- plant_bytes.c ------------------------------------------------------- */

/* Writes are in [w, end), or there are `n` from `w` on. */

#define ENT_PAGE 4096

/* The first write whose place differs from the bytes that the plan expects. */
const struct inproc_write *ent_find_changed(struct ent_stop *s,
    const struct inproc_write *w, const struct inproc_write *end);
/* Is this write to be made? */
typedef bool ent_wanted_f(
    const struct ent_planting *p, const struct inproc_write *w);
/*
 * Write the new bytes (or the old ones) of the wanted writes; false: it failed.
 */
bool ent_put(const struct ent_planting *p, const struct inproc_write *w,
    const struct inproc_write *end, ent_wanted_f *is_wanted, bool is_new);
/* Does the process have the new bytes of this write? */
bool ent_is_in_memory(struct ent_stop *s, const struct inproc_write *w);
/* Is the code as we wrote it? */
bool ent_is_ours(struct ent_stop *s, const struct inproc_write *w, size_t n);

/* ---- plant_block.c ------------------------------------------------------- */

/* Is the write not made yet? */
bool ent_is_due(const struct ent_ledger *l, const struct inproc_write *w);
/* Block the due windows that cannot be planted now. */
CHECKED int ent_find_blocked(struct ent_planting *p, struct err *err);
/* Move threads that are in a window that is not blocked to its copy. */
void ent_move_threads(const struct ent_planting *p);

#endif
