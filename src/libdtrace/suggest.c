/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A description that matches no probe: what was meant?
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "libdtrace/dt_impl.h"

struct nearest {
	const struct dif_pdesc *desc;
	const struct dt_probe *probe;
	unsigned distance;
};

/* Distance of a field: 0 when it matches; patterns must match. */
static unsigned
field_distance(const char *pattern, const char *name, unsigned max)
{
	if (glob_match(pattern, name))
		return 0;
	if (glob_is_pattern(pattern))
		return max + 1;
	return edit_distance(pattern, name, max);
}

static int
compare_probe(const struct dt_probe *p, void *arg)
{
	struct nearest *n = arg;
	unsigned max = n->distance;
	unsigned d = field_distance(n->desc->prov, p->prov, max) +
	    field_distance(n->desc->mod, p->mod, max) +
	    field_distance(n->desc->func, p->func, max) +
	    field_distance(n->desc->name, p->name, max);

	if (d < n->distance) {
		n->distance = d;
		n->probe = p;
	}
	return 0;
}

/* Those with a name of their own, and those of D libraries. */
static void
each_provider(struct dt_hdl *h, dt_name_f *f, void *arg)
{
	const struct dt_provider_ops *p;

	for (size_t i = 0; (p = dt_provider_at(i)) != NULL; i++) {
		if (*p->name != '\0')
			f(p->name, arg);
	}
	dt_libs_each_provider(h, f, arg);
}

struct finding {
	const char *pattern;
	bool is_found;
};

static void
find_provider(const char *name, void *arg)
{
	struct finding *f = arg;

	f->is_found |= glob_match(f->pattern, name) != 0;
}

static bool
provider_exists(struct dt_hdl *h, const char *pattern)
{
	struct finding f = { .pattern = pattern };
	const struct dt_provider_ops *p;

	for (size_t i = 0; (p = dt_provider_at(i)) != NULL; i++)
		f.is_found |= dt_provider_answers(p, pattern);
	dt_libs_each_provider(h, find_provider, &f);
	return f.is_found;
}

/* Every process has its own, as in "plockstat$target". */
struct of_processes {
	const char *pattern;
	char *base;			/* malloced: "plockstat" */
};

static void
find_of_processes(const char *name, void *arg)
{
	struct of_processes *op = arg;
	const char *end = strstr(name, DT_LIB_TARGET);
	char *base;

	if (end == NULL || op->base != NULL)
		return;
	base = mem_strndup(name, (size_t)(end - name));
	if (glob_match(op->pattern, base))
		op->base = base;
	else
		free(base);
}

/* A provider without the process that is meant. */
static char *
suggest_process(struct dt_hdl *h, const struct dif_pdesc *desc)
{
	struct of_processes op = { .pattern = desc->prov };
	char *hint;

	if (*desc->prov == '\0' || *desc->prov == '*')
		return NULL;
	dt_libs_each_provider(h, find_of_processes, &op);
	if (op.base == NULL)
		return NULL;
	hint = mem_printf("each process has its own: say which, as in %s1234, "
	    "or %s" DT_LIB_TARGET " with -c or -p", op.base, op.base);
	free(op.base);
	return hint;
}

static void
add_name(const char *name, void *arg)
{
	struct strbuf *sb = arg;

	strbuf_printf(sb, "%s%s", sb->len == 0 ? "" : ", ", name);
}

static void
try_name(const char *name, void *arg)
{
	near_try(arg, name);
}

/* Other DTraces have more providers: say which there are, unless one of a library
 * is nearly that. */
static char *
providers_hint(struct dt_hdl *h, const char *name)
{
	struct near n = near_start(name);
	struct strbuf sb = { 0 };
	char *hint;

	each_provider(h, try_name, &n);
	if (n.name != NULL)
		return mem_printf("there is no provider '%s'; did you mean "
		    "'%s'?", name, n.name);
	each_provider(h, add_name, &sb);
	hint = mem_printf("there is no provider '%s'; there are %s", name,
	    sb.s);
	strbuf_fini(&sb);
	return hint;
}

static int
stop_at_first(const struct dt_probe *p, void *arg)
{
	(void)p;
	(void)arg;
	return 1;
}

/* With the provider that was meant, is the rest right?  It may name a probe
 * that is made when it is asked for. */
static char *
suggest_provider(struct dt_hdl *h, const struct dif_pdesc *desc)
{
	struct near n = near_start(desc->prov);
	struct dif_pdesc meant = *desc;
	char *msg = NULL, *hint = NULL;

	each_provider(h, try_name, &n);
	if (n.name == NULL || strcmp(n.name, desc->prov) == 0)
		return NULL;
	meant.prov = mem_strdup(n.name);
	if (dt_registry_match(h->registry, &meant, stop_at_first, NULL,
	    &msg) > 0)
		hint = mem_printf("did you mean %s:%s:%s:%s?", meant.prov,
		    meant.mod, meant.func, meant.name);
	free(meant.prov);
	free(msg);
	return hint;
}

/*
 * The nearest probe's fields, where the description has some.  At most a third
 * of what was written may be wrong.
 */
static char *
suggest_nearest(struct dt_hdl *h, const struct dif_pdesc *desc)
{
	struct dif_pdesc all = { .prov = (char[]) { "" },
		.mod = (char[]) { "" }, .func = (char[]) { "" },
		.name = (char[]) { "" } };
	size_t len = strlen(desc->prov) + strlen(desc->mod) +
	    strlen(desc->func) + strlen(desc->name);
	struct nearest n = { .desc = desc, .distance = 4 };
	char *msg = NULL;

	if (len / 3 + 1 < n.distance)
		n.distance = (unsigned)(len / 3) + 1;
	dt_registry_match(h->registry, &all, compare_probe, &n, &msg);
	free(msg);
	if (n.probe == NULL)
		return NULL;
	return mem_printf("did you mean %s:%s:%s:%s?",
	    *desc->prov ? n.probe->prov : "", *desc->mod ? n.probe->mod : "",
	    *desc->func ? n.probe->func : "", *desc->name ? n.probe->name : "");
}

/* One that the provider has elsewhere: who asks for it is told why not here. */
static char *
suggest_missing(struct dt_hdl *h, const struct dif_pdesc *desc)
{
	struct near n = near_start(desc->name);

	VEC_FOREACH(&h->missing, m) {
		if (strcmp(m->prov, desc->prov) == 0)
			near_try(&n, m->name);
	}
	if (n.name == NULL)
		return NULL;
	return mem_printf("did you mean %s:::%s?", desc->prov, n.name);
}

char *
dt_suggest_probe(struct dt_hdl *h, const struct dif_pdesc *desc)
{
	const char *why = dt_missing_why(h, desc);
	char *hint;

	if (why != NULL)
		return mem_printf("it is not available: %s", why);
	hint = suggest_process(h, desc);
	if (hint == NULL)
		hint = suggest_provider(h, desc);
	if (hint == NULL)
		hint = suggest_nearest(h, desc);
	if (hint == NULL && *desc->name != '\0' &&
	    !glob_is_pattern(desc->name))
		hint = suggest_missing(h, desc);
	if (hint == NULL && !provider_exists(h, desc->prov))
		hint = providers_hint(h, desc->prov);
	return hint;
}
