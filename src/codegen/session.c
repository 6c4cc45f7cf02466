/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of a session: built-in variables, the script's variables in their three
 * scopes, aggregations, enumerators and inlines.
 */
#include "codegen/cg_impl.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/near.h"
#include "base/str.h"
#include "base/vec.h"

#define DEFAULT_STRSIZE 256

uint8_t
cg_scope(enum ast_scope scope)
{
	switch (scope) {
	case AST_SELF:
		return DIFV_SCOPE_THREAD;
	case AST_THIS:
		return DIFV_SCOPE_LOCAL;
	case AST_GLOBAL:
		break;
	}
	return DIFV_SCOPE_GLOBAL;
}

struct cg_sym *
cg_sym_find(struct cg_session *s, uint8_t scope, const char *name)
{
	uint32_t id = strtab_find(&s->names[scope], name);

	return id == 0 ? NULL : s->by_name[scope].v[id - 1];
}

struct cg_sym *
cg_sym_taken(struct cg_session *s, uint8_t scope, const char *name)
{
	struct cg_sym *sym = cg_sym_find(s, scope, name);

	return sym == NULL || (sym->is_library && !s->in_library) ? NULL : sym;
}

struct cg_sym *
cg_sym_add(struct cg_session *s, enum cg_symkind kind, uint8_t scope,
    const char *name, struct ctf_type *type)
{
	struct cg_sym *sym = ARENA_NEW(&s->arena, struct cg_sym);
	uint32_t id;

	sym->kind = kind;
	sym->scope = scope;
	sym->name = arena_strdup(&s->arena, name);
	sym->type = type;
	sym->attr = (struct dif_attr)DIF_ATTR_PROGRAM;
	sym->is_library = s->in_library;
	VEC_PUSH(&s->syms, sym);
	id = strtab_intern(&s->names[scope], name);
	if (id > s->by_name[scope].n)
		VEC_PUSH(&s->by_name[scope], sym);
	s->by_name[scope].v[id - 1] = sym; /* the name may be a
						 * library's */
	return sym;
}

struct cg_sym *
cg_var_add(struct cg_session *s, uint8_t scope, const char *name,
    struct ctf_type *type)
{
	struct cg_sym *sym = cg_sym_add(s, CG_SYM_VAR, scope, name, type);

	sym->id = s->next_id[scope]++;
	return sym;
}

struct cg_agg *
cg_agg_find(struct cg_session *s, const char *name)
{
	uint32_t id = strtab_find(&s->agg_names, name);

	return id == 0 ? NULL : s->aggs.v[id - 1];
}

/* Only aggregations that a text assigns to are considered. */
const char *
cg_nearest_agg(const struct cg_session *s, const char *name)
{
	struct near n = near_start(name);

	VEC_FOREACH(&s->aggs, ap) {
		if ((*ap)->kind != 0)
			near_try(&n, (*ap)->name);
	}
	return n.name;
}

struct cg_agg *
cg_agg_add(struct cg_session *s, const char *name)
{
	struct cg_agg *agg = ARENA_NEW(&s->arena, struct cg_agg);

	agg->name = arena_strdup(&s->arena, name);
	agg->id = strtab_intern(&s->agg_names, name);
	assert(agg->id == s->aggs.n + 1);
	VEC_PUSH(&s->aggs, agg);
	return agg;
}

/* Give struct cpuinfo its body when the session begins. */
static void
add_cpuinfo(struct ctf_graph *g)
{
	static const struct {
		const char *name, *type;
	} members[] = {
#define DIF_CPUINFO(name, type) { #name, type },
#include "dif/dif_cpuinfo.def"
#undef DIF_CPUINFO
	};
	struct ctf_layout lo = { .type = ctf_tag(g, CTF_K_STRUCT, "cpuinfo") };

	lo.type->is_pending = false;
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		ctf_layout_member(g, &lo, members[i].name,
		    ctf_lookup_text(g, members[i].type), -1);
	ctf_layout_end(&lo);
}

