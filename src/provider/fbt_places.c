/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses of functions, and functions that share a name: twins. */
#include "provider/fbt_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/kallsyms.h"
#include "base/mem.h"
#include "base/ownfailure.h"
#include "base/vec.h"

/* The symbol behind the kernel's own code; that of modules comes later. */
#define CODE_END "_etext"

/*
 * A listed name may also be that of functions that cannot be probed: the
 * tracer's own s_start(), of which the kernel has others.  The list of a module
 * is in the order of addresses, so that a function that it means lies between
 * its neighbours there, as far as those have one symbol each.
 */
#define NEAR 8 /* lines looked at on each side */

struct neighbour {
	const char *mod;
	uint64_t addr;
	size_t nsymbols;
};

struct twins {
	struct fbt *f;
	VEC(struct fbt_func *) funcs;
	struct strtab names;	    /* of neighbours */
	VEC(struct neighbour) list; /* by id in names */
};

/* From line i - 1 on in its chain: a line of the function, plus 1; or 0. */
static uint32_t
find_line(const struct fbt_func *fn, uint32_t i)
{
	const struct fbt *f = fn->fbt;

	while (i != 0) {
		const struct fbt_line *l = &f->lines.v[i - 1];
		char *line = mem_strndup(f->list.s + l->off, l->len);
		const char *mod = fbt_cut_line(line);
		bool is_its =
		    strcmp(line, fn->name) == 0 && strcmp(mod, fn->mod) == 0;

		free(line);
		if (is_its)
			break;
		i = l->next;
	}
	return i;
}

static uint32_t
first_line(const struct fbt_func *fn)
{
	fbt_index_list(fn->fbt);
	return find_line(
	    fn, *fbt_chain_of(fn->fbt, fn->name, strlen(fn->name)));
}

static uint32_t
next_line(const struct fbt_func *fn, uint32_t i)
{
	return find_line(fn, fn->fbt->lines.v[i - 1].next);
}

size_t
fbt_count_lines(const struct fbt_func *fn)
{
	size_t n = 0;

	for (uint32_t i = first_line(fn); i != 0; i = next_line(fn, i))
		n++;
	return n;
}

/* The function of line `no`, or NULL when it is none of that module. */
static struct neighbour *
neighbour_at(struct twins *tw, uint32_t no, const char *mod)
{
	const struct fbt_line *l = &tw->f->lines.v[no];
	char *line = mem_strndup(tw->f->list.s + l->off, l->len);
	struct neighbour *nb = NULL;

	if (strcmp(fbt_cut_line(line), mod) == 0) {
		uint32_t id = strtab_intern(&tw->names, line);

		if (id > tw->list.n)
			VEC_PUSH(&tw->list, ((struct neighbour){ .mod = mod }));
		nb = &tw->list.v[id - 1];
	}
	free(line);
	return nb;
}

/* The nearest one with one symbol, above (1) or below (-1) line `no`; or NULL,
 * as before symbols were counted: then all of them become known. */
static const struct neighbour *
known_neighbour(struct twins *tw, uint32_t no, const char *mod, int step)
{
	for (unsigned i = 0; i < NEAR; i++) {
		const struct neighbour *nb;

		no += (uint32_t)step;
		if (no >= tw->f->lines.n)
			return NULL;
		nb = neighbour_at(tw, no, mod);
		if (nb != NULL && nb->nsymbols == 1)
			return nb;
	}
	return NULL;
}

static bool
count_symbol(const struct ksymbol *sym, void *arg)
{
	const struct twins *tw = arg;
	uint32_t id = strtab_find(&tw->names, sym->name);
	struct neighbour *nb = id != 0 ? &tw->list.v[id - 1] : NULL;

	if (nb == NULL || !ksym_is_code(sym->type) ||
	    strcmp(nb->mod, sym->module) != 0)
		return false;
	nb->addr = sym->addr;
	nb->nsymbols++;
	return false;
}

static bool
is_listed(struct twins *tw, const struct fbt_func *fn, uint64_t addr)
{
	for (uint32_t i = first_line(fn); i != 0; i = next_line(fn, i)) {
		const struct neighbour *below, *above;

		below = known_neighbour(tw, i - 1, fn->mod, -1);
		above = known_neighbour(tw, i - 1, fn->mod, 1);
		if ((below == NULL || below->addr < addr) &&
		    (above == NULL || addr < above->addr))
			return true;
	}
	return false;
}

