/* SPDX-License-Identifier: BSD-2-Clause */
/* Suggest a probe for a description that matches none. */
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/mem.h"
#include "base/near.h"
#include "base/str.h"
#include "lang/habits.h"
#include "libdtrace/dt_impl.h"
#include "libdtrace/suggest.h"

/*
 * Providers with a name of their own, those of D libraries, and another
 * system's name of one.
 */
static void
each_provider(struct dt_hdl *h, dt_name_f *f, void *arg)
{
	const struct dt_provider_ops *p;

	for (size_t i = 0; (p = dt_provider_at(i)) != NULL; i++) {
		if (*p->name != '\0' && dt_provider_answers(p, p->name))
			f(p->name, arg);
	}
	dt_libs_each_present(h, f, arg);
	dt_alias_each_provider(f, arg);
}

struct suggest_finding {
	const char *pattern;
	bool is_found;
};

static void
find_provider(const char *name, void *arg)
{
	struct suggest_finding *f = arg;

	f->is_found |= glob_match(f->pattern, name) != 0;
}

bool
dt_provider_exists(struct dt_hdl *h, const char *pattern)
{
	struct suggest_finding f = { .pattern = pattern };
	const struct dt_provider_ops *p;

	for (size_t i = 0; (p = dt_provider_at(i)) != NULL; i++)
		f.is_found |= dt_provider_answers(p, pattern);
	dt_libs_each_provider(h, find_provider, &f);
	return f.is_found;
}

/* Providers that exist once for each process, as in "plockstat$target". */
struct of_processes {
	const char *pattern;
	char *base; /* malloced: "plockstat" */
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

/* A provider's name without the process. */
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
			  "or %s" DT_LIB_TARGET " with -c or -p",
	    op.base, op.base);
	free(op.base);
	return hint;
}

void
dt_suggest_add_name(const char *name, void *arg)
{
	struct strbuf *sb = arg;

	strbuf_printf(sb, "%s%s", sb->len == 0 ? "" : ", ", name);
}

static void
try_name(const char *name, void *arg)
{
	near_try(arg, name);
}

/* Is it the name of a kind of providers that has no probes itself? */
static bool
is_of_programs(const char *name)
{
	const struct dt_provider_ops *p;

	for (size_t i = 0; (p = dt_provider_at(i)) != NULL; i++) {
		if (strcmp(p->name, name) == 0)
			return !dt_provider_answers(p, name);
	}
	return false;
}

/*
 * Other DTraces have more providers: list those of this system, unless the name
 * is close to a library's.
 */
static char *
providers_hint(struct dt_hdl *h, const char *name)
{
	const char *habit = habit_hint(HABIT_IS_PROVIDER, name);
	struct near n = near_start(name);
	struct strbuf sb = { 0 };
	char *hint;

	if (is_of_programs(name))
		return mem_printf(
		    "there is no provider '%s': a program's has a "
		    "name of its own and the number of the process, as in "
		    "NAME1234, NAME$target or NAME*",
		    name);
	if (habit != NULL)
		return mem_printf("there is no provider '%s': %s", name, habit);
	if (strncmp(name, "pid", 3) == 0)
		return mem_strdup("pid takes the number of a process, as in "
				  "pid1234; of a process with a name it is "
				  "pid$target, with -p NAME");
	each_provider(h, try_name, &n);
	if (n.name != NULL)
		return mem_printf("there is no provider '%s'; did you mean "
				  "'%s'?",
		    name, n.name);
	each_provider(h, dt_suggest_add_name, &sb);
	hint = mem_printf(
	    "there is no provider '%s'; there are %s; a program's own has the "
	    "number of a process: %s$target, with -c or -p, or %s* of all",
	    name, sb.s, name, name);
	strbuf_fini(&sb);
	return hint;
}

/* ---- another provider's -------------------------------------------------- */

/* Split the text into its four fields. */
static bool
is_probe(struct dt_hdl *h, const char *text)
{
	char *copy = mem_strdup(text), *rest = copy;
	struct dif_pdesc d = { 0 };
	char **const fields[DT_NFIELDS] = { &d.prov, &d.mod, &d.func, &d.name };
	bool is_it;

	for (unsigned i = 0; i < DT_NFIELDS; i++)
		*fields[i] = strsep(&rest, ":");
	is_it = dt_registry_any(h->probes.registry, &d);
	free(copy);
	return is_it;
}

static char *
suggest_other(struct dt_hdl *h, const struct dif_pdesc *desc)
{
	const struct dt_provider_ops *p;
	char *hint = NULL;

	for (size_t i = 0; hint == NULL && (p = dt_provider_at(i)) != NULL;
	     i++) {
		char *text =
		    p->means != NULL && dt_provider_answers(p, desc->prov) ?
		    p->means(desc) :
		    NULL;

		if (text != NULL && is_probe(h, text))
			hint = mem_printf("did you mean %s?", text);
		free(text);
	}
	return hint;
}

