/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registry: the probes that were asked for, found through providers.
 *
 * Ids are laid out once, from the sizes of the providers' tables, so an id
 * means the same probe whatever was matched before it:
 *
 *	1           | dtrace | syscall | ... |  on demand ...
 *	            ^ bases[0] ^ bases[1]    ^ bases[NPROVIDERS]
 *
 * Probes on demand (tick-7s, those of processes) are numbered as they are first
 * named.  Their provider cannot list them again, so the registry matches them
 * itself, after all providers: id order is kept.  A provider's match() sees
 * descriptions of its own range and patterns that it answers, nothing else.
 */
#include "provider/provider.h"
#include "base/err.h"
#include "provider/provider_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/idmap.h"
#include "base/mem.h"
#include "base/refusals.h"
#include "base/str.h"
#include "base/vec.h"

static const struct dt_provider_ops *const providers[] = {
#define DT_PROVIDER(name) &dt_provider_##name,
#include "provider/providers.def"
#undef DT_PROVIDER
};
#define NPROVIDERS (sizeof(providers) / sizeof(providers[0]))

struct dt_registry {
	struct arena arena;		  /* probes and their strings */
	uint32_t bases[NPROVIDERS + 1];	  /* first ids; last: on demand */
	VEC(struct dt_probe *) probes;	  /* those that were asked for */
	struct idmap by_id;		  /* id -> index in probes */
	VEC(struct dt_probe *) on_demand; /* ids bases[NPROVIDERS] + i */
	struct strtab on_demand_names;	  /* with ids i + 1 */
	size_t from;	       /* on-demand probes before it are skipped */
	struct strtab derived; /* providers that libraries define */
	VEC(struct dt_probe *) sites; /* of dt_registry_loader() */
	VEC(struct dt_probe *) found; /* by the match that is running */
	struct listing *listing;      /* the listing that runs; NULL: none */
	bool is_recorded;	      /* dt_registry_set_recorded() */
	bool is_hasty;
	bool is_asking;	  /* dt_registry_any() */
	bool is_focussed; /* on the processes of `focus` */
	const pid_t *focus;
	size_t nfocus;
	const struct dt_new_file *files;
	size_t nfiles;
	VEC(pid_t) families;   /* dt_registry_set_families() */
	dt_root_of_f *root_of; /* NULL: processes have no descendants */
	void *root_arg;
	struct dt_ufiles *ufiles; /* NULL: none was wanted yet */
	VEC(struct kept {
		const struct dt_keep *how;
		void *what;
	})
	kept;
	struct refusals refusals;
	dt_can_arm_f *can_arm;	 /* NULL: everything can be armed */
	uint32_t nhidden;	 /* ids that are in no list */
	char *msg;		 /* of dt_registry_fail() */
	enum dt_refusal refusal; /* the kind of that refusal */
};

/* The callback of a listing, and its progress. */
struct listing {
	dt_probe_f *f;
	void *arg;
	size_t n;
	int rc; /* of f; not 0 ends it */
};

const struct dt_provider_ops *
dt_provider_at(size_t i)
{
	return i < NPROVIDERS ? providers[i] : NULL;
}

struct dt_registry *
dt_registry_create(void)
{
	struct dt_registry *r = mem_alloc(sizeof(*r));
	uint32_t base = 1;

	arena_init(&r->arena);
	strtab_init(&r->on_demand_names);
	strtab_init(&r->derived);
	for (size_t i = 0; i < NPROVIDERS; i++) {
		r->bases[i] = base;
		base += providers[i]->nids(r);
	}
	r->bases[NPROVIDERS] = base;
	return r;
}

void
dt_registry_destroy(struct dt_registry *r)
{
	if (r == NULL)
		return;
	VEC_FOREACH(&r->on_demand, pp) {
		if ((*pp)->up != NULL)
			VEC_FREE(&(*pp)->up->sites);
	}
	VEC_FOREACH(&r->sites, pp)
		VEC_FREE(&(*pp)->up->sites);
	VEC_FREE(&r->sites);
	dt_ufiles_destroy(r->ufiles);
	VEC_FREE(&r->probes);
	idmap_fini(&r->by_id);
	VEC_FREE(&r->on_demand);
	strtab_fini(&r->on_demand_names);
	strtab_fini(&r->derived);
	VEC_FREE(&r->found);
	VEC_FREE(&r->families);
	VEC_FOREACH(&r->kept, k)
		k->how->destroy(k->what);
	VEC_FREE(&r->kept);
	free(r->msg);
	arena_fini(&r->arena);
	refusals_fini(&r->refusals);
	free(r);
}

