/* SPDX-License-Identifier: BSD-2-Clause */
/* The nearest probe to a description, and the values that a field can have. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/glob.h"
#include "base/mem.h"
#include "base/near.h"
#include "base/str.h"
#include "base/vec.h"
#include "libdtrace/dt_impl.h"
#include "libdtrace/suggest.h"

struct nearest {
	const struct dif_pdesc *desc;
	const struct dt_probe *probe;
	unsigned distance; /* a probe must be nearer */
	unsigned most;	   /* and this far at most; a tail, if the provider is
			    * named, may be as far as `distance` says */
	bool is_tail;	   /* only words in front are too few or too many */
	bool is_vague; /* is_tail, and other probes have other words there */
};

#define TAIL_DISTANCE 3 /* if the other fields are right */

/* Is one name the other with words in front: __x64_sys_read and read? */
static bool
is_tail(const char *a, const char *b)
{
	size_t na = strlen(a), nb = strlen(b);
	const char *whole = na > nb ? a : b, *tail = na > nb ? b : a;
	size_t n = na > nb ? na - nb : nb - na;

	return n > 1 && strlen(tail) > 2 &&
	    strchr("_-", whole[n - 1]) != NULL && strcmp(whole + n, tail) == 0;
}

/*
 * Distance of a field: 0 if it matches.  A pattern must match, and more than
 * half of a name must be right.
 */
static unsigned
field_distance(const char *pattern, const char *name, unsigned max)
{
	unsigned d;

	if (glob_match(pattern, name))
		return 0;
	if (glob_is_pattern(pattern))
		return max + 1;
	if (is_tail(pattern, name))
		return TAIL_DISTANCE;
	d = near_distance(pattern, name, max);
	return 2 * d < strlen(pattern) ? d : max + 1;
}

static bool
is_tail_of(const struct dif_pdesc *desc, const struct dt_probe *p)
{
	return is_tail(desc->func, p->func) || is_tail(desc->name, p->name);
}

/* Does another probe have other words in front of the same word? */
static bool
is_another_tail(const struct nearest *n, const struct dt_probe *p)
{
	return (is_tail(n->desc->func, p->func) &&
		   strcmp(n->probe->func, p->func) != 0) ||
	    (is_tail(n->desc->name, p->name) &&
		strcmp(n->probe->name, p->name) != 0);
}

static int
compare_probe(const struct dt_probe *p, void *arg)
{
	struct nearest *n = arg;
	unsigned max = n->distance;
	bool tail = is_tail_of(n->desc, p);
	unsigned d = field_distance(n->desc->prov, p->prov, max) +
	    field_distance(n->desc->mod, p->mod, max) +
	    field_distance(n->desc->func, p->func, max) +
	    field_distance(n->desc->name, p->name, max);

	if (d > n->most && !(tail && *n->desc->prov != '\0'))
		return 0;
	if (d < n->distance) {
		n->distance = d;
		n->probe = p;
		n->is_tail = tail;
		n->is_vague = false;
	} else if (d == n->distance && n->is_tail) {
		n->is_vague |= is_another_tail(n, p);
	}
	return 0;
}

static const char *
meant_field(const char *pattern, const char *name)
{
	return glob_match(pattern, name) ? pattern : name;
}

/*
 * The fields of the nearest probe where the description differs.  At most a
 * third of the description may be wrong.
 */
char *
dt_suggest_nearest(struct dt_hdl *h, const struct dif_pdesc *desc)
{
	struct dif_pdesc all = { .prov = (char[]){ "" },
		.mod = (char[]){ "" },
		.func = (char[]){ "" },
		.name = (char[]){ "" } };
	size_t len = strlen(desc->prov) + strlen(desc->mod) +
	    strlen(desc->func) + strlen(desc->name);
	struct nearest n = { .desc = desc,
		.distance = TAIL_DISTANCE + 1,
		.most = (unsigned)(len / 3) };
	struct err err = { 0 };

	err_forget(dt_registry_match(
		       h->probes.registry, &all, compare_probe, &n, &err),
	    &err);
	if (n.probe == NULL || n.is_vague)
		return NULL;
	if (n.distance == 0)
		return mem_printf("%s:%s:%s:%s exists, but cannot be traced; "
				  "its full name gives the reason",
		    n.probe->prov, n.probe->mod, n.probe->func, n.probe->name);
	return mem_printf("did you mean %s:%s:%s:%s?",
	    meant_field(desc->prov, n.probe->prov),
	    meant_field(desc->mod, n.probe->mod),
	    meant_field(desc->func, n.probe->func),
	    meant_field(desc->name, n.probe->name));
}

/*
 * A probe that the provider has on other systems: asking for it gives the
 * reason why it is missing here.
 */
char *
dt_suggest_missing(struct dt_hdl *h, const struct dif_pdesc *desc)
{
	struct near n = near_start(desc->name);

	VEC_FOREACH(&h->probes.missing, m) {
		if (*m->name != '\0' && strcmp(m->prov, desc->prov) == 0)
			near_try(&n, m->name);
	}
	if (n.name == NULL)
		return NULL;
	return mem_printf("did you mean %s:::%s?", desc->prov, n.name);
}

/* ---- one word that is not there ------------------------------------------ */

#define MAX_VALUES 24 /* a longer list does not help */

/* The values of one field in the probes that match the other fields. */
struct values {
	unsigned field;
	struct strtab seen;
	struct strbuf text;
};

static int
take_value(const struct dt_probe *p, void *arg)
{
	struct values *v = arg;
	const char *const fields[DT_NFIELDS] = { p->prov, p->mod, p->func,
		p->name };
	size_t n = v->seen.strs.n;

	strtab_intern(&v->seen, fields[v->field]);
	if (v->seen.strs.n > n)
		dt_suggest_add_name(fields[v->field], &v->text);
	return v->seen.strs.n > MAX_VALUES;
}

static char *
suggest_values_of(
    struct dt_hdl *h, const struct dif_pdesc *desc, unsigned field)
{
	char *f[DT_NFIELDS] = { desc->prov, desc->mod, desc->func, desc->name };
	char none[] = "", *hint = NULL;
	struct err err = { 0 };
	struct values v = { .field = field };
	struct dif_pdesc d;

	f[field] = none;
	d = (struct dif_pdesc){
		.prov = f[0], .mod = f[1], .func = f[2], .name = f[3]
	};
	strtab_init(&v.seen);
	err_forget(
	    dt_registry_match(h->probes.registry, &d, take_value, &v, &err),
	    &err);
	if (v.seen.strs.n > 0 && v.seen.strs.n <= MAX_VALUES && v.text.len > 0)
		hint = mem_printf(
		    "the %s can be %s", dt_field_names[field], v.text.s);
	err_clear(&err);
	strtab_fini(&v.seen);
	strbuf_fini(&v.text);
	return hint;
}

/*
 * The provider is known: list the values that can replace the last wrong word.
 */
char *
dt_suggest_values(struct dt_hdl *h, const struct dif_pdesc *desc)
{
	const char *const fields[DT_NFIELDS] = { desc->prov, desc->mod,
		desc->func, desc->name };
	char *hint = NULL;

	if (*desc->prov == '\0' || !dt_provider_exists(h, desc->prov))
		return NULL;
	for (unsigned i = DT_NFIELDS; i-- > 1 && hint == NULL;) {
		if (*fields[i] != '\0')
			hint = suggest_values_of(h, desc, i);
	}
	return hint;
}
