/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The largest number of threads, and the sizes of their rooms.
 *
 *	numbers	0 to 7	8 to 23	24 to 90 ...	356 to 1339	to 10239
 *	room	10 MB	2.5 MB	644 KB		44 KB		7 KB
 *
 * (for a script with one aggregation, by probefunc).
 *
 * A region takes at most PR_SPACE bytes of addresses, unless an option asks for
 * more.  The last range has the smallest rooms, for all other numbers; the
 * first ranges share the remaining space.  Each range but the last has a
 * quarter of its predecessor's sizes.
 *
 * Sizes that the user has set (bufsize, aggsize) are the same in all rooms.
 */
#include "exec/process/impl.h"

#include "base/vec.h"
#include "unwind/rule.h"

#define PAGE 4096U
#define AGG_MAX (1U << 29) /* of each thread */
#define LAST (PR_NSIZES - 1)
#define SHIFT 2 /* from a range to the next, but for the last */
#define LAST_SHIFT 12
#define ENTRIES_MIN 32
#define NFULL_MIN 5 /* numbers with rooms of full size */
#define HALVED_MIN (64U << 10)
/* For trampolines, code of the script, and other parts without a fixed size. */
#define SLACK (24ULL << 20)

struct sizes {
	uint64_t buf, agg; /* of the first range */
	bool is_buf_fixed, is_agg_fixed;
};

static unsigned
shift_of(unsigned k)
{
	return k == LAST ? LAST_SHIFT : SHIFT * k;
}

/* ---- a room ------------------------------------------------------------- */

/* Each buffer has room for the records of BEGIN, of END and the largest. */
static uint64_t
buf_size(const struct pr_exec *x, const struct sizes *s, unsigned k)
{
	uint64_t least = 2ULL * exec_record_max(x->pl);
	uint64_t size = s->buf;

	least = least < EXEC_BUF_MIN ? EXEC_BUF_MIN : least;
	for (unsigned i = 0; !s->is_buf_fixed && i < shift_of(k); i++)
		size = size / 2 >= least ? size / 2 : size;
	return size;
}

/*
 * Lay out a table: as many entries as fit into aggsize, and twice as many
 * slots, so that lookups are short.  Untouched pages take no memory.
 */
static void
lay_out_table(
    const struct sizes *s, unsigned k, struct pr_agg *ag, uint64_t *end)
{
	uint64_t size = s->agg < AGG_MAX ? s->agg : AGG_MAX;
	uint64_t max = size / ag->entry_size, less = max >> shift_of(k);
	struct pr_agg_size *to = &ag->sizes[k];

	if (!s->is_agg_fixed && max > ENTRIES_MIN)
		max = less > ENTRIES_MIN ? less : ENTRIES_MIN;
	max = max < 1 ? 1 : max;
	to->max = (uint32_t)max;
	to->nslots = 2;
	while (to->nslots < 2 * max)
		to->nslots *= 2;
	to->turn_size = pr_round_to(
	    sizeof(struct pr_table) + 4ULL * to->nslots + max * ag->entry_size,
	    64);
	to->off = pr_take(end, 2 * to->turn_size);
}

static void
lay_out_room(struct pr_exec *x, const struct sizes *s, unsigned k)
{
	struct pr_size *to = &x->conf.sizes[k];
	uint64_t end;

	to->buf_size = buf_size(x, s, k);
	end = exec_bufs_stride(
	    to->buf_size, exec_record_max(x->pl) + EXEC_BUF_WORD);
	VEC_FOREACH(&x->aggs, ag) {
		if (ag->key_size != 0)
			lay_out_table(s, k, ag, &end);
	}
	to->room_size = pr_round_to(end, 64);
}

/* ---- how many ----------------------------------------------------------- */

/* The memory besides rooms that are larger than the last range's. */
static uint64_t
size_of_rest(const struct pr_exec *x, uint64_t nthreads)
{
	const struct pr_conf *c = &x->conf;
	uint64_t rows = x->walks ? PR_ROWS_MAX * sizeof(struct unw_row) : 0;

	return SLACK + rows + pr_own_bytes(x, nthreads) + c->threads +
	    nthreads * (c->thread_size + c->sizes[LAST].room_size);
}

static uint64_t
choose_nthreads(const struct pr_exec *x)
{
	uint64_t n = PR_NTHREADS;

	while (n > PR_NTHREADS_MIN && size_of_rest(x, n) > PR_SPACE / 8 * 5)
		n /= 2;
	return n < PR_NTHREADS_MIN ? PR_NTHREADS_MIN : n;
}

