/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probes of a program: each clause's descriptions are looked up when the text
 * is compiled, so that an error about a misspelt one has a place.
 *
 * A clause is enabled once on each probe, even if several of its descriptions
 * match the probe; probes are in the order of the descriptions, then of their
 * ids.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/idmap.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "lang/habits.h"
#include "libdtrace/dt_impl.h"

#define MAX_ERRORS 20 /* the other clauses are not looked up */

struct matching {
	struct dt_match *match;
	struct idmap seen; /* ids of probes */
	size_t nnoted;	   /* of those already present, the first */
	const struct dif_clause *clause;
	const struct dif_pdesc *desc; /* of the clause */
	bool wants_attr;	      /* option amin is set */
	struct dif_attr attr;	      /* the least of the probes' attributes */
};

static int
take_probe(const struct dt_probe *probe, void *arg)
{
	struct matching *m = arg;

	m->match->is_met[m->desc - m->clause->pdescs.v] = true;
	if (idmap_get(&m->seen, probe->id) == NULL) {
		VEC_PUSH(&m->match->probes, probe);
		idmap_put(&m->seen, probe->id, 1);
	}
	if (m->wants_attr)
		m->attr = dif_attr_min(m->attr, dt_probe_attr(m->desc, probe));
	return 0;
}

bool
dt_match_is_repeated(const struct dt_prog *p, size_t i)
{
	const struct dif_clause *c = &p->dif->clauses.v[i];

	return i > 0 && c->pdescs.n != 0 && c[-1].pdescs.n == c->pdescs.n &&
	    memcmp(&c[-1].pdescs.v[0].span, &c->pdescs.v[0].span,
		sizeof(struct diag_span)) == 0;
}

int
dt_prog_pdesc_iter(const struct dt_prog *p, dt_pdesc_f *f, void *arg)
{
	for (size_t i = 0; i < p->dif->clauses.n; i++) {
		if (dt_match_is_repeated(p, i))
			continue;
		VEC_FOREACH(&p->dif->clauses.v[i].pdescs, desc) {
			int rc = f(desc, arg);

			if (rc != 0)
				return rc;
		}
	}
	return 0;
}

/* Option amin: refuse descriptions of lower stability. */
static void
check_stability(struct dt_hdl *h, const struct matching *m)
{
	struct dif_attr amin = { 0 };

	if (!m->wants_attr ||
	    !dif_attr_parse(h->opts.vals[DT_OPT_AMIN].strs.v[0], &amin) ||
	    !dif_attr_below(m->attr, amin))
		return;
	diag_error(&h->compiled.diags, D_ATTR_MIN, m->desc->span,
	    "the stability of this probe description, %s/%s/%s, is below the "
	    "minimum, %s",
	    dif_attr_name(&m->attr), dif_attr_data(&m->attr),
	    dif_attr_class(&m->attr), h->opts.vals[DT_OPT_AMIN].strs.v[0]);
}

static const char *
refusal_tag(enum dt_refusal why)
{
	switch (why) {
	case DT_REFUSE_OFF:
		return D_PROC_OFF;
	case DT_REFUSE_ALIGN:
		return D_PROC_ALIGN;
	case DT_REFUSE_NAME:
		return D_PROC_NAME;
	case DT_REFUSE_GRAB:
		return D_PROC_GRAB;
	case DT_REFUSE_LIB:
	case DT_REFUSE_NONE:
		return D_PDESC_ZERO;
	case DT_REFUSE_FUNC:
		return D_PROC_FUNC;
	case DT_REFUSE_BADPID:
		return D_PROC_BADPID;
	case DT_REFUSE_PDESC:
		return D_PDESC_INVAL;
	}
	return D_PDESC_INVAL;
}

/* Hint for the error about the description. */
static void
add_suggestion(
    struct dt_hdl *h, const struct dif_pdesc *desc, const char *typed)
{
	char *hint = dt_suggest_probe(h, desc);
	const char *text = hint != NULL ?
	    hint :
	    "dtrace -l lists the probes; "
	    "-Z permits descriptions that match none";