struct arena *
dt_registry_arena(struct dt_registry *r)
{
	return &r->arena;
}

uint32_t
dt_registry_hidden_id(struct dt_registry *r)
{
	return UINT32_MAX - r->nhidden++;
}

void *
dt_registry_keep(struct dt_registry *r, const struct dt_keep *how)
{
	struct kept new = { .how = how };

	VEC_FOREACH(&r->kept, k) {
		if (k->how == how)
			return k->what;
	}
	new.what = how->create(r);
	VEC_PUSH(&r->kept, new);
	return new.what;
}

bool
dt_field_is_empty(const char *pattern)
{
	return pattern == NULL || *pattern == '\0';
}

bool
dt_field_match(const char *pattern, const char *name)
{
	return dt_field_is_empty(pattern) || glob_match(pattern, name);
}

bool
dt_field_is(const char *pattern, const char *name)
{
	return pattern != NULL && strcmp(pattern, name) == 0;
}

bool
dt_pdesc_match(const struct dif_pdesc *desc, const struct dt_probe *tmpl)
{
	if (desc->id != 0)
		return desc->id == tmpl->id;
	return dt_field_match(desc->name, tmpl->name) &&
	    dt_field_match(desc->func, tmpl->func) &&
	    dt_field_match(desc->mod, tmpl->mod) &&
	    dt_field_match(desc->prov, tmpl->prov);
}

static int __attribute__((format(printf, 4, 0))) fail(struct dt_registry *r,
    enum dt_refusal why, int err, const char *fmt, va_list ap)
{
	struct strbuf sb = { 0 };

	strbuf_vprintf(&sb, fmt, ap);
	free(r->msg);
	r->msg = strbuf_steal(&sb);
	r->refusal = why;
	return err;
}

void
dt_registry_set_can_arm(struct dt_registry *r, dt_can_arm_f *f)
{
	r->can_arm = f;
}

bool
dt_registry_can_arm(const struct dt_registry *r, enum dt_probe_kind kind,
    const struct dt_code_place *at)
{
	return r->can_arm == NULL || r->can_arm(kind, at);
}

struct refusals *
dt_registry_refusals(struct dt_registry *r)
{
	return &r->refusals;
}

void
dt_registry_leave_out(struct dt_registry *r, char *what, char *why)
{
	if (r->is_asking || r->listing != NULL) {
		free(what);
		free(why);
		return;
	}
	if (refusals_add(&r->refusals, what, why))
		r->refusals.tried++;
}

int
dt_registry_fail(struct dt_registry *r, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fail(r, DT_REFUSE_PDESC, err, fmt, ap);
	va_end(ap);
	return err;
}

int
dt_registry_refuse(
    struct dt_registry *r, enum dt_refusal why, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fail(r, why, err, fmt, ap);
	va_end(ap);
	return err;
}

enum dt_refusal
dt_registry_refusal(const struct dt_registry *r)
{
	return r->refusal;
}

struct dt_ufiles *
dt_registry_ufiles(struct dt_registry *r)
{
	if (r->ufiles == NULL)
		r->ufiles = dt_ufiles_create();
	return r->ufiles;
}

void
dt_registry_note_derived(struct dt_registry *r, const char *prov)
{
	strtab_intern(&r->derived, prov);
}

bool
dt_registry_has(const struct dt_registry *r, const struct dt_provider_ops *ops)
{
	VEC_FOREACH(&r->on_demand, pp) {
		if ((*pp)->ops == ops)
			return true;
	}
	return false;
}

static struct dt_probe *
probe_at(const struct dt_registry *r, uint32_t id)
{
	const uint32_t *i = idmap_get(&r->by_id, id);

	return i != NULL ? r->probes.v[*i] : NULL;
}

