/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Function boundaries of the kernel: fbt:<module>:<function>:entry and :return.
 *
 * The functions are those that the kernel's function tracer lists: it knows
 * which are compiled with a place for a probe and which must not be probed. A
 * name that several functions of a module have is one probe, armed at all that
 * are listed.  The line of the list makes the id.
 *
 * The list stays text: of its 50,000 lines a script wants few, and only those
 * become a struct fbt_func.  The kernel's types and symbols are read when
 * something depends on them.
 *
 * A function's arguments and result are typed by its BTF; those that the
 * compiler changed (names like foo.isra.0) have none.  arg0 of a return should
 * be the offset of the return in the function; the kernel does not give it: 0.
 */
#include "provider/fbt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/glob.h"
#include "base/hash.h"
#include "base/kallsyms.h"
#include "base/lines.h"
#include "base/mem.h"
#include "base/ownfailure.h"
#include "base/str.h"
#include "base/vec.h"

#define LIST "available_filter_functions"
#define VMLINUX "vmlinux"
#define NLINES 131072 /* more are numbered on demand */
#define PORTION 65536
#define NHEADS 65536 /* of chains of lines: a power of two */
/* The symbol behind the kernel's own code; that of modules comes later. */
#define CODE_END "_etext"

struct fbt_line {
	uint32_t off, len;
	uint32_t next; /* the number + 1 of the next one with its hash */
};

struct fbt {
	struct dt_registry *r;
	struct arena arena;
	struct strbuf list;
	VEC(struct fbt_line) lines;   /* once a name is looked for */
	uint32_t *heads;	      /* by hash of the name: number + 1 */
	VEC(struct fbt_func *) funcs; /* functions that were wanted */
	struct strtab names, mods;
	VEC(struct fbt_func *) by_name; /* by id in names: the first one */
	size_t nplaced;			/* so many have their places */
	char *why;			/* why there are none */
	int error;			/* the errno of that, or 0 */
};

/* ---- the list ------------------------------------------------------------ */

static const char *
keep_module(struct fbt *f, const char *mod)
{
	if (strcmp(mod, VMLINUX) == 0)
		return VMLINUX;
	return strtab_str(&f->mods, strtab_intern(&f->mods, mod));
}

/* Several functions of a module with one name are one: the first. */
static struct fbt_func *
want_func(struct fbt *f, const char *name, const char *mod, uint32_t line)
{
	uint32_t id = strtab_intern(&f->names, name);
	struct fbt_func *fn, **at;

	if (id > f->by_name.n)
		VEC_PUSH(&f->by_name, NULL);
	for (at = &f->by_name.v[id - 1]; *at != NULL; at = &(*at)->next) {
		if (strcmp((*at)->mod, mod) == 0)
			return *at;
	}
	fn = *at = ARENA_NEW(&f->arena, struct fbt_func);
	fn->fbt = f;
	fn->name = strtab_str(&f->names, id);
	fn->mod = keep_module(f, mod);
	fn->line = line;
	VEC_PUSH(&f->funcs, fn);
	return fn;
}

/* The names that a search in the list wants. */
struct prov_fbt_wanted {
	const char *func, *mod; /* patterns, or names */
	bool is_pattern;	/* is func one? */
	const char *prefix;	/* what its names begin with */
	size_t prefix_len;
};

static struct prov_fbt_wanted
wanted_by(const struct dif_pdesc *desc)
{
	bool is_pattern =
	    dt_field_is_empty(desc->func) || glob_is_pattern(desc->func);
	const char *func = desc->func != NULL ? desc->func : "";

	return (struct prov_fbt_wanted){ .func = func,
		.mod = desc->mod,
		.is_pattern = is_pattern,
		.prefix = func,
		.prefix_len = strcspn(func, "*?[\\") };
}

/* Make a copy of a line, "name" or "name [module]", the name; the module. */
static const char *
cut_line(char *line)
{
	char *end = word_end(line), *bracket = strchr(end, '[');

	*end = '\0';
	if (bracket == NULL)
		return VMLINUX;
	bracket[strcspn(bracket, "]")] = '\0';
	return bracket + 1;
}