	if (typed != NULL)
		diag_hint(&h->compiled.diags,
		    "the probes of %s are probes of %s here; %s", typed,
		    desc->prov, text);
	else
		diag_hint(&h->compiled.diags, "%s", text);
	free(hint);
}

char *
dt_typed_provider(struct dt_hdl *h, const struct dif_pdesc *desc)
{
	const char *text = diag_text(&h->compiled.diags, desc->span);
	char *word = mem_strndup(text, strcspn(text, ":{/ \t\n"));
	struct dif_pdesc typed = *desc;

	typed.prov = word;
	if (strcmp(word, desc->prov) != 0 &&
	    strcmp(dt_pdesc_here(&typed).prov, desc->prov) == 0)
		return word;
	free(word);
	return NULL;
}

/* Report the description as it is written: its provider may have another name
 * here. */
static void
refuse_none(struct dt_hdl *h, const struct dif_pdesc *desc)
{
	char *typed = dt_typed_provider(h, desc);
	struct dif_pdesc shown = *desc;
	struct strbuf text = { 0 };

	if (typed != NULL)
		shown.prov = typed;
	dif_pdesc_format(&shown, &text);
	diag_error(&h->compiled.diags, D_PDESC_ZERO, desc->span,
	    "probe description %s does not match any probes", text.s);
	if (desc->id == 0)
		add_suggestion(h, desc, typed);
	else
		diag_hint(&h->compiled.diags,
		    "a number is the id of a probe, which dtrace -l lists; "
		    "-p %u traces a process",
		    desc->id);
	strbuf_fini(&text);
	free(typed);
}

/* The providers to use instead of one that has nothing here. */
static void
hint_instead(struct dt_hdl *h, const struct dif_pdesc *desc)
{
	const char *hint = habit_hint(HABIT_IS_PROVIDER, desc->prov);

	if (hint != NULL)
		diag_hint(&h->compiled.diags, "%s", hint);
}

/* Report a description that matches no probe, unless that is allowed. */
static bool
is_refused(struct dt_hdl *h, const struct dif_pdesc *desc, int n,
    const struct err *err)
{
	struct strbuf text = { 0 };
	const char *why;

	if (n > 0 || (n == 0 && dt_opt_flag(h, DT_OPT_ZDEFS)))
		return false;
	dif_pdesc_format(desc, &text);
	why = dt_missing_why(h, desc);
	if (n <= 0 && why != NULL) {
		diag_error(&h->compiled.diags, D_PDESC_ZERO, desc->span,
		    "probe %s:::%s is not available: %s", desc->prov,
		    desc->name, why);
		hint_instead(h, desc);
	} else if (n < 0 || err_is_set(err)) {
		diag_error(&h->compiled.diags,
		    refusal_tag(dt_registry_refusal(h->probes.registry)),
		    desc->span, "probe description %s: %s", text.s,
		    err_is_set(err) ? err_text(err) : strerror(-n));
		if (n == -ENOTSUP)
			hint_instead(h, desc);
	} else if (dt_registry_is_hasty(h->probes.registry)) {
		/* a gap in a library is not the user's mistake */
		diag_error(&h->compiled.diags, D_PDESC_ZERO, desc->span,
		    "this kernel has no %s, or the module that has it is not "
		    "loaded",
		    text.s);
	} else {
		refuse_none(h, desc);
	}
	strbuf_fini(&text);
	return true;
}

/*
 * Match probes of a -c or -p process by a description without its number:
 * "app:::start" selects app123's, ":::start" and "start" those of all its
 * providers.
 */
static struct dif_pdesc
desc_in_process(const struct dif_pdesc *desc, pid_t pid)
{
	bool is_any = desc->prov == NULL || desc->prov[0] == '\0';
	struct dif_pdesc in = *desc;

	in.prov = mem_printf("%s%d", is_any ? "*" : desc->prov, (int)pid);
	return in;
}

static int
match_in_process(struct dt_hdl *h, const struct dif_pdesc *desc, pid_t pid,
    dt_probe_f *f, void *arg)
{
	struct dif_pdesc in = desc_in_process(desc, pid);
	struct err err = { 0 };
	int n;

	dt_registry_set_focus(h->probes.registry, &pid, 1, NULL, 0);
	n = dt_registry_match(h->probes.registry, &in, f, arg, &err);
	dt_registry_end_focus(h->probes.registry);
	free((char *)(uintptr_t)in.prov);
	err_clear(&err);
	return n > 0 ? n : 0;
}

