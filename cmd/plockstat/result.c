/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of the aggregations: by lock and stack. */
#include "plockstat.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
row_free(struct plockstat_row *r)
{
	VEC_FREE(&r->stack);
	free(r);
}

static uint64_t
word_at(const dtrace_aggdata_t *data, const dtrace_recdesc_t *rec, size_t i)
{
	uint64_t w = 0;

	if (8 * (i + 1) <= rec->dtrd_size)
		memcpy(&w, data->dtada_data + rec->dtrd_offset + 8 * i, 8);
	return w;
}

void
plockstat_name(const struct plockstat_result *res, pid_t pid, uint64_t addr,
    char *buf, int size)
{
	if (dtrace_uaddr2str(res->dtp, pid, addr, buf, size) < 0)
		snprintf(buf, (size_t)size, "0x%llx", (unsigned long long)addr);
}

/* Is it a function of C11 or POSIX that calls the one with the probe? */
static bool
is_lock_function(const char *name)
{
	static const char *const begin[] = { "mtx_", "cnd_", "pthread_",
		"__pthread_", "___pthread_" };
	const char *func = strchr(name, '`');

	for (size_t i = 0; func != NULL && i < sizeof(begin) / sizeof(*begin);
	     i++) {
		if (strncmp(func + 1, begin[i], strlen(begin[i])) == 0)
			return true;
	}
	return false;
}

/*
 * The index of the caller's frame.  The first frame is the lock function
 * itself, whatever its name: glibc's call others without names.
 */
static size_t
caller_of(const struct plockstat_result *res, pid_t pid, const uint64_t *stack,
    size_t n)
{
	char name[PATH_MAX];

	for (size_t i = 1; i < n && i <= PLOCKSTAT_INNER; i++) {
		plockstat_name(res, pid, stack[i], name, sizeof(name));
		if (!is_lock_function(name))
			return i;
	}
	return n > 1 ? 1 : 0;
}

/*
 * Copy the shown part of the stack in rec: from the caller on, up to the
 * requested depth.
 */
static void
take_stack(const struct plockstat_result *res, const dtrace_aggdata_t *data,
    const dtrace_recdesc_t *rec, struct plockstat_row *r)
{
	uint64_t pcs[PLOCKSTAT_DEPTH_MAX + PLOCKSTAT_INNER];
	size_t n = 0, depth = res->opts->depth != 0 ? res->opts->depth : 1;

	r->pid = (pid_t)word_at(data, rec, 0);
	while (n < PLOCKSTAT_DEPTH_MAX + PLOCKSTAT_INNER &&
	    word_at(data, rec, n + 1) != 0) {
		pcs[n] = word_at(data, rec, n + 1);
		n++;
	}
	for (size_t i = caller_of(res, r->pid, pcs, n);
	     i < n && r->stack.n < depth; i++)
		VEC_PUSH(&r->stack, pcs[i]);
}

static bool
is_same(const struct plockstat_row *a, const struct plockstat_row *b)
{
	return a->lock == b->lock && a->stack.n == b->stack.n &&
	    (a->stack.n == 0 ||
		memcmp(a->stack.v, b->stack.v,
		    a->stack.n * sizeof(*a->stack.v)) == 0);
}

/* The table's row of a lock and stack; added if it is new. */
static struct plockstat_row *
row_of(struct plockstat_result *res, size_t table, const dtrace_aggdata_t *data,
    const dtrace_recdesc_t *rec)
{
	struct plockstat_row *new = mem_alloc(sizeof(*new));

	new->lock = word_at(data, &rec[1], 0);
	take_stack(res, data, &rec[2], new);
	VEC_FOREACH(&res->rows[table], rp) {
		if (!is_same(*rp, new))
			continue;
		row_free(new);
		return *rp;
	}
	VEC_PUSH(&res->rows[table], new);
	return new;
}

/* The table of an aggregation, and whether it has the distribution. */
static bool
table_of(const char *name, size_t *table, bool *is_dist)
{
	for (*table = 0; *table < PLOCKSTAT_NTABLES; ++*table) {
		size_t len = strlen(plockstat_tables[*table].name);

		if (strncmp(name, plockstat_tables[*table].name, len) != 0)
			continue;
		*is_dist = strcmp(name + len, "_dist") == 0;
		if (*is_dist || name[len] == '\0')
			return true;
	}
	return false;
}

int
plockstat_take_row(const dtrace_aggdata_t *data, void *arg)
{
	const dtrace_aggdesc_t *desc = data->dtada_desc;
	const dtrace_recdesc_t *rec = desc->dtagd_rec;
	struct plockstat_result *res = arg;
	struct plockstat_row *r;
	size_t table;
	bool is_dist;

	if (desc->dtagd_nrecs != 4 ||
	    !table_of(desc->dtagd_name, &table, &is_dist))
		return DTRACE_AGGWALK_NEXT;
	r = row_of(res, table, data, rec);
	for (int i = 0; is_dist && i < DTRACE_QUANTIZE_NBUCKETS; i++)
		r->buckets[i] += (int64_t)word_at(data, &rec[3], (size_t)i);
	if (!is_dist) {
		r->count += word_at(data, &rec[3], 0);
		r->ns += word_at(data, &rec[3], 1);
	}
	return DTRACE_AGGWALK_NEXT;
}

void
plockstat_result_fini(struct plockstat_result *res)
{
	for (size_t i = 0; i < PLOCKSTAT_NTABLES; i++) {
		VEC_FOREACH(&res->rows[i], rp)
			row_free(*rp);
		VEC_FREE(&res->rows[i]);
	}
}