/* Copy a line that a search may be for.  A discarded function stays in the list
 * under a made-up name. */
static struct fbt_func *
take_line(
    struct fbt *f, const struct prov_fbt_wanted *w, char *line, uint32_t no)
{
	const char *mod = cut_line(line);

	if (strncmp(line, "__ftrace_invalid", 16) == 0 ||
	    (w->is_pattern ? !dt_field_match(w->func, line) :
			     strcmp(w->func, line) != 0) ||
	    !dt_field_match(w->mod, mod))
		return NULL;
	return want_func(f, line, mod, no);
}

struct prov_fbt_finding {
	struct fbt *f;
	const struct prov_fbt_wanted *w;
	void (*found)(struct fbt_func *fn, void *arg);
	void *arg;
	struct strbuf line;
	bool is_any;
};

static void
try_line(struct prov_fbt_finding *g, const char *at, size_t len, uint32_t no)
{
	const struct prov_fbt_wanted *w = g->w;
	struct fbt_func *fn;

	if (len == 0 || len < w->prefix_len ||
	    memcmp(at, w->prefix, w->prefix_len) != 0)
		return;
	strbuf_reset(&g->line);
	strbuf_add(&g->line, at, len);
	fn = take_line(g->f, w, g->line.s, no);
	if (fn == NULL || fn->line != no)
		return;
	g->found(fn, g->arg);
	g->is_any = true;
}

static size_t
line_len(const struct fbt *f, size_t off)
{
	const char *at = f->list.s + off;
	const char *end = memchr(at, '\n', f->list.len - off);

	return end != NULL ? (size_t)(end - at) : f->list.len - off;
}

static void
try_all(struct prov_fbt_finding *g)
{
	const struct fbt *f = g->f;
	uint32_t no = 0;

	for (size_t off = 0, len; off < f->list.len; off += len + 1) {
		len = line_len(f, off);
		try_line(g, f->list.s + off, len, no++);
	}
}

static size_t
name_len(const char *line, size_t len)
{
	size_t n = 0;

	while (n < len && line[n] != ' ' && line[n] != '\t')
		n++;
	return n;
}

static uint32_t *
chain_of(struct fbt *f, const char *name, size_t len)
{
	return &f->heads[hash_bytes(name, len) & (NHEADS - 1)];
}

/* Index the list: libraries ask for many names, one by one. */
static void
index_list(struct fbt *f)
{
	if (f->heads != NULL)
		return;
	f->heads = mem_alloc(NHEADS * sizeof(*f->heads));
	for (size_t off = 0, len; off < f->list.len; off += len + 1) {
		len = line_len(f, off);
		VEC_PUSH(&f->lines,
		    ((struct fbt_line){ (uint32_t)off, (uint32_t)len, 0 }));
	}
	for (size_t no = f->lines.n; no-- > 0;) {
		struct fbt_line *l = &f->lines.v[no];
		const char *at = f->list.s + l->off;
		uint32_t *head = chain_of(f, at, name_len(at, l->len));

		l->next = *head;
		*head = (uint32_t)no + 1;
	}
}

static void
try_named(struct prov_fbt_finding *g)
{
	struct fbt *f = g->f;
	uint32_t i;

	index_list(f);
	i = *chain_of(f, g->w->func, strlen(g->w->func));
	while (i != 0) {
		const struct fbt_line *l = &f->lines.v[i - 1];

		try_line(g, f->list.s + l->off, l->len, i - 1);
		i = l->next;
	}
}

/* Call found() for each function that is wanted; is there any? */
static bool
search_list(struct fbt *f, const struct prov_fbt_wanted *w,
    void (*found)(struct fbt_func *fn, void *arg), void *arg)
{
	struct prov_fbt_finding g = {
		.f = f, .w = w, .found = found, .arg = arg
	};

	if (w->is_pattern)
		try_all(&g);
	else
		try_named(&g);
	strbuf_fini(&g.line);
	return g.is_any;
}

