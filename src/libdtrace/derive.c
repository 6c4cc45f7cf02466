/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Providers that D libraries define: each clause of a library makes a probe of
 * others (doc/providers.md says how such a library is written).
 *
 *	provider proc { probe create(struct task_struct *t) : (psinfo_t *t); };
 *
 *	sdt:sched::sched_process_fork { fire("proc:::create", args[1]); }
 *
 * What a library declares and this kernel has nothing for is remembered with
 * the reason, for whoever asks for it.
 */
#include <stdlib.h>
#include <string.h>

#include "libdtrace/dt_impl.h"

/* "prov:::name" */
static bool
is_fired(const char *fires, const char *prov, const char *name)
{
	size_t len = strlen(prov);

	return strncmp(fires, prov, len) == 0 &&
	    strncmp(fires + len, ":::", 3) == 0 &&
	    strcmp(fires + len + 3, name) == 0;
}

/* ---- one probe ----------------------------------------------------------- */

static const struct dt_adapt *
adapt_of(struct dt_hdl *h, const struct dif_clause *c)
{
	struct dt_adapt *ad = ARENA_NEW(&h->arena, struct dt_adapt);

	ad->pred = c->pred;
	VEC_FOREACH(&c->actions, act)
		ad->args[ad->nargs++] = act->difo;
	return ad;
}

/* "char userland *" -> "char *" */
static const char *
without_space(struct dt_hdl *h, const char *type, bool *is_userland)
{
	static const char space[] = " userland";
	const char *at = strstr(type, space);

	*is_userland = at != NULL;
	return at == NULL ? type : arena_printf(&h->arena, "%.*s%s",
	    (int)(at - type), type, at + strlen(space));
}

/* args[] as the library declares them. */
static size_t
describe_args(struct dt_hdl *h, const struct dif_provprobe *pp,
    struct dt_argdesc args[DT_NARGS_MAX])
{
	size_t n = pp->is_translated ? pp->xlated.n : pp->native.n;

	for (size_t i = 0; i < n; i++) {
		const struct dif_provarg *a = pp->is_translated ?
		    &pp->xlated.v[i] : &pp->native.v[i];
		const char *native = pp->native.v[a->mapping].type;

		args[i] = (struct dt_argdesc){ .mapping = a->mapping };
		args[i].native = without_space(h, native,
		    &args[i].is_userland);
		if (strcmp(a->type, native) != 0)
			args[i].xlate = a->type;
	}
	return n;
}

static void
note_missing(struct dt_hdl *h, const struct dt_prog *p, const char *prov,
    const char *name, const char *why)
{
	VEC_FOREACH(&p->dif->leftouts, lo) {
		if (why == NULL && is_fired(lo->fires, prov, name))
			why = lo->why;
	}
	if (why == NULL)
		why = "Linux has no event for it";
	VEC_PUSH(&h->missing, (struct dt_missing){ mem_strdup(prov),
	    mem_strdup(name), mem_strdup(why) });
}

static char *
no_origin(const struct dif_pdesc *desc)
{
	return mem_printf("this kernel has no %s:%s:%s:%s", desc->prov,
	    desc->mod, desc->func, desc->name);
}

static int
derive_probe(struct dt_hdl *h, const struct dt_prog *p,
    const struct dif_provider *prov, const struct dif_provprobe *pp)
{
	struct dt_argdesc args[DT_NARGS_MAX];
	size_t nargs = describe_args(h, pp, args);
	VEC(struct dt_origin) origins = { 0 };
	const struct dt_probe *made = NULL;
	char *msg = NULL;
	int rc = 0;

	VEC_FOREACH(&p->dif->clauses, c) {
		if (!is_fired(c->fires, prov->name, pp->name))
			continue;
		if (c->actions.n != pp->native.n)
			rc = dt_fail(h, "fire() of %s gives %zu arguments; the "
			    "probe has %zu", c->fires, c->actions.n,
			    pp->native.n);
		VEC_FOREACH(&c->pdescs, desc)
			VEC_PUSH(&origins, (struct dt_origin){ desc,
			    adapt_of(h, c) });
	}
	if (rc == 0)
		made = dt_registry_derive(h->registry, prov->name, pp->name,
		    origins.v, origins.n, args, nargs, &msg);
	if (made == NULL && msg == NULL && origins.n != 0)
		msg = no_origin(origins.v[0].desc);
	if (made == NULL)
		note_missing(h, p, prov->name, pp->name, msg);
	free(msg);
	VEC_FREE(&origins);
	return rc;
}

int
dt_derive(struct dt_hdl *h, const struct dt_prog *p)
{
	int rc = 0;

	VEC_FOREACH(&p->dif->leftouts, lo)
		dt_log(h, "no fire(\"%s\") here: %s", lo->fires, lo->why);
	VEC_FOREACH(&p->dif->providers, prov) {
		VEC_FOREACH(&prov->probes, pp) {
			if (derive_probe(h, p, prov, pp) != 0)
				rc = -1;
		}
	}
	return rc;
}

/* ---- who needs which library --------------------------------------------- */

/* Probes that no library makes: nothing has to be read to know it. */
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

int
dt_libs_load_for_desc(struct dt_hdl *h, const struct dif_pdesc *desc)
{
	if (desc->id != 0)
		return dt_registry_by_id(h->registry, desc->id) != NULL ? 0 :
		    dt_libs_load_providers(h, "");
	return is_elsewhere(desc) ? 0 :
	    dt_libs_load_providers(h, desc->prov);
}

const char *
dt_missing_why(const struct dt_hdl *h, const struct dif_pdesc *desc)
{
	VEC_FOREACH(&h->missing, m) {
		if (desc->id == 0 && strcmp(m->prov, desc->prov) == 0 &&
		    strcmp(m->name, desc->name) == 0)
			return m->why;
	}
	return NULL;
}

void
dt_missing_free(struct dt_hdl *h)
{
	VEC_FOREACH(&h->missing, m) {
		free(m->prov);
		free(m->name);
		free(m->why);
	}
	VEC_FREE(&h->missing);
}
