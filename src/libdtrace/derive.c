/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Providers that D libraries define.  Each clause of a library is a rule: it
 * fires a derived probe at its origins (doc/providers.md says how to write such
 * a library).
 *
 *	provider proc { probe create(struct task_struct *t) : (psinfo_t *t); };
 *
 *	sdt:sched::sched_process_fork { fire("proc:::create", args[1]); }
 *
 * A declared probe that this kernel cannot support is kept with the reason,
 * which dtrace prints to users who ask for the probe.
 */
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "libdtrace/dt_impl.h"
#include "libdtrace/libprobes.h"
#include "provider/kernel_btf.h"

/*
 * The name in "prov:::name" or "prov$target:::name"; NULL: the probe is not the
 * provider's.
 */
static const char *
fired_name(const char *fires, const char *prov)
{
	size_t len = strlen(prov), n = strlen(DT_LIB_TARGET);

	if (fires == NULL || strncmp(fires, prov, len) != 0)
		return NULL;
	if (strncmp(fires + len, DT_LIB_TARGET, n) == 0)
		len += n;
	return strncmp(fires + len, ":::", 3) == 0 ? fires + len + 3 : NULL;
}

static bool
is_fired(const char *fires, const char *prov, const char *name)
{
	const char *fired = fired_name(fires, prov);

	return fired != NULL && strcmp(fired, name) == 0;
}

/* ---- one probe ----------------------------------------------------------- */

static struct dt_step
step_of(const struct dif_clause *c)
{
	struct dt_step step = { .pred = c->pred, .thread = c->fires_in };

	VEC_FOREACH(&c->actions, act)
		step.args[step.nargs++] = act->difo;
	return step;
}

/* "char userland *" -> "char *" */
static const char *
without_space(struct dt_hdl *h, const char *type, bool *is_userland)
{
	static const char space[] = " userland";
	const char *at = strstr(type, space);

	*is_userland = at != NULL;
	return at == NULL ? type :
			    arena_printf(&h->compiled.arena, "%.*s%s",
				(int)(at - type), type, at + strlen(space));
}

/* args[] as declared by the library. */
static size_t
describe_args(struct dt_hdl *h, const struct dif_provprobe *pp,
    struct dt_argdesc args[DT_NARGS_MAX])
{
	size_t n = pp->is_translated ? pp->xlated.n : pp->native.n;

	for (size_t i = 0; i < n; i++) {
		const struct dif_provarg *a =
		    pp->is_translated ? &pp->xlated.v[i] : &pp->native.v[i];
		const char *native = pp->native.v[a->mapping].type;

		args[i] = (struct dt_argdesc){ .mapping = a->mapping };
		args[i].native = without_space(h, native, &args[i].is_userland);
		if (strcmp(a->type, native) != 0)
			args[i].xlate = a->type;
	}
	return n;
}

static const char no_event[] = "Linux has no event for it";

/* Why no rule makes the probe: the reason why its rule was left out, or that it
 * has no rule. */
static const char *
why_none(const struct dt_prog *p, const char *prov, const char *name)
{
	VEC_FOREACH(&p->dif->leftouts, lo) {
		if (is_fired(lo->fires, prov, name))
			return lo->why;
	}
	return no_event;
}

static void
note_missing(
    struct dt_hdl *h, const char *prov, const char *name, const char *why)
{
	VEC_PUSH(&h->probes.missing,
	    (struct dt_missing){
		mem_strdup(prov), mem_strdup(name), mem_strdup(why) });
}

static int
check_fire(struct dt_hdl *h, const struct dif_clause *c,
    const struct dif_provprobe *pp)
{
	if (c->actions.n == pp->native.n)
		return 0;
	return dt_fail(h, "fire() of %s gives %zu arguments; the probe has %zu",
	    c->fires, c->actions.n, pp->native.n);
}

/* ---- one provider -------------------------------------------------------- */

/* The rules that fire the provider's probes, and the rules that set variables
 * for them. */