static struct dt_probe *
probe_create(struct dt_registry *r, const struct dt_probe *tmpl, uint32_t id)
{
	struct dt_probe *p = ARENA_NEW(&r->arena, struct dt_probe);

	*p = *tmpl;
	p->id = id;
	p->prov = arena_strdup(&r->arena, tmpl->prov);
	p->mod = arena_strdup(&r->arena, tmpl->mod);
	p->func = arena_strdup(&r->arena, tmpl->func);
	p->name = arena_strdup(&r->arena, tmpl->name);
	idmap_put(&r->by_id, id, (uint32_t)r->probes.n);
	VEC_PUSH(&r->probes, p);
	return p;
}

/*
 * The probe on demand of that name; it is new the first time.  A probe of all
 * processes is in one file: several files have the same name, one may be named
 * by its path, and another may come while the first is traced.
 */
static struct dt_probe *
probe_on_demand(struct dt_registry *r, const struct dt_probe *tmpl,
    const struct dt_ufile *file)
{
	char *key = mem_printf("%s\n%s\n%s\n%s\n%s\n%llx %llx", tmpl->ops->name,
	    tmpl->prov, tmpl->mod, tmpl->func, tmpl->name,
	    file != NULL ? (unsigned long long)file->dev : 0,
	    file != NULL ? (unsigned long long)file->ino : 0);
	uint32_t i = strtab_intern(&r->on_demand_names, key) - 1;

	free(key);
	if (i == r->on_demand.n)
		VEC_PUSH(&r->on_demand,
		    probe_create(r, tmpl, r->bases[NPROVIDERS] + i));
	return r->on_demand.v[i];
}

struct dt_probe *
dt_registry_add(struct dt_registry *r, const struct dt_probe *tmpl)
{
	struct dt_probe *p;

	if (tmpl->id == 0)
		return probe_on_demand(r, tmpl, NULL);
	p = probe_at(r, tmpl->id);
	if (p == NULL)
		p = probe_create(r, tmpl, tmpl->id);
	VEC_PUSH(&r->found, p);
	return p;
}

static void
tell(struct listing *l, const struct dt_probe *p)
{
	if (l->rc == 0) {
		l->n++;
		l->rc = l->f(p, l->arg);
	}
}

/* Probes found so far are reported before those found next.  f may use the
 * registry, so the list is ours meanwhile. */
static void
tell_found(struct dt_registry *r, struct listing *l)
{
	__typeof__(r->found) found = r->found;

	memset(&r->found, 0, sizeof(r->found));
	VEC_FOREACH(&found, p)
		tell(l, *p);
	VEC_FREE(&found);
}

void
dt_registry_offer(struct dt_registry *r, const struct dt_probe *tmpl)
{
	struct listing *l = r->listing;

	if (l == NULL || tmpl->id == 0) {
		dt_registry_add(r, tmpl);
		return;
	}
	tell_found(r, l);
	tell(l, tmpl);
}

static struct dt_probe *
find_loader(const struct dt_registry *r, pid_t pid, const struct dt_usite *site)
{
	VEC_FOREACH(&r->sites, pp) {
		const struct dt_usite *s = &(*pp)->up->sites.v[0];

		if ((*pp)->up->pid == pid && s->file == site->file &&
		    s->off == site->off)
			return *pp;
	}
	return NULL;
}

const struct dt_probe *
dt_registry_loader(struct dt_registry *r, pid_t pid, const char *func,
    const struct dt_usite *site)
{
	struct dt_probe *p = find_loader(r, pid, site);

	if (p != NULL)
		return p;
	p = ARENA_NEW(&r->arena, struct dt_probe);
	p->prov =
	    pid != 0 ? arena_printf(&r->arena, "pid%d", (int)pid) : "pid*";
	p->mod = p->name = "";
	p->func = func;
	p->kind = DT_PROBE_LOADER;
	p->up = ARENA_NEW(&r->arena, struct dt_usites);
	p->up->pid = pid;
	VEC_PUSH(&p->up->sites, *site);
	VEC_PUSH(&r->sites, p);
	return p;
}

