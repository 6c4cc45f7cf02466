/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Descriptions that never matched a probe.  Option zdefs permits them, since a
 * probe may come while tracing; at the end it is known that none came.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "libdtrace/dt_impl.h"

/*
 * The provider without the number of a traced process, which is how the program
 * named it with $target (malloced).  *is_of_process says whether it had one.
 */
static char *
provider_of(const struct dt_hdl *h, const char *prov, bool *is_of_process)
{
	size_t len = strlen(prov);

	*is_of_process = false;
	VEC_FOREACH(&h->procs.list, p) {
		char *pid = mem_printf("%d", (int)p->pid);
		size_t n = strlen(pid);

		*is_of_process = len > n && strcmp(prov + len - n, pid) == 0;
		free(pid);
		if (*is_of_process)
			return mem_strndup(prov, len - n);
	}
	return mem_strdup(prov);
}

typedef void unmet_f(
    struct dt_hdl *h, const struct dif_pdesc *desc, bool is_met, void *arg);

static void
each_desc(struct dt_hdl *h, unmet_f *f, void *arg)
{
	VEC_FOREACH(&h->compiled.progs, pp) {
		const struct dt_prog *p = *pp;

		for (size_t i = 0; p->is_enabled && i < p->dif->clauses.n;
		     i++) {
			const struct dif_clause *c = &p->dif->clauses.v[i];

			if (dt_match_is_repeated(p, i))
				continue;
			for (size_t k = 0; k < c->pdescs.n; k++)
				f(h, &c->pdescs.v[k], p->matches[i].is_met[k],
				    arg);
		}
	}
}

/* ---- providers ----------------------------------------------------------- */

/* Does any description of the provider match a probe? */
struct finding {
	const char *provider;
	bool is_met;
};

static void
find_met(struct dt_hdl *h, const struct dif_pdesc *desc, bool is_met, void *arg)
{
	struct finding *f = arg;
	bool is_of_process;
	char *provider;

	if (!is_met)
		return;
	provider = provider_of(h, desc->prov, &is_of_process);
	f->is_met |= strcmp(provider, f->provider) == 0;
	free(provider);
}

static bool
has_met(struct dt_hdl *h, const char *provider)
{
	struct finding f = { .provider = provider };

	each_desc(h, find_met, &f);
	return f.is_met;
}

/* ---- telling ------------------------------------------------------------- */

struct telling {
	bool is_end; /* of tracing */
	bool has_told;
	struct strtab told; /* texts */
};

static char *
text_of_provider(
    struct dt_hdl *h, const char *provider, bool is_of_process, bool is_end)
{
	size_t n = h->procs.list.n;

	if (!is_of_process)
		return mem_printf("there %s no probes of provider %s",
		    is_end ? "were" : "are so far", provider);
	if (n == 1)
		return mem_printf("the process %s no probes of provider %s",
		    is_end ? "had" : "has so far", provider);
	return mem_printf("none of the %zu processes %s probes of provider %s",
	    n, is_end ? "had" : "has so far", provider);
}

/* A description without a provider, or of one that has other probes. */
static char *
text_of_desc(const struct dif_pdesc *desc, bool is_end)
{
	struct strbuf text = { 0 };

	dif_pdesc_format(desc, &text);
	strbuf_adds(
	    &text, is_end ? " matched no probe" : " matches no probe so far");
	return strbuf_steal(&text);
}

static void
tell(struct dt_hdl *h, const struct dif_pdesc *desc, bool is_met, void *arg)
{
	struct telling *t = arg;
	char *provider, *text;
	bool is_of_process;
	size_t ntold = t->told.strs.n;

	if (is_met)
		return;
	provider = provider_of(h, desc->prov, &is_of_process);
	text = *provider != '\0' && !has_met(h, provider) ?
	    text_of_provider(h, provider, is_of_process, t->is_end) :
	    text_of_desc(desc, t->is_end);
	strtab_intern(&t->told, text);
	if (t->told.strs.n != ntold)
		dt_notice(h, "%s", text);
	t->has_told = true;
	free(text);
	free(provider);
}

bool
dt_tell_unmet(struct dt_hdl *h, bool is_end)
{
	struct telling t = { .is_end = is_end };

	if (!dt_opt_flag(h, DT_OPT_ZDEFS) || dt_is_replay(h))
		return false;
	strtab_init(&t.told);
	each_desc(h, tell, &t);
	strtab_fini(&t.told);
	return t.has_told;
}