/* Does the description name neither a process nor a pattern of providers? */
static bool
may_be_brought(const struct dif_pdesc *desc)
{
	const char *prov = desc->prov != NULL ? desc->prov : "";
	size_t n = strlen(prov);

	return desc->id == 0 && strpbrk(prov, "*?[") == NULL &&
	    (n == 0 || prov[n - 1] < '0' || prov[n - 1] > '9') &&
	    ((desc->name != NULL && desc->name[0] != '\0') || prov[0] != '\0');
}

/*
 * If the system has no such probe, the description may mean one of the
 * processes'.
 */
CHECKED static int
match_everywhere(struct dt_hdl *h, const struct dif_pdesc *desc, dt_probe_f *f,
    void *arg, bool *is_brought, struct err *err)
{
	int n = dt_registry_match(h->probes.registry, desc, f, arg, err);

	*is_brought = false;
	if (n != 0 || err_is_set(err) || !may_be_brought(desc))
		return n;
	VEC_FOREACH(&h->procs.list, p)
		n += match_in_process(h, desc, p->pid, f, arg);
	*is_brought = n > 0;
	return n;
}

CHECKED static int
take_probes(struct dt_hdl *h, const struct dif_pdesc *desc, struct matching *m,
    struct err *err)
{
	bool is_brought;
	int n;

	m->desc = desc;
	m->wants_attr = h->opts.vals[DT_OPT_AMIN].is_set;
	m->attr = (struct dif_attr)DIF_ATTR_MAX;
	n = match_everywhere(h, desc, take_probe, m, &is_brought, err);
	m->match->is_brought |= is_brought && dt_follows(h);
	check_stability(h, m);
	return n;
}

static void
match_pdesc(struct dt_hdl *h, const struct dif_pdesc *desc, struct matching *m)
{
	struct err err = { 0 };
	int n = take_probes(h, desc, m, &err);

	is_refused(h, desc, n, &err);
	err_clear(&err);
}

/* One line for each process; the second and later ones begin as messages do. */
static void
note_none(
    const struct dif_pdesc *desc, const struct err *err, struct strbuf *notes)
{
	strbuf_adds(notes, notes->len != 0 ? "\ndtrace: " : "");
	dif_pdesc_format(desc, notes);
	strbuf_printf(notes, " is not traced: %s",
	    err_is_set(err) ? err_text(err) : "the process has no such probe");
}

/*
 * Match descriptions that stand for one with $target: a process that has no
 * such probe, or has ended, is named, and the others are traced.
 */
static void
match_targets(struct dt_hdl *h, const struct dif_pdesc *descs, size_t n,
    struct matching *m)
{
	size_t before = m->match->probes.n;
	struct strbuf notes = { 0 };

	for (size_t i = 0; i < n; i++) {
		struct err err = { 0 };

		if (take_probes(h, &descs[i], m, &err) <= 0)
			note_none(&descs[i], &err, &notes);
		err_clear(&err);
	}
	if (m->match->probes.n == before)
		match_pdesc(h, &descs[0], m);
	else if (notes.len != 0)
		dt_notice(h, "%s", notes.s);
	strbuf_fini(&notes);
}

/* Count the descriptions from i on that stand for one with $target. */
static size_t
count_targets(const struct dif_clause *c, size_t i)
{
	const struct dif_pdesc *first = &c->pdescs.v[i], *end = first;

	while (end < first + (c->pdescs.n - i) && end->is_of_targets &&
	    end->span.off == first->span.off)
		end++;
	return (size_t)(end - first);
}

static void
match_clause(
    struct dt_hdl *h, const struct dif_clause *c, struct dt_match *match)
{
	struct matching m = { .match = match, .clause = c };
	size_t n;