void
dt_registry_set_recorded(struct dt_registry *r)
{
	r->is_recorded = true;
}

struct dt_probe *
dt_registry_add_recorded(
    struct dt_registry *r, const struct dt_probe *tmpl, uint32_t id)
{
	char *key = mem_printf("%s\n%s\n%s\n%s\n%s", tmpl->ops->name,
	    tmpl->prov, tmpl->mod, tmpl->func, tmpl->name);
	uint32_t i = strtab_intern(&r->on_demand_names, key) - 1;

	free(key);
	if (i != r->on_demand.n)
		return r->on_demand.v[i];
	/* the recorded id, unless a hostile file has it twice */
	if (id == 0 || id >= UINT32_MAX / 2 || probe_at(r, id) != NULL)
		id = UINT32_MAX / 2 + i;
	VEC_PUSH(&r->on_demand, probe_create(r, tmpl, id));
	return r->on_demand.v[i];
}

static bool
has_site(const struct dt_usites *up, const struct dt_usite *site)
{
	VEC_FOREACH(&up->sites, s) {
		if (s->file == site->file && s->off == site->off)
			return true;
	}
	return false;
}

void
dt_registry_add_sites(struct dt_registry *r, const struct dt_probe *tmpl,
    const struct dt_usite *sites, size_t n)
{
	struct dt_probe *p = probe_on_demand(
	    r, tmpl, tmpl->up->pid == 0 && n != 0 ? sites->file : NULL);

	if (p->up == tmpl->up) { /* it is new: the copy is ours */
		p->up = ARENA_NEW(&r->arena, struct dt_usites);
		*p->up = *tmpl->up;
	}
	/* one process's library may be another one's program */
	p->up->is_program |= tmpl->up->is_program;
	for (size_t i = 0; i < n; i++) {
		if (!has_site(p->up, &sites[i]))
			VEC_PUSH(&p->up->sites, sites[i]);
	}
}

bool
dt_provider_answers(const struct dt_provider_ops *ops, const char *pattern)
{
	if (ops->answers != NULL)
		return ops->answers(pattern);
	return dt_field_match(pattern, ops->name);
}

static bool
selects_growing(const struct dif_pdesc *desc, bool must_follow)
{
	for (size_t i = 0; desc->id == 0 && i < NPROVIDERS; i++) {
		const struct dt_provider_ops *p = providers[i];

		if (p->grows && dt_provider_answers(p, desc->prov) &&
		    (!must_follow || (p->follows != NULL && p->follows(desc))))
			return true;
	}
	return false;
}

bool
dt_registry_may_grow(const struct dif_pdesc *desc)
{
	return selects_growing(desc, false);
}

bool
dt_registry_follows(const struct dt_registry *r, const struct dif_pdesc *desc)
{
	return selects_growing(desc, true) ||
	    dt_registry_has_family(r, dt_pid_named(desc));
}

void
dt_registry_set_families(struct dt_registry *r, const pid_t *pids, size_t n)
{
	r->families.n = 0;
	for (size_t i = 0; i < n; i++)
		VEC_PUSH(&r->families, pids[i]);
}

bool
dt_registry_has_family(const struct dt_registry *r, pid_t pid)
{
	VEC_FOREACH(&r->families, root) {
		if (*root == pid)
			return true;
	}
	return false;
}

void
dt_registry_set_root_of(struct dt_registry *r, dt_root_of_f *root_of, void *arg)
{
	r->root_of = root_of;
	r->root_arg = arg;
}

pid_t
dt_registry_root_of(const struct dt_registry *r, pid_t pid)
{
	if (dt_registry_has_family(r, pid))
		return pid;
	return r->root_of != NULL ? r->root_of(r->root_arg, pid) : 0;
}

/* Could provider i have what the description asks for? */
static bool
provider_may_match(
    const struct dt_registry *r, size_t i, const struct dif_pdesc *desc)
{
	if (desc->id != 0)
		return desc->id >= r->bases[i] && desc->id < r->bases[i + 1];
	return dt_provider_answers(providers[i], desc->prov);
}

