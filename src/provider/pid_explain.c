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

	VEC_FOREACH(&pm->maps.modules, m) {
		pm->m = m;
		pm->text = pid_text_of(m);
		pm->is_program = pid_is_program(pm, m);
		if (pid_selects_module(pm->mod, m, pm->is_program) &&
		    pm->text != NULL && pid_open_module(pm, &err) == 0)
			elf_syms_each(pm->es, "*", compare_name, &like);
	}
	err_clear(&err);
	return like;
}

static int
explain_function(struct pid_match *pm)
{
	struct likeness like = look_for_like(pm);
	const char *in = *pm->mod ? " in module " : "";
	int rc;

	if (!like.has_functions)
		rc = dt_registry_refuse(pm->r, DT_REFUSE_FUNC, 0,
		    "process %d has no names of functions%s%s: it is stripped, "
		    "or its file is damaged. Install its debug symbols, or "
		    "name an address (pid%d:%s:-:401136)",
		    (int)pm->pid, in, pm->mod, (int)pm->pid, pm->mod);
	else if (like.best != NULL && !pid_field_is_pattern(pm->func))
		rc = dt_registry_refuse(pm->r, DT_REFUSE_FUNC, 0,
		    "process %d has no function '%s'%s%s; did you mean '%s'?",
		    (int)pm->pid, pm->func, in, pm->mod, like.best);
	else
		rc = dt_registry_refuse(pm->r, DT_REFUSE_FUNC, 0,
		    "process %d has no function '%s'%s%s", (int)pm->pid,
		    pm->func, in, pm->mod);
	free(like.best);
	return rc;
}

int
pid_explain_none(struct pid_match *pm)
{
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
		return dt_registry_refuse(pm->r, DT_REFUSE_OFF, 0,
		    "there is no code at address %s of process %d%s%s",
		    pm->name, (int)pm->pid, *pm->mod ? " in module " : "",
		    pm->mod);
	if (pm->nfuncs == 0 && pm->has_ifunc)
		return dt_registry_refuse(pm->r, DT_REFUSE_FUNC, 0,
		    "%s is a choice of functions (IFUNC), made when the "
		    "program starts: name the one that is chosen",
		    pm->func);
	if (pm->nfuncs == 0)
		return explain_function(pm);
	if (pm->nprobes == 0 && pm->nleft != 0)
		return dt_registry_refuse(pm->r, DT_REFUSE_FUNC, 0,
		    "%zu places are selected, and none of them can be probed; "
		    "the last is in %s",
		    pm->nleft, pm->sym_name);
	if (pm->nprobes == 0)
		return dt_registry_refuse(pm->r, DT_REFUSE_FUNC, 0, "%s %s",
		    pm->sym_name,
		    strcmp(pm->name, PID_PAUSE) == 0 ?
			"has no PAUSE instruction" :
			"never returns");
	return 0;
}
