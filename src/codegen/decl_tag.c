/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declarations of structs, unions and enums: the layout of members, and
 * enumerators.
 */
#include "codegen/cg_impl.h"

#include <string.h>

#include "base/str.h"
#include "base/vec.h"

static bool
check_bitfield(struct cg *cg, struct ast_decl *m, struct ctf_type *t, int *bits)
{
	int64_t width;

	if (!ctf_is_integer(t)) {
		diag_error(cg->ds, D_DECL_BFTYPE, m->span,
		    "bit-field '%s' must have an integer type, not %s",
		    m->name != NULL ? m->name : "", cg_tn(cg, t));
		return false;
	}
	if (!ck_expr(cg, m->bits))
		return false;
	if (!m->bits->is_const) {
		diag_error(cg->ds, D_DECL_BFCONST, m->bits->span,
		    "the width of a bit-field must be an integer constant");
		return false;
	}
	width = (int64_t)m->bits->const_value;
	if (width < 0 || width > (int64_t)(8 * ctf_resolve(t)->size) ||
	    (width == 0 && m->name != NULL)) {
		diag_error(cg->ds, D_DECL_BFSIZE, m->bits->span,
		    "a bit-field of type %s cannot have %lld bits",
		    cg_tn(cg, t), (long long)width);
		return false;
	}
	*bits = (int)width;
	return true;
}

static bool
check_member_type(struct cg *cg, struct ast_decl *m, struct ctf_type *t)
{
	struct ctf_type *r = ctf_resolve(t);
	const char *name = m->name != NULL ? m->name : "";

	if (m->storage != AST_ST_NONE) {
		diag_error(cg->ds, D_DECL_BADCLASS, m->span,
		    "a member cannot have a storage class");
	} else if (ctf_is_void(t)) {
		diag_error(cg->ds, D_DECL_VOIDOBJ, m->span,
		    "member '%s' cannot have type void", name);
	} else if (r->is_incomplete || r->kind == CTF_K_FUNCTION) {
		diag_error(cg->ds, D_DECL_INCOMPLETE, m->span,
		    "member '%s' has incomplete type %s", name, cg_tn(cg, t));
		cg_hint_incomplete(cg, r);
	} else {
		return true;
	}
	return false;
}

/* A struct being laid out, and the names of its members so far. */
struct body {
	struct ctf_layout lo;
	struct strtab names;
};

static bool
add_member_name(
    struct cg *cg, struct body *b, const struct ast_decl *m, const char *name)
{
	if (strtab_find(&b->names, name) == 0) {
		strtab_intern(&b->names, name);
		return true;
	}
	diag_error(cg->ds, D_DECL_IDRED, m->span,
	    "member '%s' is declared twice", name);
	return false;
}

/* Members of an anonymous struct are also members of the enclosing one. */
static bool
add_member_names(
    struct cg *cg, struct body *b, const struct ast_decl *m, struct ctf_type *t)
{
	bool ok = true;

	if (m->name != NULL)
		return add_member_name(cg, b, m, m->name);
	if (!ctf_is_sou(t))
		return true;
	VEC_FOREACH(&ctf_resolve(t)->members, inner) {
		struct ast_decl unnamed = { .span = m->span };

		ok = ok &&
		    (inner->name != NULL ?
			    add_member_name(cg, b, m, inner->name) :
			    add_member_names(cg, b, &unnamed, inner->type));
	}
	return ok;
}

/* A string in a struct is stored there, in strsize bytes. */
static struct ctf_type *
member_room(struct cg *cg, struct ctf_type *t)
{
	return ctf_resolve(t)->kind != CTF_K_D_STRING ?
	    t :
	    ctf_array(cg->g, ctf_lookup(cg->g, CTF_SP_ORDINARY, "char"),
		cg->s->strsize);
}

static bool
check_member_size(struct cg *cg, const struct ctf_layout *lo,
    const struct ast_decl *m, struct ctf_type *t)
{
	if (lo->bit_off / 8 + ctf_resolve(member_room(cg, t))->size <=
	    MAX_TYPE_SIZE)
		return true;
	diag_error(cg->ds, D_DECL_ARRBIG, m->span,
	    "%s is larger than %llu bytes", cg_tn(cg, lo->type),
	    (unsigned long long)MAX_TYPE_SIZE);
	return false;
}

static bool
lay_out_member(struct cg *cg, struct body *b, struct ast_decl *m)
{
	struct ctf_type *t = cg_decl_type(cg, m);
	struct ctf_layout *lo = &b->lo;
	int bits = -1;

	if (t == NULL || !check_member_type(cg, m, t) ||
	    !check_member_size(cg, lo, m, t))
		return false;
	if (m->bits != NULL && !check_bitfield(cg, m, t, &bits))
		return false;
	if (m->name == NULL && bits == -1 &&
	    (!ctf_is_sou(t) || m->base != NULL)) {
		diag_error(cg->ds, D_DECL_USELESS, m->span,
		    "member declaration without a name");
		return false;
	}
	if (!add_member_names(cg, b, m, t))
		return false;
	if (m->name == NULL && bits > 0) { /* padding */
		lo->bit_off += (uint64_t)bits;
		return true;
	}
	ctf_layout_member(cg->g, lo, m->name, member_room(cg, t), bits);
	if (bits != 0)
		lo->type->members.v[lo->type->members.n - 1].type = t;
	return true;
}