/* The name in line `no` of the list, malloced; NULL: it has fewer. */
static char *
listed_name(struct fbt *f, uint32_t no)
{
	const struct fbt_line *l;
	const char *at;

	index_list(f);
	if (no >= f->lines.n)
		return NULL;
	l = &f->lines.v[no];
	at = f->list.s + l->off;
	return mem_strndup(at, name_len(at, l->len));
}

/* The kernel writes a page at a time, so it is asked for much at once. */
static int
read_list(struct fbt *f, int fd)
{
	ssize_t n;

	do {
		n = read(fd, strbuf_room(&f->list, PORTION), PORTION);
		f->list.len += n > 0 ? (size_t)n : 0;
	} while (n > 0);
	return n < 0 ? -errno : 0;
}

static char *
no_list(const struct dt_registry *r, int err)
{
	bool is_denied = err == EPERM || err == EACCES;
	char *why, *text;

	if (!dt_privilege_has(DT_PRIV_KERNEL)) {
		why = dt_privilege_refusal(DT_PRIV_KERNEL, "the kernel's code");
		text = mem_printf("%s: run dtrace with sudo", why);
		free(why);
		return text;
	}
	text = dt_tracefs_refusal(err);
	if (text != NULL)
		return text;
	if (!dt_registry_can_arm(r, DT_PROBE_KFUNC_ENTRY, NULL))
		return mem_printf("this kernel has no kprobes, and its "
				  "function tracer lists no functions: %s",
		    strerror(err));
	return mem_printf("cannot read tracefs's " LIST ": %s%s", strerror(err),
	    !is_denied	       ? "" :
		geteuid() != 0 ? " (needs root)" :
				 " (the kernel is locked down)");
}

static void *
fbt_create(struct dt_registry *r)
{
	struct fbt *f = mem_alloc(sizeof(*f));
	FILE *list = dt_tracefs_open(LIST);
	int rc = list == NULL ? -errno : read_list(f, fileno(list));

	f->r = r;
	arena_init(&f->arena);
	strtab_init(&f->names);
	strtab_init(&f->mods);
	if (rc != 0)
		f->why = no_list(r, -rc);
	f->error = -rc;
	if (list != NULL)
		fclose(list);
	return f;
}

static void
fbt_destroy(void *arg)
{
	struct fbt *f = arg;

	strbuf_fini(&f->list);
	VEC_FREE(&f->lines);
	free(f->heads);
	VEC_FREE(&f->funcs);
	VEC_FREE(&f->by_name);
	strtab_fini(&f->names);
	strtab_fini(&f->mods);
	arena_fini(&f->arena);
	free(f->why);
	free(f);
}

/* ---- twins --------------------------------------------------------------- */

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
		const char *mod = cut_line(line);
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
	index_list(fn->fbt);
	return find_line(fn, *chain_of(fn->fbt, fn->name, strlen(fn->name)));
}

static uint32_t
next_line(const struct fbt_func *fn, uint32_t i)
{
	return find_line(fn, fn->fbt->lines.v[i - 1].next);
}

/* How many functions the list has of its name in its module. */
static size_t
count_lines(const struct fbt_func *fn)
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

	if (strcmp(cut_line(line), mod) == 0) {
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
	return n > 1 && n > count_lines(fn);
}