/* A range's share; the first range gets twice this.  Sizes that the user has
 * set may leave no space: then the result is a minimum. */
static uint64_t
share_of_range(const struct pr_exec *x, uint64_t nthreads)
{
	uint64_t rest = size_of_rest(x, nthreads), least = PR_SPACE / 8;
	uint64_t left = rest < PR_SPACE - least ? PR_SPACE - rest : least;

	return left / PR_NSIZES;
}

static bool
halve(struct sizes *s)
{
	if (!s->is_agg_fixed && s->agg > HALVED_MIN)
		s->agg /= 2;
	else if (!s->is_buf_fixed && s->buf > HALVED_MIN)
		s->buf /= 2;
	else
		return false;
	return true;
}

static void
divide_numbers(struct pr_exec *x, uint64_t share)
{
	struct pr_conf *c = &x->conf;
	uint64_t end = 0;

	for (unsigned k = 0; k < LAST; k++) {
		end += (k == 0 ? 2 * share : share) / c->sizes[k].room_size;
		c->sizes[k].end = end < c->nthreads ? end : c->nthreads;
	}
	c->sizes[LAST].end = c->nthreads;
}

void
pr_lay_out_rooms(struct pr_exec *x, bool is_for_many)
{
	struct sizes s = { .buf = x->bufs.parts[0].size,
		.agg = x->opts.aggsize,
		.is_buf_fixed = x->opts.bufsize_set,
		.is_agg_fixed = x->opts.aggsize_set };
	struct pr_conf *c = &x->conf;
	uint64_t share;

	do {
		for (unsigned k = 0; k < PR_NSIZES; k++)
			lay_out_room(x, &s, k);
		c->nthreads = is_for_many ? choose_nthreads(x) : 1;
		share = is_for_many ? share_of_range(x, c->nthreads) :
				      c->sizes[0].room_size;
	} while (2 * share / c->sizes[0].room_size < NFULL_MIN && is_for_many &&
	    halve(&s));
	divide_numbers(x, share);
}

uint64_t
pr_place_rooms(struct pr_exec *x, uint64_t at)
{
	struct pr_conf *c = &x->conf;
	uint64_t first = 0;

	for (unsigned k = 0; k < PR_NSIZES; k++) {
		at = pr_round_to(at, PAGE);
		c->sizes[k].rooms = at;
		at += (c->sizes[k].end - first) * c->sizes[k].room_size;
		first = c->sizes[k].end;
	}
	return pr_round_to(at, PAGE);
}

const char *
pr_large_options(const struct pr_exec *x)
{
	if (x->conf.region_size <= PR_SPACE)
		return "";
	if (x->opts.bufsize_set && x->opts.aggsize_set)
		return "; lower bufsize or aggsize, which every thread gets";
	if (x->opts.bufsize_set)
		return "; lower bufsize, which every thread gets";
	if (x->opts.aggsize_set)
		return "; lower aggsize, which every thread gets";
	return "; lower strsize, scratchsize or dynvarsize";
}

/* ---- where they are ----------------------------------------------------- */

static unsigned
range_of(const struct pr_conf *c, uint32_t thread)
{
	unsigned k = 0;

	while (thread >= c->sizes[k].end)
		k++;
	return k;
}

char *
pr_room(const struct pr_exec *x, uint32_t thread)
{
	const struct pr_conf *c = &x->conf;
	unsigned k = range_of(c, thread);
	uint64_t first = k == 0 ? 0 : c->sizes[k - 1].end;

	return (char *)x->base + c->sizes[k].rooms +
	    (thread - first) * c->sizes[k].room_size;
}

struct pr_tab
pr_tab(const struct pr_exec *x, const struct pr_agg *ag, uint32_t thread,
    uint64_t gen)
{
	const struct pr_agg_size *s = &ag->sizes[range_of(&x->conf, thread)];
	bool is_keyed = ag->key_size != 0;
	char *at = is_keyed ? pr_room(x, thread) + s->off :
			      (char *)pr_shared(x, thread) + ag->off;
	uint64_t turn_size = is_keyed ? s->turn_size : ag->turn_size;
	struct pr_tab tab = { .nslots = is_keyed ? s->nslots : 0,
		.max = is_keyed ? s->max : 1 };

	tab.t = (struct pr_table *)(void *)(at + (gen & 1) * turn_size);
	tab.entries = (char *)&tab.t->slots[tab.nslots];
	return tab;
}