/* ---- the nearest --------------------------------------------------------- */

/*
 * Is the rest right with the provider that was meant?  It may name a probe that
 * is made when it is requested.
 */
static char *
suggest_provider(struct dt_hdl *h, const struct dif_pdesc *desc)
{
	struct near n = near_start(desc->prov);
	struct dif_pdesc meant = *desc;
	char *hint = NULL;

	each_provider(h, try_name, &n);
	if (n.name == NULL || strcmp(n.name, desc->prov) == 0)
		return NULL;
	meant.prov = mem_strdup(n.name);
	if (dt_registry_any(h->probes.registry, &meant))
		hint = mem_printf("did you mean %s:%s:%s:%s?", meant.prov,
		    meant.mod, meant.func, meant.name);
	free(meant.prov);
	return hint;
}

/* A pattern for providers of programs, as mysql*: none has such probes. */
static char *
suggest_none_runs(struct dt_hdl *h, const struct dif_pdesc *desc)
{
	size_t n = strlen(desc->prov);
	char none[] = "";
	struct dif_pdesc any = {
		.prov = desc->prov, .mod = none, .func = none, .name = none
	};

	if (n < 2 || desc->prov[n - 1] != '*' ||
	    dt_registry_any(h->probes.registry, &any))
		return NULL;
	return mem_printf("no running process has USDT probes of a provider "
			  "'%s'; -Z waits for one",
	    desc->prov);
}

/* -f json: a form of the output in a function's place. */
static char *
suggest_form(const struct dif_pdesc *desc)
{
	static const char *const forms[] = {
#define OFORMAT(choice, name) #name,
#include "consume/oformats.def"
#undef OFORMAT
	};

	if (*desc->prov != '\0' || *desc->mod != '\0' || *desc->name != '\0')
		return NULL;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (strcmp(desc->func, forms[i]) == 0)
			return mem_printf("-x oformat=%s chooses the form of "
					  "the output; -f takes a function",
			    desc->func);
	}
	return NULL;
}

/* -m libc: no module of the kernel has the name. */
static char *
suggest_library(const struct dif_pdesc *desc)
{
	if (*desc->prov != '\0' || *desc->mod == '\0' || *desc->func != '\0' ||
	    *desc->name != '\0')
		return NULL;
	return mem_printf("a module is the kernel's; a program's library is "
			  "pid$target:%s::entry, with -c or -p",
	    desc->mod);
}

/* sysinfo::preempt:inv_swtch: the function of another kernel. */
static char *
suggest_without_function(struct dt_hdl *h, const struct dif_pdesc *desc)
{
	char none[] = "";
	struct dif_pdesc meant = *desc;

	meant.func = none;
	meant = dt_pdesc_here(&meant);
	if (*desc->func == '\0' || !dt_is_without_functions(desc->prov) ||
	    !dt_registry_any(h->probes.registry, &meant))
		return NULL;
	return mem_printf(
	    "did you mean %s:%s::%s? Probes of %s are in no function here",
	    meant.prov, meant.mod, meant.name, meant.prov);
}

/* malloc:entry: no function of the kernel has the name. */
static char *
suggest_of_program(const struct dif_pdesc *desc)
{
	if (*desc->prov != '\0' || *desc->mod != '\0' || *desc->func == '\0' ||
	    (strcmp(desc->name, "entry") != 0 &&
		strcmp(desc->name, "return") != 0))
		return NULL;
	return mem_printf("a program's function is pid$target::%s:%s, with -c "
			  "or -p, and pid*:FILE:%s:%s in all processes",
	    desc->func, desc->name, desc->func, desc->name);
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
		hint = dt_suggest_habit(desc);
	if (hint == NULL)
		hint = dt_suggest_call(h, desc);
	if (hint == NULL && *desc->prov != '\0' && is_of_programs(desc->prov))
		hint = providers_hint(h, desc->prov);
	if (hint == NULL)
		hint = suggest_form(desc);
	if (hint == NULL)
		hint = dt_suggest_clock(desc);
	if (hint == NULL)
		hint = suggest_other(h, desc);
	if (hint == NULL)
		hint = dt_suggest_fields(h, desc);
	if (hint == NULL)
		hint = dt_suggest_dash(h, desc);
	if (hint == NULL)
		hint = suggest_provider(h, desc);
	if (hint == NULL)
		hint = dt_suggest_nearest(h, desc);
	if (hint == NULL && *desc->name != '\0' && !glob_is_pattern(desc->name))
		hint = dt_suggest_missing(h, desc);
	if (hint == NULL)
		hint = dt_suggest_values(h, desc);
	if (hint == NULL)
		hint = suggest_none_runs(h, desc);
	if (hint == NULL && !dt_provider_exists(h, desc->prov))
		hint = providers_hint(h, desc->prov);
	if (hint == NULL)
		hint = suggest_without_function(h, desc);
	if (hint == NULL)
		hint = suggest_library(desc);
	return hint != NULL ? hint : suggest_of_program(desc);
}
