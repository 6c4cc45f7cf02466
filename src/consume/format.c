/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Formats and types without a D program: for consumers that print data of their
 * own, from records in the published layout.
 *
 * The description of such a record does not say whether its bytes are text: the
 * conversion that prints them decides, as in C.
 */
#include "consume/consume_impl.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"

static size_t
conv_nvalues(const struct pf_conv *pc)
{
	size_t n = (size_t)pc->width_star + pc->prec_star;

	return pc->info == NULL || pc->aggval ? n : n + 1;
}

size_t
consumer_format_nvalues(const struct pf_format *pf)
{
	size_t n = 0;

	VEC_FOREACH(&pf->convs, pc)
		n += conv_nvalues(pc);
	return n;
}

/* The conversion that takes the i-th value; NULL: the value is a width. */
static const struct pf_conv *
conv_of(const struct pf_format *pf, size_t i)
{
	size_t n = 0;

	VEC_FOREACH(&pf->convs, pc) {
		n += conv_nvalues(pc);
		if (i < n)
			return i + 1 == n && pc->info != NULL && !pc->aggval ?
			    pc :
			    NULL;
	}
	return NULL;
}

static bool
is_word(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/* An address that gets a name, with its process if it is not the kernel's. */
static bool
is_symbol(const struct consume_value *val)
{
	return dif_act_is_sym(val->kind) &&
	    val->size == (dif_act_is_usym(val->kind) ? 16 : 8);
}

static enum plan_store
store_of(const struct consume_value *val)
{
	if (dif_act_is_stack(val->kind))
		return dif_act_is_ustack(val->kind) ? PLAN_USTACK : PLAN_STACK;
	if (is_symbol(val))
		return dif_act_is_usym(val->kind) ? PLAN_USYM : PLAN_SYM;
	return PLAN_BYTES;
}

/* The kinds of argument that the bytes can be: enum pf_argkind, as bits. */
static unsigned
value_kinds(const struct consume_value *val)
{
	unsigned kinds = 1u << PF_ARG_STRING | 1u << PF_ARG_BYTES;

	if (dif_act_is_stack(val->kind))
		return val->size >= sizeof(uint64_t) ? 1u << PF_ARG_STACK : 0;
	if (is_symbol(val))
		return 1u << PF_ARG_SYM;
	if (is_word(val->size))
		kinds |= 1u << PF_ARG_INT | 1u << PF_ARG_POINTER;
	if (val->size == 4 || val->size == 8 || val->size == 16)
		kinds |= 1u << PF_ARG_FLOAT;
	return kinds;
}

bool
consumer_format_fits(
    const struct pf_format *pf, size_t i, const struct consume_value *val)
{
	const struct pf_conv *pc = conv_of(pf, i);

	if (pc == NULL)
		return is_word(val->size);
	return (pc->info->kinds & value_kinds(val)) != 0;
}

void
consumer_format(struct consumer *c, const struct pf_format *pf,
    const struct consume_value *vals, bool has_escapes, struct strbuf *out)
{
	size_t n = consumer_format_nvalues(pf);
	struct plan_rec *recs = mem_alloc((n + 1) * sizeof(*recs));
	struct datum *args = mem_alloc((n + 1) * sizeof(*args));
	struct out_aside aside;

	for (size_t i = 0; i < n; i++) {
		recs[i] = (struct plan_rec){ .action = vals[i].kind,
			.size = vals[i].size,
			.store = store_of(&vals[i]),
			.arg = vals[i].arg };
		args[i] =
		    (struct datum){ .rec = &recs[i], .data = vals[i].data };
	}
	aside = out_aside_begin(c, *out, has_escapes);
	printf_render(c, pf, args, n, NULL);
	*out = out_aside_end(c, &aside);
	free(args);
	free(recs);
}

int
consumer_format_aggs(struct consumer *c, const struct pf_format *pf,
    const uint32_t *ids, size_t n)
{
	struct agg **aggs = mem_alloc(n * sizeof(*aggs));
	int error;

	for (size_t i = 0; i < n; i++)
		aggs[i] = &c->aggs[ids[i] - 1];
	error = agg_print(c, aggs, n, pf);
	free(aggs);
	consumer_flush(c);
	return error != 0 ? error : consumer_take_error(c);
}

void
consumer_format_type(struct consumer *c, struct ctf_type *t, const void *data,
    size_t len, struct strbuf *out)
{
	struct plan_rec rec = { .action = DT_ACT_DIFEXPR,
		.size = (uint32_t)len,
		.store = PLAN_BYTES };
	struct datum d = { .rec = &rec, .data = data };
	struct out_aside aside = out_aside_begin(c, *out, c->has_escapes);

	datum_print(c, &d, t);
	*out = out_aside_end(c, &aside);
}