static bool
on_demand_selected(const struct dif_pdesc *desc, const struct dt_probe *p)
{
	if (desc->id != 0 || p->ops->selects == NULL)
		return dt_pdesc_match(desc, p);
	return p->ops->selects(desc, p);
}

/*
 * The message, if there is one, becomes the caller's, with the code of the
 * search.
 */
static void
hand_over_msg(struct dt_registry *r, int rc, struct err *err)
{
	if (r->msg != NULL)
		err_take(err, rc < 0 ? rc : -ENOENT, r->msg);
	r->msg = NULL;
}

/*
 * Is it the name of a provider that a library defines?  Others need not be
 * asked: nfsv3 is not the probes that process 3 brings, also where it has none.
 */
static bool
is_derived(const struct dt_registry *r, const char *prov)
{
	return !dt_field_is_empty(prov) && strtab_find(&r->derived, prov) != 0;
}

/* Over a recording, all probes but BEGIN, END, ERROR and ticks are recorded. */
static bool
is_of_dtrace(const struct dt_provider_ops *ops, const struct dif_pdesc *desc)
{
	if (ops == &dt_provider_dtrace)
		return true;
	return ops == &dt_provider_profile && desc->name != NULL &&
	    strncmp(desc->name, "tick-", 5) == 0;
}

/* Fill r->found. Returns 0 or -errno with r->msg set. */
static int
registry_search(struct dt_registry *r, const struct dif_pdesc *desc)
{
	bool is_ours = desc->id == 0 && is_derived(r, desc->prov);

	for (size_t i = 0; i < NPROVIDERS && !is_ours; i++) {
		int rc;

		if (!provider_may_match(r, i, desc) ||
		    (r->is_recorded && !is_of_dtrace(providers[i], desc)) ||
		    (r->is_focussed && !providers[i]->grows))
			continue;
		rc = providers[i]->match(r, desc, r->bases[i]);
		if (rc != 0)
			return rc;
	}
	for (size_t i = r->from; i < r->on_demand.n; i++) {
		if (on_demand_selected(desc, r->on_demand.v[i]))
			VEC_PUSH(&r->found, r->on_demand.v[i]);
	}
	return 0;
}

/* The number that was found, or what f returned, or -errno. */
CHECKED static int
search_and_tell(struct dt_registry *r, const struct dif_pdesc *desc,
    struct listing *l, struct err *err)
{
	int rc;

	r->found.n = 0;
	free(r->msg);
	r->msg = NULL;
	rc = registry_search(r, desc);
	if (rc != 0 || r->found.n + l->n == 0)
		hand_over_msg(r, rc, err);
	if (rc != 0)
		return rc;
	tell_found(r, l);
	return l->rc != 0 ? l->rc : (int)l->n;
}

/* One match may run while another one's f does. */
CHECKED static int
search_as(struct dt_registry *r, const struct dif_pdesc *desc,
    struct listing *l, bool is_listing, struct err *err)
{
	struct listing *outer = r->listing;
	int rc;

	r->listing = is_listing ? l : NULL;
	rc = search_and_tell(r, desc, l, err);
	r->listing = outer;
	return rc;
}

int
dt_registry_match(struct dt_registry *r, const struct dif_pdesc *desc,
    dt_probe_f *f, void *arg, struct err *err)
{
	return search_as(
	    r, desc, &(struct listing){ .f = f, .arg = arg }, false, err);
}

size_t
dt_registry_ndemanded(const struct dt_registry *r)
{
	return r->on_demand.n;
}

int
dt_registry_match_new(struct dt_registry *r, const struct dif_pdesc *desc,
    size_t from, dt_probe_f *f, void *arg, struct err *err)
{
	int rc;

	r->from = from;
	rc = dt_registry_match(r, desc, f, arg, err);
	r->from = 0;
	return rc;
}

int
dt_registry_list(struct dt_registry *r, const struct dif_pdesc *desc,
    dt_probe_f *f, void *arg, struct err *err)
{
	return search_as(
	    r, desc, &(struct listing){ .f = f, .arg = arg }, true, err);
}

bool
dt_registry_is_listing(const struct dt_registry *r)
{
	return r->listing != NULL;
}