static struct dt_rule *
make_rules(const struct dt_prog *p, const char *prov, size_t *n)
{
	struct dt_rule *rules =
	    mem_alloc((p->dif->clauses.n + 1) * sizeof(*rules));

	*n = 0;
	VEC_FOREACH(&p->dif->clauses, c) {
		const char *name = fired_name(c->fires, prov);

		if (name == NULL && c->fires != NULL)
			continue;
		rules[(*n)++] = (struct dt_rule){ .descs = c->pdescs.v,
			.ndescs = c->pdescs.n,
			.step = step_of(c),
			.name = name };
	}
	return rules;
}

static void
add_lacks(
    struct dt_hdl *h, const struct dif_clause *c, struct dt_derived *probe)
{
	const char **lacks;

	if (c->lacks == NULL)
		return;
	lacks = arena_alloc(&h->compiled.arena, DIF_NFIRED * sizeof(*lacks));
	for (size_t i = 0; i < DIF_NFIRED; i++) {
		if (probe->lacks != NULL && probe->lacks[i] != NULL)
			lacks[i] = probe->lacks[i];
		else if (c->lacks[i] != NULL)
			lacks[i] =
			    arena_strdup(&h->compiled.arena, c->lacks[i]);
	}
	probe->lacks = lacks;
}

/* Tell the registry the facts of a declared probe. */
static int
describe_derived(struct dt_hdl *h, const struct dt_prog *p,
    const struct dif_provider *prov, const struct dif_provprobe *pp,
    struct dt_derived *probe)
{
	struct dt_argdesc *args =
	    arena_alloc(&h->compiled.arena, DT_NARGS_MAX * sizeof(*args));
	int rc = 0;

	VEC_FOREACH(&p->dif->clauses, c) {
		if (!is_fired(c->fires, prov->name, pp->name))
			continue;
		rc = check_fire(h, c, pp) != 0 ? -1 : rc;
		/* one rule without the argument affects the probe's users */
		add_lacks(h, c, probe);
	}
	probe->name = pp->name;
	probe->args = args;
	probe->nargs = describe_args(h, pp, args);
	return rc;
}

/*
 * The stability that the library gives its provider (#pragma D attributes).
 * Derived probes have neither a module nor a function.
 */
static const char *const *
attrs_of(struct dt_hdl *h, const struct dif_provider *prov)
{
	struct arena *a = &h->compiled.arena;
	const char **attrs =
	    arena_alloc(a, DIF_NPROVATTRS * sizeof(const char *));

	for (int i = 0; i < DIF_NPROVATTRS; i++) {
		const struct dif_attr *at = &prov->attrs[i];

		attrs[i] =
		    i == DIF_PROVATTR_MODULE || i == DIF_PROVATTR_FUNCTION ?
		    "Private/Private/Unknown" :
		    arena_printf(a, "%s/%s/%s", dif_attr_name(at),
			dif_attr_data(at), dif_attr_class(at));
	}
	return attrs;
}

static bool
has_clause_for(const struct dt_prog *p, const char *prov, const char *name)
{
	VEC_FOREACH(&p->dif->clauses, c) {
		if (is_fired(c->fires, prov, name))
			return true;
	}
	return false;
}

/* "plockstat1234" of plockstat$target */
static const char *
listed_name(struct dt_hdl *h, const struct dif_provider *prov)
{
	return prov->pid == 0 ? prov->name :
				arena_printf(&h->compiled.arena, "%s%d",
				    prov->name, (int)prov->pid);
}

/* Without the kernel's types most rules are left out, and the others lack
 * something else.  The user is then told that the types are missing. */
static const char *
why_missing(struct dt_hdl *h, const struct dt_prog *p,
    const struct dif_provider *prov, const struct dt_derived *probe)
{
	const char *why = prov->pid == 0 ?
	    dt_kbtf_problem(dt_kbtf(h->probes.registry)) :
	    NULL;

	if (why != NULL)
		return why;
	return has_clause_for(p, prov->name, probe->name) ?
	    probe->missing :
	    why_none(p, prov->name, probe->name);
}

/*
 * Record the probes that were not made, with the reason.  A provider declared
 * without probes belongs to other systems: it has no probe of any name.
 */
