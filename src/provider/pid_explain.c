/* SPDX-License-Identifier: BSD-2-Clause */
/* Why a description of the pid provider selected nothing. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/near.h"
#include "base/vec.h"
#include "provider/pid_impl.h"
#include "provider/provider.h"
#include "provider/provider_impl.h"
#include "provider/ufiles.h"
#include "provider/usdt_files.h"

/* The names that the modules have, and the one most like what was asked for. */
struct likeness {
	struct near near;
	char *best; /* malloced: the tables may go */
	bool has_functions;
};

static int
compare_name(void *arg, const struct elf_syms *es, const struct elf_sym *sym)
{
	struct likeness *like = arg;
	const char *before = like->near.name;

	if (sym->kind == ELF_SYM_PLT || sym->kind == ELF_SYM_OBJECT)
		return 0;
	like->has_functions = true;
	near_try(&like->near, elf_sym_name(es, sym));
	if (like->near.name != before) {
		free(like->best);
		like->best = mem_strdup(like->near.name);
	}
	return 0;
}

static struct likeness
look_for_like(struct pid_match *pm)
{
	struct likeness like = { .near = near_start(pm->func) };
	struct err err = { 0 };

	VEC_FOREACH(&pm->mods, mod) {
		pid_set_module(pm, mod);
		if (pid_open_module(pm, &err) == 0)
			elf_syms_each(pm->es, "*", compare_name, &like);
	}
	err_clear(&err);
	return like;
}

/* The subject of messages: "process 123", or the files of all processes. */
static char *
subject(const struct pid_match *pm)
{
	if (pm->pid != 0)
		return mem_printf("process %d", (int)pm->pid);
	if (pm->mods.n == 1)
		return mem_strdup(pm->mods.v[0].m->path);
	return mem_printf("each of %zu files '%s'", pm->mods.n, pm->mod);
}

static int
explain_function(struct pid_match *pm)
{
	struct likeness like = look_for_like(pm);
	const char *in = *pm->mod && pm->pid != 0 ? " in module " : "";
	const char *mod = pm->pid != 0 ? pm->mod : "";
	char *who = subject(pm);
	int rc;

	if (!like.has_functions)
		rc = dt_registry_refuse(pm->r, DT_REFUSE_FUNC, 0,
		    "%s has no names of functions%s%s: it is stripped, "
		    "or its file is damaged. Install its debug symbols, or "
		    "name an address (%s:%s:-:401136)",
		    who, in, mod, pm->prov, pm->mod);
	else if (like.best != NULL && !pid_field_is_pattern(pm->func))
		rc = dt_registry_refuse(pm->r, DT_REFUSE_FUNC, 0,
		    "%s has no function '%s'%s%s; did you mean '%s'?", who,
		    pm->func, in, mod, like.best);
	else
		rc = dt_registry_refuse(pm->r, DT_REFUSE_FUNC, 0,
		    "%s has no function '%s'%s%s", who, pm->func, in, mod);
	free(like.best);
	free(who);
	return rc;
}

static int
explain_address(struct pid_match *pm)
{
	char *who = subject(pm);
	int rc = dt_registry_refuse(pm->r, DT_REFUSE_OFF, 0,
	    "there is no code at address %s of %s%s%s", pm->name, who,
	    *pm->mod && pm->pid != 0 ? " in module " : "",
	    pm->pid != 0 ? pm->mod : "");

	free(who);
	return rc;
}

/* No function of those that are selected has the probe. */
static int
explain_name(struct pid_match *pm)
{
	uint64_t off;

	if (strcmp(pm->name, "return") != 0 &&
	    strcmp(pm->name, PID_EXIT) != 0 && pid_offset_parse(pm->name, &off))
		return dt_registry_refuse(pm->r, DT_REFUSE_OFF, 0,
		    "in none of %zu functions an instruction begins at offset "
		    "0x%s",
		    pm->nfuncs, pm->name);
	return dt_registry_refuse(pm->r, DT_REFUSE_FUNC, 0, "%s %s",
	    pm->sym_name,
	    strcmp(pm->name, PID_PAUSE) == 0 ? "has no PAUSE instruction" :
					       "never returns");
}

/*
 * Does the description mean a choice of functions?  The module may have another
 * function of that name, for old programs: memcpy of glibc 2.2.5, which today's
 * programs seldom call.
 */
static bool
means_choice(const struct pid_match *pm)
{
	if (pm->ifunc_mod == NULL)
		return false;
	return pm->nfuncs == 0 ||
	    (pm->mods.n == 1 && !pid_field_is_pattern(pm->func));
}

int
pid_explain_none(struct pid_match *pm)
{
	if (pm->nmods == 0 && pm->pid == 0)
		return 0; /* pid_find_files() has said it */
	if (pm->nmods == 0)
		return dt_registry_refuse(pm->r, DT_REFUSE_LIB, 0,
		    "process %d has not loaded any module '%s' (-Z permits "
		    "this, and traces it when it is loaded)",
		    (int)pm->pid, pm->mod);
	/* the vdso is in every process: it is no reason where there are more */
	if (pm->nfuncs == 0 && pm->nrefused == pm->nmods)
		return dt_registry_refuse(pm->r, DT_REFUSE_LIB, 0,
		    "the code of %s cannot be traced: %s", pm->refused,
		    err_text(&pm->why_refused));
	if (pm->nfuncs == 0 && strcmp(pm->func, "-") == 0)
		return explain_address(pm);
	if (means_choice(pm) && (pm->nfuncs == 0 || !pid_chose_namesake(pm)))
		return pid_explain_ifunc(pm);
	if (pm->nfuncs == 0)
		return explain_function(pm);
	if (pm->nprobes == 0 && pm->nleft != 0)
		return dt_registry_refuse(pm->r, DT_REFUSE_FUNC, 0,
		    "%zu places are selected, and none of them can be probed; "
		    "the last is in %s",
		    pm->nleft, pm->sym_name);
	if (pm->nprobes == 0)
		return explain_name(pm);
	return 0;
}