static void
add_builtins(struct cg_session *s)
{
	static const struct {
		uint32_t id;
		const char *name, *type, *attr;
	} vars[] = {
#define DIF_VAR(val, NAME, name, type, attr, flags) { val, name, type, attr },
#include "dif/dif_vars.def"
#undef DIF_VAR
	};

	for (size_t i = 0; i < sizeof(vars) / sizeof(vars[0]); i++) {
		struct cg_sym *sym =
		    cg_sym_add(s, CG_SYM_BUILTIN, DIFV_SCOPE_GLOBAL,
			vars[i].name, ctf_lookup_text(&s->types, vars[i].type));

		sym->is_hidden = vars[i].name[0] == '$';
		sym->id = vars[i].id;
		sym->since = cg_builtin_since(vars[i].name);
		dif_attr_parse(vars[i].attr, &sym->attr);
	}
}

struct cg_session *
cg_session_create(void)
{
	struct cg_session *s = mem_alloc(sizeof(*s));
	struct cg_sym *null;

	ctf_graph_init(&s->types);
	arena_init(&s->arena);
	strtab_init(&s->externs);
	strtab_init(&s->agg_names);
	for (int i = 0; i < 3; i++) {
		s->next_id[i] = DIF_VAR_USER_MIN;
		strtab_init(&s->names[i]);
	}
	s->strsize = DEFAULT_STRSIZE;
	s->version = DIF_VERSION_LATEST;
	add_cpuinfo(&s->types);
	add_builtins(s);
	null = cg_sym_add(
	    s, CG_SYM_ENUM, DIFV_SCOPE_GLOBAL, "NULL", s->types.t_long);
	null->value = 0;
	return s;
}

void
cg_session_destroy(struct cg_session *s)
{
	if (s == NULL)
		return;
	VEC_FREE(&s->syms);
	VEC_FREE(&s->aggs);
	VEC_FREE(&s->spills);
	VEC_FREE(&s->bound);
	VEC_FREE(&s->xlators);
	VEC_FREE(&s->unavailable);
	for (int i = 0; i < 3; i++) {
		strtab_fini(&s->names[i]);
		VEC_FREE(&s->by_name[i]);
	}
	strtab_fini(&s->agg_names);
	VEC_FREE(&s->extern_types);
	strtab_fini(&s->externs);
	arena_fini(&s->arena);
	ctf_graph_fini(&s->types);
	kallsyms_fini(&s->kallsyms);
	free(s);
}

struct ctf_graph *
cg_session_types(struct cg_session *s)
{
	return &s->types;
}

struct kallsyms *
cg_session_kallsyms(struct cg_session *s)
{
	return &s->kallsyms;
}

void
cg_session_set_strsize(struct cg_session *s, uint64_t strsize)
{
	s->strsize = strsize;
}

void
cg_session_set_library(struct cg_session *s, bool is_library)
{
	s->in_library = is_library;
}

bool
cg_is_type(const void *session, const char *name)
{
	const struct cg_session *s = session;

	return ctf_lookup(&s->types, CTF_SP_ORDINARY, name) != NULL;
}

void
cg_session_set_amin(struct cg_session *s, struct dif_attr amin)
{
	s->amin = amin;
}

void
cg_session_set_late(struct cg_session *s, bool is_late)
{
	s->is_late = is_late;
}

void
cg_session_set_version(struct cg_session *s, uint32_t version)
{
	s->version = version;
}

/* ---- nearest name -------------------------------------------------------- */

/* Actions that a misspelt name must not lead to: no hint suggests them. */
static bool
does_harm(const char *action)
{
	static const char *const names[] = { "stop", "raise", "chill", "panic",
		"breakpoint" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(action, names[i]) == 0)
			return true;
	}
	return false;
}

const char *
cg_nearest_function(struct cg *cg, const char *name)
{
	static const char *const subrs[] = {
#define DIF_SUBR(id, NAME, name, proto, flags) name,
#include "dif/dif_subrs.def"
#undef DIF_SUBR
	};
	struct near n = near_start(name);
	const char *known;

	for (size_t i = 0; i < sizeof(subrs) / sizeof(subrs[0]); i++)
		near_try(&n, subrs[i]);
	for (size_t i = 0; (known = cg_action_name(i)) != NULL; i++) {
		if (!does_harm(known))
			near_try(&n, known);
	}
	for (size_t i = 0; (known = cg_aggfunc_name(i)) != NULL; i++)
		near_try(&n, known);
	near_try(&n, "label");
	cg_try_inlines(cg, &n);
	return n.name;
}
