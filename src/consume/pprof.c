/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Option oformat=pprof: aggregations by stacks as a profile, compressed by
 * gzip, that `go tool pprof` and others read.
 *
 * Each aggregation is a type of samples, and each of its rows a sample: the
 * stacks are its locations, and the other keys its labels.  A viewer adds up
 * the samples, so an aggregation whose values must not be added has no place.
 */
#include "consume/pprof.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/mem.h"
#include "base/protobuf.h"
#include "consume/oformat.h"

#define GZIP_BITS (15 + 16) /* the largest window, and gzip's header */
#define CHUNK (64 * 1024)

struct pprof {
	struct pprof_tab tab;
	struct oformat_texts samples;
	uint32_t ntypes;
	/* Of each aggregation: 1 + the type's number; 0: it has no place. */
	uint32_t *types;
};

static bool
has_place(const struct plan_agg *pa)
{
	uint16_t kind = pa->agg->kind;

	if (kind != DT_ACT_COUNT && kind != DT_ACT_SUM && !hist_is_kind(kind))
		return false;
	VEC_FOREACH(&pa->keys, key) {
		if (PLAN_IS_STACK(key->store))
			return true;
	}
	return false;
}

static void *
pprof_create(const struct consumer *c)
{
	struct pprof *pp = mem_alloc(sizeof(*pp));

	pprof_tab_init(&pp->tab);
	oformat_texts_init(&pp->samples, c);
	pp->types = mem_alloc(pp->samples.n * sizeof(*pp->types));
	for (size_t i = 0; i < pp->samples.n; i++) {
		if (has_place(&c->pl->aggs.v[i]))
			pp->types[i] = ++pp->ntypes;
	}
	return pp;
}

static void
pprof_destroy(void *state)
{
	struct pprof *pp = state;

	pprof_tab_fini(&pp->tab);
	oformat_texts_fini(&pp->samples);
	free(pp->types);
	free(pp);
}

static void
pprof_table(struct consumer *c, struct agg *const *aggs, size_t n)
{
	struct pprof *pp = c->formatted;

	oformat_texts_begin(&pp->samples, c, aggs, n);
}

/* ---- samples ------------------------------------------------------------ */

/* The leaf comes first: the kernel, which the program has called. */
static void
put_stacks(struct consumer *c, struct strbuf *sb, const dtrace_event_t *ev,
    dtrace_valuekind_t which)
{
	struct pprof *pp = c->formatted;

	for (uint32_t i = ev->dtev_nkeys; i-- > 0;) {
		const dtrace_value_t *key = &ev->dtev_keys[i];

		for (uint32_t k = 0;
		     key->dtva_kind == which && k < key->dtva_count; k++)
			pb_packed(sb,
			    pprof_location(
				c, &pp->tab, key, &key->dtva_frames[k]));
	}
}

/* Of the values of a sample, one for each type, only one is not 0. */
static void
put_values(struct strbuf *sb, uint32_t ntypes, uint32_t type, int64_t value)
{
	size_t at = pb_open(sb, SAMPLE_VALUES);

	for (uint32_t i = 1; i <= ntypes; i++)
		pb_packed(sb, i == type ? (uint64_t)value : 0);
	pb_close(sb, at);
}

static void
put_label(
    struct pprof *pp, struct strbuf *sb, uint32_t i, const dtrace_value_t *key)
{
	struct strbuf text = { 0 };
	size_t at = pb_open(sb, SAMPLE_LABEL);

	strbuf_printf(&text, "key%u", i);
	pb_uint(sb, LABEL_KEY, pprof_text(&pp->tab, text.s, text.len));
	strbuf_reset(&text);
	if (key->dtva_kind == DTRACE_VALUE_INT) {
		pb_int(sb, LABEL_NUM, key->dtva_int);
	} else if (key->dtva_kind == DTRACE_VALUE_UINT) {
		pb_uint(sb, LABEL_NUM, key->dtva_uint);
	} else {
		if (key->dtva_kind == DTRACE_VALUE_STRING)
			strbuf_add(&text, key->dtva_data, key->dtva_size);
		else
			plain_value(&text, key);
		strbuf_add(&text, "", 0);
		pb_uint(sb, LABEL_STR, pprof_text(&pp->tab, text.s, text.len));
	}
	pb_close(sb, at);
	strbuf_fini(&text);
}

static void
put_sample(struct consumer *c, const dtrace_event_t *ev, size_t place,
    const dtrace_aggvalue_t *val)
{
	struct pprof *pp = c->formatted;
	struct strbuf *sb = &pp->samples.texts[place];
	size_t at = pb_open(sb, PROFILE_SAMPLE);
	size_t locations = pb_open(sb, SAMPLE_LOCATIONS);

	put_stacks(c, sb, ev, DTRACE_VALUE_STACK);
	put_stacks(c, sb, ev, DTRACE_VALUE_USTACK);
	pb_close(sb, locations);
	put_values(sb, pp->ntypes, pp->types[place], plain_amount(val));
	for (uint32_t i = 0; i < ev->dtev_nkeys; i++) {
		if (!plain_is_stack(&ev->dtev_keys[i]))
			put_label(pp, sb, i, &ev->dtev_keys[i]);
	}
	pb_close(sb, at);
}