	match->is_met = mem_alloc(c->pdescs.n * sizeof(*match->is_met));
	for (size_t i = 0; i<c->pdescs.n; i += n> 1 ? n : 1) {
		n = count_targets(c, i);
		if (n > 1)
			match_targets(h, &c->pdescs.v[i], n, &m);
		else
			match_pdesc(h, &c->pdescs.v[i], &m);
	}
	idmap_fini(&m.seen);
}

static void
match_fini(struct dt_match *match)
{
	VEC_FREE(&match->probes);
	free(match->is_met);
	match->is_met = NULL;
}

bool
dt_match_may_grow(const struct dt_prog *p, size_t i)
{
	if (p->matches[i].is_brought)
		return true;
	VEC_FOREACH(&p->dif->clauses.v[i].pdescs, desc) {
		if (dt_registry_may_grow(desc))
			return true;
	}
	return false;
}

/* A process that has ended has no new probes; that is no mistake. */
static bool
has_ended(const struct dt_hdl *h)
{
	return dt_registry_refusal(h->probes.registry) == DT_REFUSE_GRAB;
}

/*
 * Most look-ups find nothing: the table of seen probes is made only for a first
 * probe.
 */
static int
take_new_probe(const struct dt_probe *probe, void *arg)
{
	struct matching *m = arg;

	for (; m->nnoted < m->match->probes.n; m->nnoted++)
		idmap_put(&m->seen, m->match->probes.v[m->nnoted]->id, 1);
	return take_probe(probe, arg);
}

static int
match_new(struct dt_hdl *h, const struct dif_pdesc *desc, size_t from,
    struct matching *m)
{
	struct err err = { 0 };
	int rc = 0;

	if (dt_registry_match_new(
		h->probes.registry, desc, from, take_new_probe, m, &err) < 0 &&
	    !has_ended(h))
		rc = dt_fail(h, "%s", err_text(&err));
	err_clear(&err);
	return rc;
}

/* The same for a description that means probes of the processes of -c and -p:
 * their descendants bring some. */
static int
match_brought(struct dt_hdl *h, const struct dif_pdesc *desc, size_t from,
    struct matching *m)
{
	int rc = 0;

	VEC_FOREACH(&h->procs.list, p) {
		struct dif_pdesc in = desc_in_process(desc, p->pid);

		if (match_new(h, &in, from, m) != 0)
			rc = -1;
		free((char *)(uintptr_t)in.prov);
	}
	return rc;
}

/*
 * Add the probes that the descriptions of clause i select now and did not
 * before.
 */
static int
match_clause_again(struct dt_hdl *h, struct dt_prog *p, size_t i)
{
	struct dt_match *match = &p->matches[i];
	struct matching m = { .match = match, .clause = &p->dif->clauses.v[i] };
	size_t before = match->probes.n, from = match->nlooked;
	int rc = 0;

	match->nlooked = dt_registry_ndemanded(h->probes.registry);
	VEC_FOREACH(&p->dif->clauses.v[i].pdescs, desc) {
		m.desc = desc;
		if (dt_registry_may_grow(desc) &&
		    match_new(h, desc, from, &m) != 0)
			rc = -1;
		else if (match->is_brought && may_be_brought(desc) &&
		    match_brought(h, desc, from, &m) != 0)
			rc = -1;
	}
	idmap_fini(&m.seen);
	for (size_t k = before; k < match->probes.n; k++)
		plan_add_late(h->plan, (uint32_t)(p->first_clause + i),
		    match->probes.v[k]);
	return rc;
}

int
dt_match_again(struct dt_hdl *h, struct dt_prog *p)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < p->dif->clauses.n; i++) {
		if (dt_match_may_grow(p, i))
			rc = match_clause_again(h, p, i);
	}
	return rc;
}

/* ---- args[] -------------------------------------------------------------- */

struct match_asking {
	lang_probe_f *f;
	void *arg;
};

static int
ask_probe(const struct dt_probe *p, void *arg)
{
	struct dt_argdesc args[DT_NARGS_MAX];
	struct match_asking *as = arg;
	struct lang_probe lp = { .prov = p->prov,
		.mod = p->mod,
		.func = p->func,
		.name = p->name,
		.args = args,
		.args_attr = dt_probe_attrs(p)[DIF_PROVATTR_ARGS],
		.nargs = dt_probe_args(p, args) };

	return as->f(&lp, as->arg);
}