static void
note_all_missing(struct dt_hdl *h, const struct dt_prog *p,
    const struct dif_provider *prov, struct dt_derived *probes)
{
	for (size_t i = 0; i < prov->probes.n; i++) {
		const struct dt_derived *probe = &probes[i];

		if (probe->missing != NULL)
			note_missing(h, listed_name(h, prov), probe->name,
			    why_missing(h, p, prov, probe));
		free(probe->missing);
	}
	if (prov->probes.n == 0)
		note_missing(h, prov->name, "", no_event);
}

static int
derive_provider(
    struct dt_hdl *h, const struct dt_prog *p, const struct dif_provider *prov)
{
	size_t n = prov->probes.n, nrules;
	const char *const *attrs = attrs_of(h, prov);
	struct dt_derived *probes = mem_alloc((n + 1) * sizeof(*probes));
	struct dt_rule *rules = make_rules(p, prov->name, &nrules);
	int rc = 0;

	for (size_t i = 0; i < n; i++) {
		if (describe_derived(
			h, p, prov, &prov->probes.v[i], &probes[i]) != 0)
			rc = -1;
		probes[i].attrs = attrs;
	}
	if (rc == 0 &&
	    dt_registry_derive(h->probes.registry, listed_name(h, prov), rules,
		nrules, probes, n) != 0)
		rc = dt_fail(h,
		    "the library of provider %s has too many "
		    "clauses: %zu",
		    prov->name, nrules);
	note_all_missing(h, p, prov, probes);
	free(rules);
	free(probes);
	return rc;
}

int
dt_derive(struct dt_hdl *h, const struct dt_prog *p)
{
	int rc = 0;

	VEC_FOREACH(&p->dif->leftouts, lo)
		dt_log(h, "no fire(\"%s\") here: %s", lo->fires, lo->why);
	VEC_FOREACH(&p->dif->clauses, c) {
		for (size_t i = 0; c->lacks != NULL && i < DIF_NFIRED; i++) {
			if (c->lacks[i] != NULL)
				dt_log(h, "no arg%zu of fire(\"%s\") here: %s",
				    i, c->fires, c->lacks[i]);
		}
	}
	VEC_FOREACH(&p->dif->providers, prov) {
		if (derive_provider(h, p, prov) != 0)
			rc = -1;
	}
	return rc;
}

/* ---- probes by name ------------------------------------------------------ */

/* An outline, read up to the current line. */
struct naming {
	struct dt_hdl *h;
	const char *prov; /* NULL: none yet */
	VEC(struct named {
		const char *name;
		bool is_there;
	})
	probes;
	struct named *fired; /* fired by the rule; NULL: the rule does not
				 * work here */
	/* Results of look-ups: many clauses have the same descriptions. */
	struct strtab descs;
	VEC(bool) has; /* with ids i + 1 */
};

/* Split the text into its four fields; the text is modified. */
static bool
has_probe(struct dt_registry *r, char *text)
{
	struct dif_pdesc desc = { 0 };
	char **const fields[] = { &desc.prov, &desc.mod, &desc.func,
		&desc.name };

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		*fields[i] = strsep(&text, ":");
	return dt_registry_any(r, &desc);
}

static bool
is_probe_there(struct naming *nm, const char *word)
{
	uint32_t i = strtab_intern(&nm->descs, word) - 1;
	char *text;

	if (i == nm->has.n) {
		text = mem_strdup(word);
		VEC_PUSH(&nm->has, has_probe(nm->h->probes.registry, text));
		free(text);
	}
	return nm->has.v[i];
}

/* Add the provider's probes, in the order of its declaration. */
static void
end_provider(struct naming *nm)
{
	VEC_FOREACH(&nm->probes, p) {
		if (p->is_there)
			dt_registry_name(
			    nm->h->probes.registry, nm->prov, p->name);
	}
	nm->probes.n = 0;
}

static struct named *
find_named(struct naming *nm, const char *name)
{
	VEC_FOREACH(&nm->probes, p) {
		if (strcmp(p->name, name) == 0)
			return p;
	}
	return NULL;
}

