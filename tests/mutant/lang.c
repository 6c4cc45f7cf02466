/* SPDX-License-Identifier: BSD-2-Clause */
/* Mutations of the language: tokens, names, pragmas, error tags, versions. */
#include "mutant.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "codegen/cg_impl.h"
#include "lang/lex.h"

/* ---- tables changed where they are --------------------------------------- */

/* A keyword or operator has its own text; other tokens have names for messages,
 * which they may share. */
static enum lex_kind
find_token(const char *name)
{
	for (int k = 0; k < TOK_COUNT_; k++) {
		const struct lex_info *li = &lex_info[k];

		if (strcmp(li->class == LEX_CLASS_TOK ? li->name : li->text,
			name) == 0)
			return (enum lex_kind)k;
	}
	mut_no_row();
}

/* The keyword or operator that changes once it was read; -1: none. */
static int changed_token = -1;

/* Give a token the name of another. */
static void
rename_class(void)
{
	enum lex_kind row = find_token(mutation.row);
	struct lex_info *li = (struct lex_info *)(uintptr_t)&lex_info[row];

	if (li->class != LEX_CLASS_TOK) {
		changed_token = (int)row;
		return;
	}
	mut_open(li, sizeof(*li));
	li->name = mutation.to;
	li->text = mutation.to;
}

/* Print D_SYNTAX as X_SYNTAX. */
static void
change_tag(void)
{
	static const struct {
		const char *name, *tag;
	} tags[] = {
#define ERRTAG(name) { #name, D_##name },
#include "lang/errtags.def"
#undef ERRTAG
	};

	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
		if (strcmp(tags[i].name, mutation.row) != 0)
			continue;
		mut_open(tags[i].tag, 1);
		*(char *)(uintptr_t)tags[i].tag = 'X';
		return;
	}
	mut_no_row();
}

void
mut_lang_tables(void)
{
	if (mut_in("tokens.def"))
		rename_class();
	else if (mut_in("errtags.def"))
		change_tag();
}

/* ---- words --------------------------------------------------------------- */

void __real_lex_next(struct lex *lx);
void __wrap_lex_next(struct lex *lx);

static bool
renames_words(void)
{
	return mut_in("typedefs.def") || mut_in("dif_cpuinfo.def") ||
	    mut_in("names_later.def") || mut_is("dif_vars.def", "args");
}

static void
change_token(struct lex *lx, struct lex_tok *t)
{
	if (renames_words() && t->kind == TOK_IDENT &&
	    strcmp(t->s, mutation.row) == 0)
		t->s = arena_strdup(lx->lc->arena, mutation.to);
	if (mut_in("tokens.def") && (int)t->kind == changed_token)
		t->kind = find_token(mutation.to);
}

/* A name is read as another one: of a type, of a member, a refused one; a
 * keyword or operator is read as another. */
void
__wrap_lex_next(struct lex *lx)
{
	size_t n = lx->toks.n;

	__real_lex_next(lx);
	for (; n < lx->toks.n; n++)
		change_token(lx, &lx->toks.v[n]);
}

/* ---- macros -------------------------------------------------------------- */

static bool
stands_at(const struct lex *lx, uint32_t off, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < len; i++) {
		if (lex_at(lx, off + (uint32_t)i) != name[i])
			return false;
	}
	return !lex_is_ident(lex_at(lx, off + (uint32_t)len));
}

static bool
is_macro(const struct lex *lx)
{
	uint32_t name = lx->pos + 1 + (lex_at(lx, lx->pos + 1) == '$');

	return mut_in("macros.def") && stands_at(lx, name, mutation.row);
}

void __real_lex_macro_token(struct lex *lx);
void __wrap_lex_macro_token(struct lex *lx);

/* A macro's value is higher by one. */
void
__wrap_lex_macro_token(struct lex *lx)
{
	bool is_meant = is_macro(lx);
	struct lex_tok *t;

	__real_lex_macro_token(lx);
	t = &lx->toks.v[lx->toks.n - 1];
	if (is_meant && t->kind == TOK_INT)
		t->value++;
	else if (is_meant && t->kind == TOK_STR && t->len > 0)
		t->s[0] ^= 1;
}

/* ---- pragmas ------------------------------------------------------------- */

static uint32_t
skip_word(const struct lex *lx, uint32_t off, const char *word)
{
	if (stands_at(lx, off, word))
		off += (uint32_t)strlen(word);
	while (lex_at(lx, off) == ' ' || lex_at(lx, off) == '\t')
		off++;
	return off;
}

void __real_lex_control(struct lex *lx);
void __wrap_lex_control(struct lex *lx);

/* A pragma is skipped. */
void
__wrap_lex_control(struct lex *lx)
{
	uint32_t off = skip_word(lx, lx->pos + 1, "");

	off = skip_word(lx, skip_word(lx, off, "pragma"), "D");
	if (!mut_in("pragmas.def") || !stands_at(lx, off, mutation.row)) {
		__real_lex_control(lx);
		return;
	}
	while (lx->pos < lx->len && lex_at(lx, lx->pos) != '\n')
		lx->pos++;
}

/* ---- actions, versions, locks -------------------------------------------- */

bool __real_cg_compile_action(struct cg *cg, struct ast_expr *e);
bool __wrap_cg_compile_action(struct cg *cg, struct ast_expr *e);

/* An action is checked, but does nothing. */
bool
__wrap_cg_compile_action(struct cg *cg, struct ast_expr *e)
{
	if (mut_is("action.c", e->u.ident.name))
		return true;
	return __real_cg_compile_action(cg, e);
}

uint32_t __real_cg_builtin_since(const char *name);
uint32_t __wrap_cg_builtin_since(const char *name);

/* A name exists in all versions. */
uint32_t
__wrap_cg_builtin_since(const char *name)
{
	return mut_is("since.def", name) ? 0 : __real_cg_builtin_since(name);
}

static bool
is_lock(const struct dif_subrinfo *si, uint64_t kind)
{
	enum dif_lock_family family =
	    si->id <= DIF_SUBR_MUTEX_TYPE_SPIN ? DIF_LOCK_MUTEX : DIF_LOCK_RW;

#define DIF_LOCK(fam, no, NAME, type, text)                                    \
	if (family == DIF_LOCK_##fam && kind == (no))                          \
		return strcmp(mutation.row, type) == 0;
#include "dif/dif_locks.def"
#undef DIF_LOCK
	mut_no_row();
}

bool __real_ck_lock(
    struct cg *cg, struct ast_expr *e, const struct dif_subrinfo *si);
bool __wrap_ck_lock(
    struct cg *cg, struct ast_expr *e, const struct dif_subrinfo *si);

/* A lock is taken for one of another kind. */
bool
__wrap_ck_lock(struct cg *cg, struct ast_expr *e, const struct dif_subrinfo *si)
{
	struct ast_expr *kind;

	if (!__real_ck_lock(cg, e, si))
		return false;
	kind = e->args.v[e->args.n - 1];
	if (mut_in("dif_locks.def") && is_lock(si, kind->const_value))
		kind->const_value = kind->const_value == 0;
	return true;
}