static void
pprof_row(struct consumer *c, const dtrace_event_t *ev)
{
	const struct pprof *pp = c->formatted;

	for (uint32_t i = 0; i < ev->dtev_nvalues; i++) {
		size_t place = pp->samples.places.v[i];

		if (pp->types[place] != 0)
			put_sample(c, ev, place, &ev->dtev_values[i]);
	}
}

/* ---- the profile -------------------------------------------------------- */

/* The script may say in which unit it adds up. */
static const char *
unit_of(const struct consumer *c, uint16_t kind)
{
	static const char *const names[] = { [UNITS_NONE] = "count",
		[UNITS_NS] = "nanoseconds",
		[UNITS_US] = "microseconds",
		[UNITS_MS] = "milliseconds",
		[UNITS_S] = "seconds",
		[UNITS_BYTES] = "bytes" };

	return names[kind == DT_ACT_SUM ? c->opts.units : UNITS_NONE];
}

/* "count" and the like, if the aggregation has no name. */
static const char *
type_name(const struct agg *ag)
{
	const char *name = ag->pa->agg->name;

	return strcmp(name, "_") == 0 ? dif_act(ag->pa->agg->kind)->name : name;
}

static void
put_types(struct consumer *c, struct strbuf *sb)
{
	struct pprof *pp = c->formatted;
	bool is_first = true;

	for (size_t i = 0; i < pp->samples.n; i++) {
		const char *name = type_name(&c->aggs[i]);
		const char *unit = unit_of(c, c->aggs[i].pa->agg->kind);
		uint32_t id = pprof_text(&pp->tab, name, strlen(name));
		size_t at;

		if (pp->types[i] == 0)
			continue;
		at = pb_open(sb, PROFILE_SAMPLE_TYPE);
		pb_uint(sb, TYPE_TYPE, id);
		pb_uint(
		    sb, TYPE_UNIT, pprof_text(&pp->tab, unit, strlen(unit)));
		pb_close(sb, at);
		if (is_first)
			pb_uint(sb, PROFILE_DEFAULT_TYPE, id);
		is_first = false;
	}
}

static void
put_run(struct consumer *c, struct strbuf *sb)
{
	const struct consume_run *run = c->opts.run;
	struct pprof *pp = c->formatted;

	if (run == NULL)
		return;
	pb_uint(sb, PROFILE_TIME, run->wall_ns);
	pb_uint(sb, PROFILE_DURATION, consumer_now(c) - run->start_ns);
	pb_uint(sb, PROFILE_COMMENT,
	    pprof_text(&pp->tab, run->product, strlen(run->product)));
}

static voidpf
take_memory(voidpf arg, uInt n, uInt size)
{
	(void)arg;
	return mem_alloc((size_t)n * size);
}

static void
give_memory(voidpf arg, voidpf p)
{
	(void)arg;
	free(p);
}

/* There is memory: so it could only fail if it were called wrongly. */
static void
compress_to(struct strbuf *to, const struct strbuf *from)
{
	z_stream z = { .zalloc = take_memory, .zfree = give_memory };
	size_t left = from->len;
	int rc = deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_BITS,
	    8, Z_DEFAULT_STRATEGY);

	assert(rc == Z_OK);
	z.next_in = (Bytef *)from->s;
	while (rc != Z_STREAM_END) {
		if (z.avail_in == 0) {
			z.avail_in = left < CHUNK ? (uInt)left : CHUNK;
			left -= z.avail_in;
		}
		z.next_out = (Bytef *)strbuf_room(to, CHUNK);
		z.avail_out = CHUNK;
		rc = deflate(&z, left == 0 ? Z_FINISH : Z_NO_FLUSH);
		to->len += CHUNK - z.avail_out;
	}
	deflateEnd(&z);
}

static void
pprof_write(struct consumer *c)
{
	struct pprof *pp = c->formatted;
	struct strbuf sb = { 0 };

	put_types(c, &sb);
	put_run(c, &sb);
	for (size_t i = 0; i < pp->samples.n; i++) {
		const struct strbuf *text = &pp->samples.texts[i];

		strbuf_add(&sb, text->s, text->len);
	}
	pprof_tab_write(&pp->tab, &sb);
	compress_to(&c->buf, &sb);
	strbuf_fini(&sb);
}

/* Tell of aggregations that a user may miss. */
static void
pprof_end(struct consumer *c, int status)
{
	const struct pprof *pp = c->formatted;

	(void)status;
	for (size_t i = 0; i < pp->samples.n; i++) {
		if (pp->types[i] == 0)
			consumer_warn(c,
			    "@%s is not in the profile: it holds what count(), "
			    "sum() and distributions have by stack() or "
			    "ustack()",
			    c->aggs[i].pa->agg->name);
	}
}

const struct oformat_ops oformat_pprof = {
	.create = pprof_create,
	.destroy = pprof_destroy,
	.end = pprof_end,
	.row = pprof_row,
	.table = pprof_table,
	.write = pprof_write,
	.is_binary = true,
	.holds = "aggregations",
};