/* 0, also if the kernel has no list or hides it; or -errno with *err. */
CHECKED static int
read_symbols(bool (*take)(const struct ksymbol *sym, void *arg), void *arg,
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
		rc = read_symbols(count_symbol, &tw, err);
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
	rc = read_symbols(take_symbol, &pl, err);
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

/* ---- matching ------------------------------------------------------------ */

static uint32_t
fbt_nids(struct dt_registry *r)
{
	(void)r;
	return 2 * NLINES;
}

struct offering {
	struct dt_registry *r;
	const struct dif_pdesc *desc;
	uint32_t id_base;
};

/* Offer those of the function's two probes that the description selects. */
static void
offer_probes(struct fbt_func *fn, void *arg)
{
	const struct offering *o = arg;
	struct dt_probe p = { .ops = &dt_provider_fbt,
		.prov = "fbt",
		.mod = fn->mod,
		.func = fn->name,
		.data = fn };

	for (uint32_t is_return = 0; is_return < 2; is_return++) {
		p.id = fn->line < NLINES ?
		    o->id_base + 2 * fn->line + is_return :
		    0;
		p.name = is_return ? "return" : "entry";
		p.kind =
		    is_return ? DT_PROBE_KFUNC_RETURN : DT_PROBE_KFUNC_ENTRY;
		p.group = DT_GROUP(FBT, is_return);
		if (o->desc->id != 0 ? o->desc->id == p.id :
				       dt_field_match(o->desc->name, p.name))
			dt_registry_offer(o->r, &p);
	}
}

/* The probe of an id: the function is looked for by its name, since a line may
 * be another one of a name that has its id already. */
static void
offer_by_id(struct fbt *f, struct offering *o)
{
	char *name = listed_name(f, (o->desc->id - o->id_base) / 2);

	if (name != NULL) {
		struct prov_fbt_wanted w = {
			.func = name, .prefix = name, .prefix_len = strlen(name)
		};

		search_list(f, &w, offer_probes, o);
	}
	free(name);
}

struct prov_fbt_search {
	const struct dif_pdesc *desc;
	bool is_found;
};

static bool
is_such_function(const struct ksymbol *sym, void *arg)
{
	struct prov_fbt_search *s = arg;

	s->is_found = ksym_is_code(sym->type) &&
	    strcmp(sym->name, s->desc->func) == 0 &&
	    dt_field_match(s->desc->mod, sym->module);
	return s->is_found;
}

/* Does the kernel proper have a function of that name, one that is not written
 * in assembly? */
static bool
has_type(struct fbt *f, const char *name)
{
	struct btf_blob *b = dt_kbtf_module(dt_kbtf(f->r), VMLINUX);

	return b != NULL && btf_blob_find(b, BTF_KIND_FUNC, name) != 0;
}

/*
 * Tell apart a named function that exists but is not in the list, and one that
 * does not exist.  The kernel's symbols take a while to read.
 */
static int
check_refused(
    struct dt_registry *r, struct fbt *f, const struct dif_pdesc *desc)
{
	struct prov_fbt_search s = { .desc = desc };
	struct err err = { 0 };
	int rc;

	if (!dt_field_is(desc->prov, "fbt") || dt_field_is_empty(desc->func) ||
	    glob_is_pattern(desc->func) || dt_registry_is_asking(r))
		return 0;
	if (dt_registry_is_hasty(r) && !has_type(f, desc->func))
		return 0;
	rc = read_symbols(is_such_function, &s, &err);
	if (rc != 0)
		rc = dt_registry_fail(r, rc, "%s", err_text(&err));
	err_clear(&err);
	if (rc != 0 || !s.is_found)
		return rc;
	return dt_registry_fail(r, -EPERM,
	    "the kernel does not let function "
	    "%s be probed: its function tracer leaves it out (notrace, or code "
	    "that a probe itself may run through)",
	    desc->func);
}

static bool
names_no_probe(const struct dif_pdesc *desc)
{
	return desc->id == 0 && !dt_field_match(desc->name, "entry") &&
	    !dt_field_match(desc->name, "return");
}

static int
fbt_match(struct dt_registry *r, const struct dif_pdesc *desc, uint32_t id_base)
{
	static const struct dt_keep keep = { fbt_create, fbt_destroy };
	struct offering o = { r, desc, id_base };
	struct prov_fbt_wanted w = wanted_by(desc);
	struct fbt *f;

	if (names_no_probe(desc))
		return 0;
	f = dt_registry_keep(r, &keep);
	if (f->why != NULL)
		return dt_field_is_empty(desc->prov) &&
			!is_own_failure(f->error) ?
		    0 :
		    dt_registry_fail(
			r, -ENOTSUP, "fbt is not available: %s", f->why);
	if (desc->id != 0)
		offer_by_id(f, &o);
	else if (!search_list(f, &w, offer_probes, &o) && !w.is_pattern)
		return check_refused(r, f, desc);
	return 0;
}

/* ---- types --------------------------------------------------------------- */

/* The function's prototype, with the BTF that has it; 0: none. */
static uint32_t
func_proto(const struct fbt_func *fn, struct btf_blob **b)
{
	const struct btf_type *t;

	*b = dt_kbtf_module(dt_kbtf(fn->fbt->r), fn->mod);
	if (*b == NULL)
		return 0;
	t = btf_blob_type(*b, btf_blob_find(*b, BTF_KIND_FUNC, fn->name));
	if (t == NULL)
		return 0;
	return btf_blob_type(*b, t->type) != NULL &&
		btf_type_kind(btf_blob_type(*b, t->type)) ==
		    BTF_KIND_FUNC_PROTO ?
	    t->type :
	    0;
}

uint32_t
fbt_btf_id(const struct dt_probe *p)
{
	const struct fbt_func *fn = p->data;
	struct btf_blob *b;

	if (strcmp(fn->mod, VMLINUX) != 0 || func_proto(fn, &b) == 0)
		return 0;
	return btf_blob_find(b, BTF_KIND_FUNC, fn->name);
}

/* Through typedefs and the like: is it an integer or a pointer? */
static bool
is_scalar(struct btf_blob *b, uint32_t id)
{
	for (unsigned depth = 0; depth < 16; depth++) {
		const struct btf_type *t = btf_blob_type(b, id);

		if (id == 0 || t == NULL)
			return id == 0;
		switch (btf_type_kind(t)) {
		case BTF_KIND_INT:
		case BTF_KIND_ENUM:
		case BTF_KIND_ENUM64:
			return t->size <= 8;
		case BTF_KIND_PTR:
			return true;
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_CONST:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG:
			id = t->type;
			break;
		default:
			return false;
		}
	}
	return false;
}

bool
fbt_is_simple(const struct dt_probe *p)
{
	const struct fbt_func *fn = p->data;
	struct btf_blob *b;
	uint32_t proto = func_proto(fn, &b), n;
	const struct btf_param *params;
	const struct btf_type *t;

	if (proto == 0 || strcmp(fn->mod, VMLINUX) != 0 || count_lines(fn) > 1)
		return false;
	t = btf_blob_type(b, proto);
	params = btf_type_tail(t);
	n = btf_type_vlen(t);
	if (n > 6 || !is_scalar(b, t->type))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		/* "..." is a nameless parameter of type void */
		if (params[i].type == 0 || !is_scalar(b, params[i].type))
			return false;
	}
	return true;
}

