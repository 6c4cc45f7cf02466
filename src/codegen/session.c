/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of a session: built-in variables, the script's variables in their three
 * scopes, aggregations, enumerators and inlines.
 */
#include "codegen/cg_impl.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

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
cg_sym_add(struct cg_session *s, enum cg_symkind kind, uint8_t scope,
    const char *name, struct ctf_type *type)
{
	struct cg_sym *sym = ARENA_NEW(&s->arena, struct cg_sym);
	uint32_t id;

	sym->kind = kind;
	sym->scope = scope;
	sym->name = arena_strdup(&s->arena, name);
	sym->type = type;
	VEC_PUSH(&s->syms, sym);
	id = strtab_intern(&s->names[scope], name);
	assert(id == s->by_name[scope].n + 1);
	VEC_PUSH(&s->by_name[scope], sym);
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

static void
add_builtins(struct cg_session *s)
{
	static const struct {
		uint32_t id;
		const char *name, *type;
	} vars[] = {
#define DIF_VAR(val, NAME, name, type, attr) { val, name, type },
#include "dif/dif_vars.def"
#undef DIF_VAR
	};

	for (size_t i = 0; i < sizeof(vars) / sizeof(vars[0]); i++) {
		struct cg_sym *sym = cg_sym_add(s, CG_SYM_BUILTIN,
		    DIFV_SCOPE_GLOBAL, vars[i].name,
		    ctf_lookup_text(&s->types, vars[i].type));

		sym->id = vars[i].id;
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
	add_builtins(s);
	null = cg_sym_add(s, CG_SYM_ENUM, DIFV_SCOPE_GLOBAL, "NULL",
	    s->types.t_long);
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
	for (int i = 0; i < 3; i++) {
		strtab_fini(&s->names[i]);
		VEC_FREE(&s->by_name[i]);
	}
	strtab_fini(&s->agg_names);
	strtab_fini(&s->externs);
	arena_fini(&s->arena);
	ctf_graph_fini(&s->types);
	free(s);
}

struct ctf_graph *
cg_session_types(struct cg_session *s)
{
	return &s->types;
}

void
cg_session_set_strsize(struct cg_session *s, uint64_t strsize)
{
	s->strsize = strsize;
}

/* ---- nearest name -------------------------------------------------------- */

#define NAME_MAX_COMPARED 32

static unsigned
least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Edit distance, where exchanging two neighbours counts one. */
static unsigned
distance(const char *a, const char *b)
{
	unsigned d[3][NAME_MAX_COMPARED + 1];
	size_t na = strlen(a), nb = strlen(b);

	if (na > NAME_MAX_COMPARED || nb > NAME_MAX_COMPARED)
		return NAME_MAX_COMPARED;
	for (size_t j = 0; j <= nb; j++)
		d[0][j] = (unsigned)j;
	for (size_t i = 1; i <= na; i++) {
		unsigned *cur = d[i % 3], *up = d[(i - 1) % 3];

		cur[0] = (unsigned)i;
		for (size_t j = 1; j <= nb; j++) {
			unsigned v = up[j - 1] + (a[i - 1] != b[j - 1]);

			v = least(v, up[j] + 1);
			v = least(v, cur[j - 1] + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				v = least(v, d[(i - 2) % 3][j - 2] + 1);
			cur[j] = v;
		}
	}
	return d[na % 3][nb];
}

struct nearest {
	const char *to;		/* the misspelt name */
	const char *name;	/* the nearest so far, or NULL */
	unsigned best;		/* its distance, or what is still near */
};

static struct nearest
nearest_start(const char *to)
{
	return (struct nearest) { to, NULL,
		least((unsigned)strlen(to) / 3 + 1, 3) };
}

/* Of two that are as near, letters that changed places are likelier than one
 * too many: "prinft" is printf, not print. */
static bool
is_nearer(const struct nearest *n, const char *name, unsigned d)
{
	size_t len = strlen(n->to);

	if (d != n->best || n->name == NULL)
		return d <= n->best;
	return strlen(name) == len && strlen(n->name) != len;
}

static void
nearest_try(struct nearest *n, const char *name)
{
	unsigned d = distance(n->to, name);

	if (is_nearer(n, name, d)) {
		n->best = d;
		n->name = name;
	}
}

const char *
cg_nearest(struct cg_session *s, uint8_t scope, const char *name)
{
	struct nearest n = nearest_start(name);

	VEC_FOREACH(&s->syms, sp) {
		if ((*sp)->scope == scope && !(*sp)->is_hidden &&
		    !(*sp)->is_broken)
			nearest_try(&n, (*sp)->name);
	}
	return n.name;
}

const char *
cg_nearest_function(const char *name)
{
	static const char *const subrs[] = {
#define DIF_SUBR(id, NAME, name, proto, flags) name,
#include "dif/dif_subrs.def"
#undef DIF_SUBR
	};
	struct nearest n = nearest_start(name);
	const char *known;

	for (size_t i = 0; i < sizeof(subrs) / sizeof(subrs[0]); i++)
		nearest_try(&n, subrs[i]);
	for (size_t i = 0; (known = cg_action_name(i)) != NULL; i++)
		nearest_try(&n, known);
	for (size_t i = 0; (known = cg_aggfunc_name(i)) != NULL; i++)
		nearest_try(&n, known);
	return n.name;
}

/* ---- trees that outlive their text --------------------------------------- */

struct ast_expr *
cg_clone(struct cg_session *s, const struct ast_expr *e)
{
	struct ast_expr *c;

	if (e == NULL)
		return NULL;
	c = ARENA_NEW(&s->arena, struct ast_expr);
	*c = *e;
	c->a = cg_clone(s, e->a);
	c->b = cg_clone(s, e->b);
	c->c = cg_clone(s, e->c);
	c->decl = NULL;		/* the type has been taken from it */
	if (e->kind == AST_STR)
		c->u.str.s = arena_strndup(&s->arena, e->u.str.s, e->u.str.len);
	else if (e->kind != AST_INT && e->u.ident.name != NULL)
		c->u.ident.name = arena_strdup(&s->arena, e->u.ident.name);
	c->args.v = NULL;
	c->args.n = c->args.cap = 0;
	for (size_t i = 0; i < e->args.n; i++)
		AST_PUSH(&s->arena, &c->args, cg_clone(s, e->args.v[i]));
	return c;
}