/* Before a body: the tag must have no body yet. */
static bool
may_define(struct cg *cg, const struct ast_decl *d, struct ctf_type *t)
{
	if (!t->is_incomplete || t->same != NULL) {
		diag_error(cg->ds, D_DECL_TYPERED, d->span,
		    "%s is declared twice", cg_tn(cg, t));
		return false;
	}
	t->is_pending = false;
	t->import = NULL;
	return true;
}

/* The node of a tag; the tag may name a module. */
static struct ctf_type *
tag_type(struct cg *cg, const struct ast_decl *d, enum ctf_kind kind)
{
	if (d->base == NULL || strchr(d->base, '`') == NULL)
		return ctf_tag(cg->g, kind, d->base);
	if (d->has_body) {
		diag_error(cg->ds, D_DECL_SCOPE, d->base_span,
		    "a type of a module cannot be defined here");
		return NULL;
	}
	return cg_scoped_type(cg,
	    kind == CTF_K_STRUCT    ? CTF_SP_STRUCT :
		kind == CTF_K_UNION ? CTF_SP_UNION :
				      CTF_SP_ENUM,
	    d->base, d->base_span);
}

struct ctf_type *
cg_sou_type(struct cg *cg, struct ast_decl *d)
{
	enum ctf_kind kind =
	    d->tag == AST_TAG_STRUCT ? CTF_K_STRUCT : CTF_K_UNION;
	struct ctf_type *t = tag_type(cg, d, kind);
	struct body b = { .lo = { .type = t } };
	bool ok = true;

	if (t == NULL || !d->has_body)
		return t;
	/* `struct s { ... } a, b;`: the same body is seen once per name */
	if (cg->body != NULL && cg->body == d->members.v)
		return cg->body_type;
	if (!may_define(cg, d, t))
		return NULL;
	strtab_init(&b.names);
	for (size_t i = 0; i < d->members.n; i++) {
		struct ast_decl *m = d->members.v[i];

		for (; m != NULL; m = m->next)
			ok = lay_out_member(cg, &b, m) && ok;
	}
	strtab_fini(&b.names);
	ctf_layout_end(&b.lo);
	cg->body = d->members.v;
	cg->body_type = ok ? t : NULL;
	return cg->body_type;
}

/*
 * Enumerators are ints.  Headers that come with the preprocessor are written
 * for gcc: an enumerator there may need a larger type, and so may its enum.
 */
static struct ctf_type *
enumerator_type(struct cg *cg, struct ctf_type *t,
    const struct ast_enumerator *en, int64_t value)
{
	if (value >= INT32_MIN && value <= INT32_MAX)
		return cg->g->t_int;
	if ((cg->lc->flags & LANG_F_CPP) == 0) {
		diag_error(cg->ds, D_DECL_ENOFLOW, en->span,
		    "the value of '%s' does not fit in an int", en->name);
		return NULL;
	}
	if (value < 0 || value > UINT32_MAX)
		t->size = t->align = 8;
	else
		t->encoding &= ~(uint32_t)CTF_INT_SIGNED;
	return en->value != NULL ? en->value->type : cg->g->t_long;
}

static bool
add_enumerator(
    struct cg *cg, struct ctf_type *t, struct ast_enumerator *en, int64_t *next)
{
	struct ctf_enumerator ce = { .value = *next };
	struct ctf_type *type;
	struct cg_sym *sym;

	if (en->value != NULL) {
		if (!ck_expr(cg, en->value))
			return false;
		if (!en->value->is_const) {
			diag_error(cg->ds, D_DECL_ENCONST, en->value->span,
			    "the value of '%s' must be an integer constant",
			    en->name);
			return false;
		}
		ce.value = (int64_t)en->value->const_value;
	}
	type = enumerator_type(cg, t, en, ce.value);
	if (type == NULL)
		ce.value = 0; /* later uses are then not reported */
	if (cg_sym_taken(cg->s, DIFV_SCOPE_GLOBAL, en->name) != NULL) {
		diag_error(cg->ds, D_DECL_IDRED, en->span,
		    "'%s' is already declared", en->name);
		return false;
	}
	sym = cg_sym_add(cg->s, CG_SYM_ENUM, DIFV_SCOPE_GLOBAL, en->name,
	    type != NULL ? type : cg->g->t_int);
	sym->value = ce.value;
	ce.name = sym->name;
	VEC_PUSH(&t->enums, ce);
	*next = (int64_t)((uint64_t)ce.value + 1);
	return type != NULL;
}

struct ctf_type *
cg_enum_type(struct cg *cg, struct ast_decl *d)
{
	struct ctf_type *t = tag_type(cg, d, CTF_K_ENUM);
	int64_t next = 0;
	bool ok = true;

	if (t == NULL || !d->has_body)
		return t;
	if (cg->body != NULL && cg->body == d->enums.v)
		return cg->body_type;
	if (!may_define(cg, d, t))
		return NULL;
	t->size = 4;
	t->align = 4;
	t->is_incomplete = false;
	for (size_t i = 0; i < d->enums.n; i++)
		ok = add_enumerator(cg, t, &d->enums.v[i], &next) && ok;
	cg->body = d->enums.v;
	cg->body_type = ok ? t : NULL;
	return cg->body_type;
}