static void
take_line(struct naming *nm, enum dt_outline what, const char *word)
{
	switch (what) {
	case DT_OUTLINE_USES:
		break;
	case DT_OUTLINE_PROVIDER:
		end_provider(nm);
		nm->prov = word;
		break;
	case DT_OUTLINE_PROBE:
		VEC_PUSH(&nm->probes, (struct named){ .name = word });
		break;
	case DT_OUTLINE_RULE:
		nm->fired = find_named(nm, word);
		break;
	case DT_OUTLINE_IF:
	case DT_OUTLINE_UNLESS:
		if (is_probe_there(nm, word) != (what == DT_OUTLINE_IF))
			nm->fired = NULL;
		break;
	case DT_OUTLINE_AT:
		if (nm->fired != NULL && is_probe_there(nm, word))
			nm->fired->is_there = true;
		break;
	}
}

void
dt_derive_names(struct dt_hdl *h, const char *outline)
{
	struct naming nm = { .h = h };
	char *text = mem_strdup(outline), *rest = text, *line;

	strtab_init(&nm.descs);
	while ((line = strsep(&rest, "\n")) != NULL && *line != '\0')
		take_line(&nm, (enum dt_outline) * line, line + 2);
	end_provider(&nm);
	strtab_fini(&nm.descs);
	VEC_FREE(&nm.has);
	VEC_FREE(&nm.probes);
	free(text);
}

/* ---- which library a probe needs ----------------------------------------- */

/*
 * Providers whose probes no library makes: no library has to be read for them.
 */
static bool
is_elsewhere(const struct dif_pdesc *desc)
{
	static const char *const names[] = { "BEGIN", "END", "ERROR", "entry",
		"return" };

	if (*desc->name == '\0' || glob_is_pattern(desc->name))
		return *desc->func != '\0' && !glob_is_pattern(desc->func);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(desc->name, names[i]) == 0)
			return true;
	}
	return strncmp(desc->name, "tick-", 5) == 0 ||
	    strncmp(desc->name, "profile-", 8) == 0 || *desc->func != '\0';
}

typedef int load_f(struct dt_hdl *h, const char *pattern);

static int
load_for_desc(struct dt_hdl *h, const struct dif_pdesc *desc, load_f *load)
{
	if (desc->id != 0)
		return dt_registry_by_id(h->probes.registry, desc->id) != NULL ?
		    0 :
		    load(h, "");
	return is_elsewhere(desc) ? 0 : load(h, desc->prov);
}

int
dt_libs_load_for_desc(struct dt_hdl *h, const struct dif_pdesc *desc)
{
	return load_for_desc(h, desc, dt_libs_load_providers);
}

int
dt_libs_list_for_desc(struct dt_hdl *h, const struct dif_pdesc *desc)
{
	return load_for_desc(h, desc,
	    h->probes.lists_names ? dt_libs_name_providers :
				    dt_libs_load_providers);
}

const char *
dt_missing_why(struct dt_hdl *h, const struct dif_pdesc *desc)
{
	/*
	 * names tell which probes exist; compiling tells why others do not.  If
	 * compiling fails, no probe is known to be missing
	 */
	if (h->probes.lists_names)
		dt_libs_load_for_desc(h, desc);
	VEC_FOREACH(&h->probes.missing, m) {
		if (desc->id == 0 && strcmp(m->prov, desc->prov) == 0 &&
		    glob_match(desc->mod, "") && glob_match(desc->func, "") &&
		    (*m->name == '\0' || glob_match(desc->name, m->name)))
			return m->why;
	}
	return NULL;
}

bool
dt_provider_is_absent(const struct dt_hdl *h, const char *prov)
{
	VEC_FOREACH(&h->probes.missing, m) {
		if (*m->name == '\0' && strcmp(m->prov, prov) == 0)
			return true;
	}
	return false;
}

void
dt_missing_free(struct dt_hdl *h)
{
	VEC_FOREACH(&h->probes.missing, m) {
		free(m->prov);
		free(m->name);
		free(m->why);
	}
	VEC_FREE(&h->probes.missing);
}