static const char **
find_types(const struct fbt_func *fn, bool is_return)
{
	struct arena *a = &fn->fbt->arena;
	struct btf_blob *b;
	uint32_t proto = func_proto(fn, &b), n = 0, nparams;
	const struct btf_param *params;
	const char **types;

	if (proto == 0)
		return arena_alloc(a, sizeof(char *));
	params = btf_type_tail(btf_blob_type(b, proto));
	nparams = btf_type_vlen(btf_blob_type(b, proto));
	types = arena_alloc(a, (nparams + 3) * sizeof(char *));
	if (!is_return) {
		for (; n < nparams && params[n].type != 0; n++)
			types[n] = dt_kbtf_text(a, b, params[n].type);
		return types;
	}
	types[n++] = "int";
	if (btf_blob_type(b, proto)->type != 0)
		types[n++] = dt_kbtf_text(a, b, btf_blob_type(b, proto)->type);
	return types;
}

static const char *const *
fbt_arg_types(const struct dt_probe *p)
{
	struct fbt_func *fn = p->data;
	bool is_return = fbt_is_return(p);

	if (fn->types[is_return] == NULL)
		fn->types[is_return] = find_types(fn, is_return);
	return fn->types[is_return];
}

static const char *const fbt_attrs[] = {
	"Evolving/Evolving/Common",
	"Private/Private/Unknown",
	"Private/Private/Unknown",
	"Evolving/Evolving/Common",
	"Private/Private/ISA",
};

const struct dt_provider_ops dt_provider_fbt = {
	.name = "fbt",
	.nids = fbt_nids,
	.match = fbt_match,
	.arg_types = fbt_arg_types,
	.privilege = DT_PRIV_KERNEL,
	.attrs = fbt_attrs,
};
