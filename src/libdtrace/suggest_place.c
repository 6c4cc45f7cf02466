/* SPDX-License-Identifier: BSD-2-Clause */
/* The right words of a description in the wrong fields. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "libdtrace/dt_impl.h"
#include "libdtrace/suggest.h"

const char *const dt_field_names[DT_NFIELDS] = { "provider", "module",
	"function", "name" };

/* The words of a description, and the field to which each would move. */
struct suggest_placing {
	char *words[DT_NFIELDS];
	unsigned from[DT_NFIELDS], to[DT_NFIELDS];
	unsigned n;
	unsigned nmoved, moved; /* number of words moved, and the last one */
};

static void
take_words(struct suggest_placing *pl, const struct dif_pdesc *desc)
{
	char *const fields[DT_NFIELDS] = { desc->prov, desc->mod, desc->func,
		desc->name };

	for (unsigned i = 0; i < DT_NFIELDS; i++) {
		if (*fields[i] == '\0')
			continue;
		pl->words[pl->n] = fields[i];
		pl->from[pl->n++] = i;
	}
}

/*
 * Decode two bits of the number for each word.  False if two words would share
 * a field.
 */
static bool
place(struct suggest_placing *pl, unsigned number)
{
	unsigned taken = 0;

	pl->nmoved = 0;
	for (unsigned i = 0; i < pl->n; i++) {
		pl->to[i] = number >> 2 * i & 3;
		if ((taken & 1U << pl->to[i]) != 0)
			return false;
		taken |= 1U << pl->to[i];
		if (pl->to[i] == pl->from[i])
			continue;
		pl->moved = i;
		pl->nmoved++;
	}
	return true;
}

/*
 * A provider's name must go into the provider's field, and no other word may.
 */
static bool
is_sound(struct dt_hdl *h, const struct suggest_placing *pl)
{
	for (unsigned i = 0; i < pl->n; i++) {
		bool was = pl->from[i] == 0, is = pl->to[i] == 0;

		if (was != is && dt_provider_exists(h, pl->words[i]) != is)
			return false;
	}
	return true;
}

/* Does such a probe exist, or a reason why it does not? */
static char *
suggest_placing(struct dt_hdl *h, const struct suggest_placing *pl)
{
	char none[] = "", *f[DT_NFIELDS] = { none, none, none, none };
	struct dif_pdesc d;

	for (unsigned i = 0; i < pl->n; i++)
		f[pl->to[i]] = pl->words[i];
	d = (struct dif_pdesc){
		.prov = f[0], .mod = f[1], .func = f[2], .name = f[3]
	};
	if (!dt_registry_any(h->probes.registry, &d) &&
	    dt_missing_why(h, &d) == NULL)
		return NULL;
	if (pl->nmoved > 1)
		return mem_printf(
		    "did you mean %s:%s:%s:%s?", f[0], f[1], f[2], f[3]);
	return mem_printf("%s is a probe's %s, not its %s; did you mean "
			  "%s:%s:%s:%s?",
	    pl->words[pl->moved], dt_field_names[pl->to[pl->moved]],
	    dt_field_names[pl->from[pl->moved]], f[0], f[1], f[2], f[3]);
}

/* All words are spelt right: move as few as possible to other fields. */
char *
dt_suggest_fields(struct dt_hdl *h, const struct dif_pdesc *desc)
{
	struct suggest_placing pl = { 0 };
	char *hint = NULL;

	take_words(&pl, desc);
	for (unsigned n = 1; n <= pl.n && hint == NULL; n++) {
		for (unsigned k = 0; k < 1U << 2 * pl.n && hint == NULL; k++) {
			if (place(&pl, k) && pl.nmoved == n && is_sound(h, &pl))
				hint = suggest_placing(h, &pl);
		}
	}
	return hint;
}

/* The last two words may be one name: tick:1s, proc:signal:send. */
char *
dt_suggest_dash(struct dt_hdl *h, const struct dif_pdesc *desc)
{
	struct suggest_placing pl = { 0 };
	char none[] = "", *hint = NULL;
	struct dif_pdesc d = { .prov = none, .mod = none, .func = none };

	take_words(&pl, desc);
	if (pl.n != 2 && pl.n != 3)
		return NULL;
	if (pl.n == 3)
		d.prov = pl.words[0];
	d.name = mem_printf("%s-%s", pl.words[pl.n - 2], pl.words[pl.n - 1]);
	if (dt_provider_exists(h, d.prov) &&
	    dt_registry_any(h->probes.registry, &d))
		hint = mem_printf("did you mean %s:::%s?", d.prov, d.name);
	free(d.name);
	return hint;
}