static void
make_known(struct twins *tw, const struct fbt_func *fn)
{
	for (uint32_t i = first_line(fn); i != 0; i = next_line(fn, i)) {
		known_neighbour(tw, i - 1, fn->mod, -1);
		known_neighbour(tw, i - 1, fn->mod, 1);
	}
}

static bool
has_twins(const struct fbt_func *fn)
{
	size_t n = 0;

	for (const struct fbt_place *p = fn->places; p != NULL; p = p->next)
		n++;
	return n > 1 && n > fbt_count_lines(fn);
}

int
fbt_read_symbols(bool (*take)(const struct ksymbol *sym, void *arg), void *arg,
    struct err *err)
{
	if (kallsyms_each(take, arg) || !is_own_failure(errno))
		return 0;
	return err_set(err, -errno,
	    "cannot read the kernel's symbols, which tell where functions are: "
	    "/proc/kallsyms: %s",
	    strerror(errno));
}

/* Drop twins from the functions from number `first` on. */
CHECKED static int
drop_twins(struct fbt *f, size_t first, struct err *err)
{
	struct twins tw = { .f = f };
	int rc = 0;

	strtab_init(&tw.names);
	for (size_t i = first; i < f->funcs.n; i++) {
		struct fbt_func *fn = f->funcs.v[i];

		if (!has_twins(fn))
			continue;
		VEC_PUSH(&tw.funcs, fn);
		make_known(&tw, fn);
	}
	if (tw.funcs.n != 0)
		rc = fbt_read_symbols(count_symbol, &tw, err);
	VEC_FOREACH(&tw.funcs, fn) {
		struct fbt_place **at = &(*fn)->places;

		while (*at != NULL) {
			if (is_listed(&tw, *fn, (*at)->addr))
				at = &(*at)->next;
			else
				*at = (*at)->next;
		}
	}
	VEC_FREE(&tw.funcs);
	VEC_FREE(&tw.list);
	strtab_fini(&tw.names);
	return rc;
}

/* ---- addresses ----------------------------------------------------------- */

/* NULL: the function was not wanted yet, or does not exist. */
static struct fbt_func *
find_func(struct fbt *f, const char *name, const char *mod)
{
	uint32_t id = strtab_find(&f->names, name);
	struct fbt_func *fn = id != 0 ? f->by_name.v[id - 1] : NULL;

	while (fn != NULL && strcmp(fn->mod, mod) != 0)
		fn = fn->next;
	return fn;
}

struct prov_fbt_placing {
	struct fbt *f;
	bool has_modules;  /* is there a function of one? */
	bool is_past_code; /* what follows was freed when it had started */
};

static bool
take_symbol(const struct ksymbol *sym, void *arg)
{
	struct prov_fbt_placing *pl = arg;
	struct fbt_place *place;
	struct fbt_func *fn;

	if (sym->addr == 0 || !ksym_is_code(sym->type) ||
	    (pl->is_past_code && strcmp(sym->module, VMLINUX) == 0))
		return false;
	pl->is_past_code |= strcmp(sym->name, CODE_END) == 0;
	fn = find_func(pl->f, sym->name, sym->module);
	if (fn == NULL)
		return pl->is_past_code && !pl->has_modules;
	if (fn->is_placed)
		return false;
	place = ARENA_NEW(&pl->f->arena, struct fbt_place);
	place->addr = sym->addr;
	place->next = fn->places;
	fn->places = place;
	return false;
}

/* The places of all functions that were wanted since the last time. */
CHECKED static int
find_places(struct fbt *f, struct err *err)
{
	struct prov_fbt_placing pl = { .f = f };
	int rc;

	for (size_t i = f->nplaced; i < f->funcs.n; i++) {
		pl.has_modules |= strcmp(f->funcs.v[i]->mod, VMLINUX) != 0;
		f->funcs.v[i]->places = NULL; /* of a part of the list */
	}
	rc = fbt_read_symbols(take_symbol, &pl, err);
	if (rc == 0)
		rc = drop_twins(f, f->nplaced, err);
	if (rc != 0)
		return rc;
	for (; f->nplaced < f->funcs.n; f->nplaced++)
		f->funcs.v[f->nplaced]->is_placed = true;
	return 0;
}

int
fbt_places(
    const struct fbt_func *fn, const struct fbt_place **places, struct err *err)
{
	int rc = fn->is_placed ? 0 : find_places(fn->fbt, err);

	*places = rc == 0 ? fn->places : NULL;
	return rc;
}
