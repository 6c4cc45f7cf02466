/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lock predicates (mutex_owned(), rw_read_held(), ...): Linux has several kinds
 * of locks, and the static type of the argument tells them apart.  The kind
 * becomes a second argument in DIF, so that an object is complete by itself.  A
 * pointer to void is a struct mutex for mutex_*() and a struct rw_semaphore for
 * rw_*().
 */
#include "codegen/cg_impl.h"

#include <string.h>

#include "base/str.h"

static const struct lock {
	enum dif_lock_family family;
	enum dif_lock kind;
	const char *type, *text;
} locks[] = {
#define DIF_LOCK(family, no, NAME, type, text)                                 \
	{ DIF_LOCK_##family, DIF_LOCK_##NAME, type, text },
#include "dif/dif_locks.def"
#undef DIF_LOCK
};
#define NLOCKS (sizeof(locks) / sizeof(locks[0]))

static enum dif_lock_family
family_of(const struct dif_subrinfo *si)
{
	return si->id <= DIF_SUBR_MUTEX_TYPE_SPIN ? DIF_LOCK_MUTEX :
						    DIF_LOCK_RW;
}

static const struct lock *
find_lock(enum dif_lock_family family, const char *type)
{
	for (size_t i = 0; type != NULL && i < NLOCKS; i++) {
		if (locks[i].family == family &&
		    strcmp(locks[i].type, type) == 0)
			return &locks[i];
	}
	return NULL;
}

/*
 * The first name that denotes a lock, among the names of the type and of the
 * types that it stands for.
 */
static const struct lock *
lock_of_type(enum dif_lock_family family, const struct ctf_type *t)
{
	const struct lock *found = find_lock(family, t->name);

	while (found == NULL &&
	    (t->kind == CTF_K_TYPEDEF || t->kind == CTF_K_CONST ||
		t->kind == CTF_K_VOLATILE)) {
		t = t->ref;
		found = find_lock(family, t->name);
	}
	return found;
}

static bool
refuse(struct cg *cg, const struct ast_expr *arg, const struct dif_subrinfo *si,
    enum dif_lock_family family)
{
	struct strbuf sb = { 0 };

	for (size_t i = 0; i < NLOCKS; i++) {
		if (locks[i].family == family)
			strbuf_printf(
			    &sb, "%s%s *", sb.len ? ", " : "", locks[i].text);
	}
	diag_error(cg->ds, D_PROTO_ARG, arg->span,
	    "argument 1 of %s() must be a pointer to a lock, not %s", si->name,
	    cg_tn(cg, arg->type));
	diag_hint(cg->ds, "it takes %s or void *", sb.s);
	strbuf_fini(&sb);
	return false;
}

bool
ck_lock(struct cg *cg, struct ast_expr *e, const struct dif_subrinfo *si)
{
	enum dif_lock_family family = family_of(si);
	struct ast_expr *arg = e->args.v[0];
	const struct ctf_type *p = cg_decay(cg, arg);
	const struct lock *lock = NULL;

	if (p != NULL)
		lock = lock_of_type(family, p->ref);
	if (lock == NULL && (p == NULL || !ctf_is_void(p->ref)))
		return refuse(cg, arg, si, family);
	AST_PUSH(cg->lc->arena, &e->args,
	    cg_int_node(cg, lock != NULL ? lock->kind : 0, arg->span));
	return true;
}