void
dt_registry_set_focus(struct dt_registry *r, const pid_t *pids, size_t n,
    const struct dt_new_file *files, size_t nfiles)
{
	r->is_focussed = true;
	r->focus = pids;
	r->nfocus = n;
	r->files = files;
	r->nfiles = nfiles;
}

const struct dt_new_file *
dt_registry_files(const struct dt_registry *r, size_t *n)
{
	*n = r->is_focussed ? r->nfiles : 0;
	return r->files;
}

struct proc_map
dt_new_file_map(const struct dt_new_file *f)
{
	return (struct proc_map){ .dev = f->dev,
		.ino = f->ino,
		.path = f->path,
		.is_deleted = f->is_deleted };
}

void
dt_registry_end_focus(struct dt_registry *r)
{
	r->is_focussed = false;
}

bool
dt_registry_set_hasty(struct dt_registry *r, bool is_hasty)
{
	bool was = r->is_hasty;

	r->is_hasty = is_hasty;
	return was;
}

bool
dt_registry_is_hasty(const struct dt_registry *r)
{
	return r->is_hasty;
}

const pid_t *
dt_registry_focus(const struct dt_registry *r, size_t *n)
{
	*n = r->nfocus;
	return r->is_focussed && r->nfocus != 0 ? r->focus : NULL;
}

bool
dt_registry_is_seen(const struct dt_registry *r, pid_t pid)
{
	size_t n;
	const pid_t *pids = dt_registry_focus(r, &n);

	for (size_t i = 0; pids != NULL && i < n; i++) {
		if (pids[i] == pid)
			return false;
	}
	return pids != NULL;
}

static int
stop_at_first(const struct dt_probe *p, void *arg)
{
	(void)p;
	(void)arg;
	return 1;
}

bool
dt_registry_any(struct dt_registry *r, const struct dif_pdesc *desc)
{
	struct err err = { 0 };
	int n;

	r->is_asking = true;
	n = dt_registry_match(r, desc, stop_at_first, NULL, &err);
	r->is_asking = false;
	err_clear(&err);
	return n > 0;
}

bool
dt_registry_is_asking(const struct dt_registry *r)
{
	return r->is_asking;
}

static int
pass_over(const struct dt_probe *p, void *arg)
{
	(void)p;
	(void)arg;
	return 0;
}

const struct dt_probe *
dt_registry_by_id(struct dt_registry *r, uint32_t id)
{
	struct dif_pdesc desc = { .id = id };
	struct err err = { 0 };

	if (id == 0)
		return NULL;
	if (probe_at(r, id) == NULL)
		err_forget(
		    dt_registry_match(r, &desc, pass_over, NULL, &err), &err);
	return probe_at(r, id);
}

size_t
dt_probe_args(const struct dt_probe *p, struct dt_argdesc args[DT_NARGS_MAX])
{
	const char *const *types = NULL;
	size_t n = 0;

	if (p->ops->args != NULL)
		return p->ops->args(p, args);
	if (p->ops->arg_types != NULL)
		types = p->ops->arg_types(p);
	for (; types != NULL && types[n] != NULL && n < DT_NARGS_MAX; n++)
		args[n] = (struct dt_argdesc){ .native = types[n],
			.mapping = (uint8_t)n,
			.is_userland = p->ops->has_user_pointers &&
			    strchr(types[n], '*') != NULL };
	return n;
}

const char *const *
dt_probe_attrs(const struct dt_probe *p)
{
	return p->attrs != NULL ? p->attrs : p->ops->attrs;
}

void
dt_probe_format(const struct dt_probe *p, struct strbuf *out)
{
	strbuf_printf(out, "%s:%s:%s:%s", p->prov, p->mod, p->func, p->name);
}

static bool
name_says(const char *name, const char *word)
{
	size_t n = strlen(name), w = strlen(word);

	if (n < w || strcmp(name + n - w, word) != 0)
		return false;
	return n == w || name[n - w - 1] == '-';
}

enum dt_flow
dt_probe_flow(const struct dt_probe *p)
{
	if (name_says(p->name, "entry"))
		return DT_FLOW_ENTRY;
	if (name_says(p->name, "return"))
		return DT_FLOW_RETURN;
	return DT_FLOW_NONE;
}