struct dif_pdesc
dt_pdesc_of(const struct ast_pdesc *ap)
{
	struct dif_pdesc desc = { .prov = ap->prov,
		.mod = ap->mod,
		.func = ap->func,
		.name = ap->name,
		.id = ap->id,
		.span = ap->span };

	return dt_pdesc_here(&desc);
}

int
dt_match_args(void *ctx, const struct ast_pdesc *ap, lang_probe_f *f, void *arg)
{
	struct dif_pdesc desc = dt_pdesc_of(ap);
	struct match_asking as = { f, arg };
	struct dt_hdl *h = ctx;
	struct err err = { 0 };
	bool is_brought;
	int n;

	dt_follow_choose(h);
	n = match_everywhere(h, &desc, ask_probe, &as, &is_brought, &err);

	/* match_targets() names a process that has no such probe */
	if ((ap->is_of_targets && n <= 0) || !is_refused(h, &desc, n, &err)) {
		err_clear(&err);
		return 0;
	}
	err_clear(&err);
	return -1;
}

/* ---- arguments that this kernel cannot tell ------------------------------ */

/* False after an error. */
static bool
check_lacks(
    struct dt_hdl *h, const struct dif_clause *cl, const struct dt_probe *p)
{
	struct dif_uses uses = dif_clause_uses(cl);

	for (uint32_t i = 0; p->lacks != NULL && i < DIF_NFIRED; i++) {
		if (p->lacks[i] == NULL ||
		    !dif_uses_var(&uses, DIF_VAR_ARG0 + i))
			continue;
		diag_error(&h->compiled.diags, D_ARGS_NONE, cl->span,
		    "arg%u of probe %s:::%s, which the clause uses, is not "
		    "available: %s",
		    i, p->prov, p->name, p->lacks[i]);
		return false;
	}
	return true;
}

static void
check_clause_lacks(
    struct dt_hdl *h, const struct dif_clause *cl, const struct dt_match *m)
{
	VEC_FOREACH(&m->probes, p) {
		if (!check_lacks(h, cl, *p))
			return;
	}
}

/* ---- programs ------------------------------------------------------------ */

void
dt_match_prog(struct dt_hdl *h, struct dt_prog *p)
{
	dt_follow_choose(h);
	p->matches = mem_alloc(p->dif->clauses.n * sizeof(*p->matches));
	VEC_FOREACH(&p->dif->clauses, c) {
		dt_pdescs_here(c);
		VEC_FOREACH(&c->pdescs, desc)
			dt_libs_list_for_desc(h, desc);
	}
	for (size_t i = 0;
	     i < p->dif->clauses.n && h->compiled.diags.list.n < MAX_ERRORS;
	     i++) {
		size_t nerrors = h->compiled.diags.list.n;

		match_clause(h, &p->dif->clauses.v[i], &p->matches[i]);
		check_clause_lacks(h, &p->dif->clauses.v[i], &p->matches[i]);
		if (h->compiled.diags.list.n != nerrors &&
		    i + 1 < p->dif->clauses.n && dt_match_is_repeated(p, i + 1))
			return;
	}
}

int
dt_match_last(struct dt_hdl *h, struct dt_prog *p)
{
	size_t n = p->dif->clauses.n;
	struct dif_clause *cl = &p->dif->clauses.v[n - 1];

	dt_pdescs_here(cl);
	p->matches = realloc(p->matches, n * sizeof(*p->matches));
	if (p->matches == NULL)
		abort();
	memset(&p->matches[n - 1], 0, sizeof(p->matches[n - 1]));
	match_clause(h, cl, &p->matches[n - 1]);
	if (h->compiled.diags.list.n == 0)
		return 0;
	match_fini(&p->matches[n - 1]);
	return dt_show_errors(h);
}

void
dt_match_free(struct dt_prog *p)
{
	for (size_t i = 0; p->matches != NULL && i < p->dif->clauses.n; i++)
		match_fini(&p->matches[i]);
	free(p->matches);
}
