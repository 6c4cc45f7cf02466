/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CODEGEN_CG_IMPL_H
#define CODEGEN_CG_IMPL_H

/*
 * Types and functions that the files of codegen/ share.
 *
 * A statement goes through two walks.  check*.c names and types every node of
 * the tree (bottom up, folding constants); a node that fails has reported one
 * diagnostic and its statement is given up.  gen*.c then emits DIF from the
 * typed tree and can fail only for lack of registers or table space.
 *
 * Arithmetic is done in 64 bits, as D's rules have it: a value of type int may
 * leave int's range until it is stored or cast.  cg_fits() tells where
 * narrowing is needed.
 */
#include "base/kallsyms.h"
#include "base/mem.h"
#include "base/near.h"
#include "base/str.h"
#include "base/vec.h"
#include "codegen/codegen.h"
#include "ctf/ctf.h"

enum cg_symkind {
	CG_SYM_VAR,
	CG_SYM_BUILTIN,
	CG_SYM_ENUM,
	CG_SYM_INLINE,
	CG_SYM_KERNEL,
	CG_SYM_PARAM
};

/* Parameters of an inline or translator: symbols of kind CG_SYM_PARAM. */
struct cg_params {
	struct cg_sym **v;
	uint32_t n;
};

/* A name of the session: lives in its arena and never moves. */
struct cg_sym {
	enum cg_symkind kind;
	const char *name;
	struct ctf_type *type;
	uint32_t id;	   /* variables: dif_var.id */
	uint8_t scope;	   /* DIFV_SCOPE_* */
	bool is_array;	   /* associative */
	bool is_hidden;	   /* made by the compiler */
	bool is_broken;	   /* its declaration was in error */
	const char *lacks; /* of a library: what this kernel
					 * lacks */
	uint32_t source;   /* inlines: the text that defines
					 * them */
	uint32_t nkeys;
	struct ctf_type **keys;
	bool is_library; /* defined by a D library, not by the
					 * script */
	struct dif_attr attr;
	uint32_t since; /* version of D that introduced it */
	bool is_const;	/* inlines: `value` is their value */
	int64_t value;	/* enumerators, constant inlines */
	/* kernel symbols: their address; the name is "module`symbol" */
	uint64_t addr; /* or the BTF number if is_percpu */
	bool is_percpu;
	const char *module, *symbol;
	bool is_taken;		 /* hidden ones: in use by this
					 * statement */
	struct cg_params params; /* inlines with is_array */
	struct ast_expr *init;	 /* inlines: template (expand.c) */
};

/*
 * translator out < param > { name = value; ... }
 *
 * With option late=dynamic, a translator that is not defined yet has names in
 * place of members: its uses become XLATE or, where it translates an argument
 * of the probe, XLARG.
 */
struct cg_xlator {
	const char *in_name, *out_name; /* NULL: it is defined */
	uint32_t argn;			/* XLARG: the index in args[] */
	struct ctf_type *out;
	struct cg_sym *param;
	VEC(struct cg_xmember {
		const char *name;
		struct diag_span span;
		const struct ctf_member *member; /* member of `out` */
		struct ast_expr *value;		 /* template */
		const struct ctf_type *type;	 /* of the value */
		const char *lacks;		 /* why it has no value here */
	})
	members;
};

struct cg_agg {
	uint32_t id;
	const char *name;
	uint16_t kind; /* DT_ACT_*; 0: not yet assigned */
	uint64_t arg;  /* packed parameters */
	uint32_t nkeys;
	struct ctf_type **keys;
};

/*
 * An extern of a library gives the symbol a type, but no plain name to scripts.
 */
struct cg_extern {
	struct ctf_type *type;
	bool is_library;
};

struct cg_session {
	struct ctf_graph types;
	struct arena arena;
	VEC(struct cg_sym *) syms;
	/* names[scope] numbers the names, by_name[scope] has the symbols */
	struct strtab names[3];
	VEC(struct cg_sym *) by_name[3];
	VEC(struct cg_agg *) aggs;	    /* index is id - 1 */
	struct strtab agg_names;	    /* numbers the names */
	struct strtab externs;		    /* numbers the declared externs */
	VEC(struct cg_extern) extern_types; /* index is number - 1 */
	uint32_t next_id[3];		    /* per scope */
	uint64_t strsize;
	VEC(struct cg_sym *) spills; /* hidden locals: spilled values */
	uint32_t nifs;		     /* number of hidden locals for
					 * conditions of `if` */
	VEC(struct cg_sym *) bound;  /* hidden locals: arguments */
	VEC(struct cg_xlator *) xlators;
	bool in_library;		 /* a library is being compiled */
	bool is_late;			 /* option late=dynamic */
	struct cg_sym *saves[DIF_NREGS]; /* hidden locals: link.c */
	struct dif_attr amin;		 /* options amin and version */
	uint32_t version;
	struct kallsyms kallsyms; /* read when a symbol is named */
	/*
	 * Members that a type has on other kernels, from #pragma D unavailable.
	 */
	VEC(struct cg_unavailable {
		const struct ctf_type *type; /* resolved */
		const char *member, *why;
	})
	unavailable;
};

/* A DIF object under construction. */
struct cg_obj {
	VEC(uint32_t) text;
	VEC(struct diag_span) spans;
	VEC(uint64_t) ints;
	struct strbuf strs;
	VEC(struct dif_krel) krels;
	VEC(struct dif_xlref) xlrefs;
	VEC(struct dif_var) vars;
	VEC(const struct cg_sym *) var_syms; /* parallel to vars */
	VEC(struct cg_label { uint32_t label, pc; }) patches;
	VEC(uint32_t) labels;  /* instruction index */
	unsigned regs;	       /* bit n: %rn is taken */
	unsigned tuple_depth;  /* known statically */
	unsigned nspills;      /* spill slots in use */
	struct diag_span span; /* of the code being emitted */
	bool is_failed;
};

/* A thread-local variable that rules of a library set for other rules. */
struct cg_kept {
	const char *name;
	const char *why; /* why no rule that sets it works here; or
				 * NULL */
};

/* One compile. */
struct cg {
	struct cg_session *s;
	struct ctf_graph *g;
	struct lang_compile *lc;
	struct diags *ds;
	struct dif_prog *prog;
	struct cg_obj o;
	unsigned depth;			/* of the tree walk */
	const struct cg_params *params; /* parameters of the definition being
					 * compiled */
	const char *lack;		/* what this kernel lacks for a name */
	const struct ast_program *text; /* the text being compiled */
	const char *defining;		/* name of the inline being defined */
	unsigned nnodes;		/* nodes made for this statement */
	const struct ast_expr *action;	/* an action used as a value */
	VEC(const struct ast_item *)
	pragmas;			 /* pragmas about names not
						 * declared yet */
	VEC(struct cg_kept) kept;	 /* set by clauses of this library */
	struct dif_clause *cl;		 /* being built */
	uint32_t group;			 /* next dif_action.group */
	const struct ast_clause *clause; /* being compiled, or NULL */
	struct dif_attr args_attr;	 /* of the args[] that this statement
					 * uses */
	const struct cg_args *args;	 /* args.c: of the clause's probes;
					 * NULL: not gathered yet */
	bool has_ifs;			 /* the clause becomes several */
	struct ast_expr *spec;		 /* has_ifs: id of the speculation, or
					 * NULL */
	const void *body;		 /* struct or enum body made last */
	struct ctf_type *body_type;	 /* type made of `body` */
};

/* ---- session.c: names ---------------------------------------------------- */

struct cg_sym *cg_sym_find(
    struct cg_session *s, uint8_t scope, const char *name);
/*
 * The symbol that conflicts with a declaration; NULL: none does.  A script may
 * redeclare the names of libraries.
 */
struct cg_sym *cg_sym_taken(
    struct cg_session *s, uint8_t scope, const char *name);
struct cg_sym *cg_sym_add(struct cg_session *s, enum cg_symkind kind,
    uint8_t scope, const char *name, struct ctf_type *type);
struct cg_sym *cg_var_add(struct cg_session *s, uint8_t scope, const char *name,
    struct ctf_type *type);
struct cg_agg *cg_agg_find(struct cg_session *s, const char *name);
const char *cg_nearest_agg(const struct cg_session *s, const char *name);
struct cg_agg *cg_agg_add(struct cg_session *s, const char *name);
/*
 * The name nearest to a misspelt one among subroutines, actions, aggregating
 * functions and inlines.
 */
const char *cg_nearest_function(struct cg *cg, const char *name);
uint8_t cg_scope(enum ast_scope scope);

/* ---- lookup.c: what the script did not define ---------------------------- */

/* Compare the name with those of inlines that are called. */
struct near;
void cg_try_inlines(struct cg *cg, struct near *n);

/* The type of "module`name" or "`name"; NULL after a diagnostic. */
struct ctf_type *cg_scoped_type(struct cg *cg, enum ctf_space space,
    const char *name, struct diag_span span);
/*
 * The parser takes the operand of `sizeof (name)` for a variable.  Returns the
 * type of that name, if no variable has it.
 */
struct ctf_type *cg_type_in_parens(struct cg *cg, const struct ast_expr *e);
/*
 * The known name of a variable, constant or type that is nearest to a misspelt
 * name; NULL: none is near.
 */
const char *cg_nearest(struct cg *cg, uint8_t scope, const char *name);
const char *cg_nearest_type(struct cg *cg, const char *name);
/*
 * Called while a library is compiled: do all errors from diagnostic n on say
 * that this kernel's types lack something?  If so, the errors are removed and
 * the first one's message is returned; else the result is NULL.  A name that is
 * not found anywhere counts as misspelt, unless it may belong to another kernel
 * (may_lack_names).
 */
const char *cg_take_lack(struct cg *cg, size_t n, bool may_lack_names);
/* #pragma D unavailable: returns false if the type does not exist. */
bool cg_note_unavailable(struct cg *cg, const struct ast_pragma *pr);
/* Report the use of a member that the pragma names; false: it names another. */
bool cg_refuse_unavailable(
    struct cg *cg, const struct ast_expr *e, const struct ctf_type *sou);
/* The extern declaration of a kernel symbol, which gives its type; or NULL. */
const struct cg_extern *cg_find_extern(const struct cg *cg, const char *name);
void cg_declare_extern(struct cg *cg, const char *name, struct ctf_type *t);
/*
 * Does `e` name a symbol of the kernel: "module`name", "`name", or a plain name
 * that was declared extern?  With `is_address` (after &) its type need not be
 * known.
 */
bool cg_is_symbol(const struct cg *cg, const struct ast_expr *e);
bool ck_symbol(struct cg *cg, struct ast_expr *e, bool is_address);
/* An enumerator of an import; NULL: there is none, or after a diagnostic. */
struct cg_sym *cg_find_enumerator(struct cg *cg, const struct ast_expr *e);
/*
 * After an error for a missing name: hint why the types of its import are
 * missing, if they are.
 */
bool cg_hint_imports(struct cg *cg);
/* Hint at the type that was meant, for the error reported last. */
void cg_suggest_type(struct cg *cg, enum ctf_space space, const char *name);
/* Hint why the struct, union or enum may be incomplete. */
void cg_hint_incomplete(struct cg *cg, const struct ctf_type *t);
/*
 * Report that `t` is incomplete where its members or size are needed.  Always
 * returns false.
 */
bool cg_refuse_incomplete(
    struct cg *cg, struct diag_span span, struct ctf_type *t);

/* ---- decl*.c: declarations to types, and of names ------------------------ */

#define MAX_TYPE_SIZE (1ULL << 30)

/* The type of a declaration or type name, or NULL after a diagnostic. */
struct ctf_type *cg_decl_type(struct cg *cg, struct ast_decl *d);
/* As cg_decl_type(); for an associative array, the type of its elements. */
struct ctf_type *cg_var_type(struct cg *cg, struct ast_decl *d);
/*
 * decl_tag.c: the struct, union or enum that a declaration names or defines, or
 * NULL after a diagnostic.
 */
struct ctf_type *cg_sou_type(struct cg *cg, struct ast_decl *d);
struct ctf_type *cg_enum_type(struct cg *cg, struct ast_decl *d);
/* decl_var.c: declare the names of a declaration. */
void cg_declare(struct cg *cg, struct ast_decl *d);
/* Check that the type is not too large to be stored. */
bool cg_check_var_size(
    struct cg *cg, const struct ast_decl *d, struct ctf_type *t);
bool cg_check_object_type(
    struct cg *cg, const struct ast_decl *d, struct ctf_type *t);

/* ---- expand.c, inline.c, xlator.c, translate.c --------------------------- */

void cg_declare_inline(
    struct cg *cg, struct ast_decl *d, struct ast_expr *init);
void cg_declare_xlator(struct cg *cg, struct ast_xlator *ax);
/* Begin a statement, predicate or definition: all hidden variables are free. */
void cg_begin_statement(struct cg *cg);
struct cg_sym *cg_take_hidden(struct cg *cg, struct ctf_type *type);
struct cg_sym *cg_param_find(const struct cg *cg, const char *name);
/* Typed nodes that the compiler makes. */
struct ast_expr *cg_node(struct cg *cg, enum ast_kind kind,
    struct ctf_type *type, struct diag_span span);
struct ast_expr *cg_var_node(
    struct cg *cg, struct cg_sym *sym, struct diag_span span);
/*
 * Is there a translator to `out` from the type `in`, or from what `in` points
 * to?
 */
bool cg_has_xlator(struct cg *cg, struct ctf_type *in, struct ctf_type *out);
bool ck_inline(struct cg *cg, struct ast_expr *e, const struct cg_sym *sym);
bool ck_xlate(struct cg *cg, struct ast_expr *e);
/*
 * If `e` is a translation, a translated args[n], or an inline that stands for a
 * translation, *tr is the translation, a member of which can be taken with
 * ck_translated_member(); else *tr is NULL. *before is the expression to be
 * evaluated first, or NULL.  Returns false after a diagnostic.
 */
bool cg_translation(struct cg *cg, struct ast_expr *e, struct ast_expr **tr,
    struct ast_expr **before);
bool ck_translated_member(struct cg *cg, struct ast_expr *e,
    struct ast_expr *tr, struct ast_expr *before);
/* Does the translator of `tr` leave the member undefined? */
bool cg_lacks_member(struct cg *cg, struct ast_expr *tr, const char *name);
/*
 * As ck_translated_member(), where a char array is wanted that a string fills:
 * the member itself, in memory.  `tr` is an xlate expression that was checked
 * this way.
 */
struct ast_expr *cg_member_in_memory(
    struct cg *cg, struct ast_expr *tr, const char *name);
/*
 * A translator that may be defined later; NULL: option late does not allow it.
 * argn: the index in args[], or CG_NO_ARG.
 */
#define CG_NO_ARG UINT32_MAX
struct cg_xlator *cg_late_xlator(
    struct cg *cg, const char *in_name, struct ctf_type *out, uint32_t argn);

/* ---- check*.c: types of expressions -------------------------------------- */

/* All of these return false after one diagnostic. */
bool ck_expr(struct cg *cg, struct ast_expr *e);
bool ck_unary(struct cg *cg, struct ast_expr *e);
bool ck_binary(struct cg *cg, struct ast_expr *e);
bool ck_assign(struct cg *cg, struct ast_expr *e);
/*
 * After ck_cond(), a ?: with a constant condition has the chosen value as `b`,
 * and no `c`.
 */
bool ck_cond(struct cg *cg, struct ast_expr *e);
bool ck_ident(struct cg *cg, struct ast_expr *e);
bool ck_call(struct cg *cg, struct ast_expr *e);

/* Refuse an action in a place that takes expressions of type void. */
bool ck_no_action(struct cg *cg, const struct ast_expr *e);

/* Say, below the error that was just reported, that an action has no value. */
void ck_explain_action(struct cg *cg);
bool ck_index(struct cg *cg, struct ast_expr *e);
bool ck_member(struct cg *cg, struct ast_expr *e);
/* args[n]: replace the node by what it stands for, still unchecked. */
bool cg_resolve_args(struct cg *cg, struct ast_expr *e);
bool cg_is_args(struct cg *cg, const struct ast_expr *e);
/* A name of D that cannot be used here, and why. */
struct cg_later {
	const char *name;
	bool is_func;
	const char *reason;
};
/* check_name.c: NULL if the name is not such a variable or function. */
const struct cg_later *cg_find_later(const char *name, bool is_func);
void cg_refuse_later(
    struct cg *cg, const struct ast_expr *e, const struct cg_later *l);
/*
 * The native argument that args[n] is made of: a cast, still unchecked.  `in`
 * is its type if the provider gives none.  NULL after a diagnostic.
 */
struct ast_expr *cg_native_arg(struct cg *cg, struct ctf_type *in, uint32_t n);
/*
 * The type that a cast, sizeof, offsetof or xlate names; NULL after an error.
 */
struct ctf_type *ck_named(struct cg *cg, struct ast_expr *e);
/*
 * A member that does not exist, and the members that do: cg_want(), then
 * cg_want_try() for each, then cg_suggest_wanted(), which frees it.  For the
 * error reported last it hints at the nearest member, at all if they are few,
 * or at those that share a word.
 */
struct cg_wanted {
	struct near near;
	size_t n, nalike, nseen;
	struct strbuf all, alike;
};
struct cg_wanted cg_want(const char *name);
void cg_want_try(struct cg_wanted *w, const char *name);
/* type: what -T is to be asked for if there are too many; or NULL. */
void cg_suggest_wanted(struct cg *cg, struct cg_wanted *w, const char *type);
/* Hint at a member of a struct or union. */
void cg_suggest_member(
    struct cg *cg, const struct ctf_type *sou, const char *name);
/* An expression of integer constant value. */
bool ck_const(struct cg *cg, struct ast_expr *e, int64_t *value);
bool ck_sizeof_type(struct cg *cg, struct ast_expr *e, struct ctf_type *t);
/* Does an assignment to `target` declare a variable, since its name is new? */
bool ck_is_new_var(struct cg *cg, const struct ast_expr *target);
bool ck_declare_target(
    struct cg *cg, struct ast_expr *target, struct ctf_type *type);
/* Is `e` usable as a value of type `to` (assignment, argument)? */
bool ck_converts(struct cg *cg, const struct ast_expr *e, struct ctf_type *to);
/* Is the value the address of a translation as a whole? */
bool ck_points_to_translation(const struct ast_expr *e);
bool ck_is_key(struct cg *cg, struct ast_expr *e, const char *what, int no);
bool ck_same_key(struct cg *cg, const struct ast_expr *e, struct ctf_type *key);
/* "string substr(string, int, [int])": the types of a prototype. */
struct cg_proto {
	struct ctf_type *result;
	struct ctf_type *params[DIF_NTREGS];
	size_t nparams, nrequired;
};
void cg_proto(
    struct cg *cg, const struct dif_subrinfo *si, struct cg_proto *pr);
/* check_lock.c: the kind of lock as the last argument of a lock predicate. */
bool ck_lock(struct cg *cg, struct ast_expr *e, const struct dif_subrinfo *si);
/* Is `name` an action or an aggregating function? */
bool cg_is_action(const char *name);
const char *cg_action_name(size_t i); /* NULL: past the last */
bool cg_is_aggfunc(const char *name);
const char *cg_aggfunc_name(size_t i); /* NULL: past the last */
/* Hint how a call of an aggregating function is written. */
void cg_aggfunc_hint(struct cg *cg, const struct ast_expr *call);
/* Hint at the variable that is meant by an aggregation with a value. */
void cg_agg_read_hint(struct cg *cg, const struct ast_expr *agg);
/* Refuse ++ and -- of an aggregation. */
bool ck_agg_step(struct cg *cg, const struct ast_expr *e);
bool ck_function_name(struct cg *cg, const struct ast_expr *e);
/* The inline that a call names, as f(x) for f[x]; NULL: none. */
const struct cg_sym *cg_inline_function(
    struct cg *cg, const struct ast_expr *e);

bool cg_is_string(struct ctf_type *t);
bool cg_is_strcompat(struct ctf_type *t);
bool cg_is_scalar(struct ctf_type *t);
bool cg_is_byref(struct ctf_type *t);
bool cg_is_null(const struct ast_expr *e);     /* constant integer 0 */
bool cg_in_userland(const struct ast_expr *e); /* lvalue in a process */
/* The pointer type of a pointer, or of an array as it decays; else NULL. */
struct ctf_type *cg_decay(struct cg *cg, const struct ast_expr *e);
/*
 * As cg_decay(); a string gives a pointer to char, since its characters can be
 * used like those of a char array.
 */
struct ctf_type *cg_pointer(struct cg *cg, const struct ast_expr *e);
bool cg_same_target(struct ctf_type *a, struct ctf_type *b);
/*
 * Is `e` an integer variable?  Such a variable has 64 bits, whatever its type.
 */
bool cg_keeps_word(const struct ast_expr *e);
/* The constant v, truncated and extended as its type requires. */
uint64_t cg_truncate(uint64_t v, struct ctf_type *t);
/* Does the 64-bit value of `e` lie in the range of `to`? */
bool cg_fits(const struct ast_expr *e, struct ctf_type *to);
const char *cg_tn(struct cg *cg, const struct ctf_type *t);
struct ctf_type *cg_promote(struct cg *cg, struct ctf_type *t);
struct ctf_type *cg_usual(
    struct cg *cg, struct ctf_type *a, struct ctf_type *b);
/* Is the comparison (or >>) signed? */
bool cg_compares_signed(struct cg *cg, const struct ast_expr *e);
struct dif_type cg_dif_type(struct ctf_type *t);

/* clause.c: the tree of an integer constant of type int. */
struct ast_expr *cg_int_node(
    struct cg *cg, uint64_t value, struct diag_span span);

/* ---- emit.c: objects ----------------------------------------------------- */

void o_begin(struct cg *cg);
/* Ends the object; returns NULL after a diagnostic. */
struct dif_obj *o_end(struct cg *cg, struct dif_type rtype);
unsigned o_reg(struct cg *cg);
void o_free(struct cg *cg, unsigned reg);
unsigned o_nfree(const struct cg *cg);
void o_rrr(
    struct cg *cg, enum dif_op op, unsigned r1, unsigned r2, unsigned rd);
void o_w(struct cg *cg, enum dif_op op, unsigned idx, unsigned r);
void o_setx(struct cg *cg, uint64_t value, unsigned rd);
/* The address of a kernel symbol. */
void o_symbol(struct cg *cg, const struct cg_sym *sym, unsigned rd);
void o_sets(struct cg *cg, const char *s, unsigned rd);
/* Emit XLATE of the value in r, or XLARG, for `e` (AST_XLREF). */
void o_xlref(struct cg *cg, const struct ast_expr *e, unsigned r);
void o_cmp(struct cg *cg, enum dif_op op, unsigned r1, unsigned r2);
uint32_t o_label(struct cg *cg);
void o_bind(struct cg *cg, uint32_t label);
void o_branch(struct cg *cg, enum dif_op op, uint32_t label);
void o_flush(struct cg *cg); /* empty the tuple stack */
void o_push(struct cg *cg, struct ctf_type *type, unsigned reg);
/* Add a variable to the object's table; returns its id. */
uint32_t o_var(struct cg *cg, const struct cg_sym *sym, uint16_t flag);
struct cg_sym *o_spill(struct cg *cg, unsigned reg);
unsigned o_unspill(struct cg *cg, const struct cg_sym *slot);

/* ---- gen*.c: code -------------------------------------------------------- */

/*
 * Emit code for `e`; returns the register with its value (by-ref types: its
 * address), which the caller frees.  %r0 stands for the constant 0 and must not
 * be written.
 */
unsigned gen_expr(struct cg *cg, struct ast_expr *e);
unsigned gen_as(struct cg *cg, struct ast_expr *e, struct ctf_type *to);
unsigned gen_narrow(struct cg *cg, unsigned reg, struct ctf_type *to);
unsigned gen_op(
    struct cg *cg, enum ast_op op, bool is_signed, unsigned r1, unsigned r2);
unsigned gen_scale(struct cg *cg, unsigned reg, uint64_t by);
unsigned gen_writable(struct cg *cg, unsigned reg);
void gen_tuple(struct cg *cg, struct ast_expr *const *args, size_t n,
    struct ctf_type *const *types, bool is_keys);
unsigned gen_var_load(struct cg *cg, const struct cg_sym *sym, unsigned rd);
unsigned gen_assign(struct cg *cg, struct ast_expr *e);
unsigned gen_incdec(struct cg *cg, struct ast_expr *e);
/*
 * The address of an lvalue in memory.  If its root is a variable without a
 * value, the code jumps to `null` with 0.
 */
unsigned gen_addr(struct cg *cg, struct ast_expr *e, uint32_t *null);
/* The offset of part `e` of an array from the start of the element `root`. */
unsigned gen_part_offset(
    struct cg *cg, struct ast_expr *e, const struct ast_expr *root);
void gen_load(struct cg *cg, struct ctf_type *t, bool is_user, unsigned addr,
    unsigned rd);
/* The bytes that hold a bit-field, from the start of the struct. */
struct cg_unit {
	uint64_t off;
	unsigned size, pos; /* bytes; the field's first bit */
	bool is_signed;
};
struct cg_unit cg_unit(const struct ctf_member *m, uint64_t bit_off);
void gen_load_unit(
    struct cg *cg, struct cg_unit u, bool is_user, unsigned addr, unsigned rd);
void gen_extract(
    struct cg *cg, unsigned reg, unsigned pos, unsigned bits, bool is_signed);
/* The member that an access selects, with its bit offset. */
const struct ctf_member *cg_member(const struct ast_expr *e, uint64_t *bit_off);
/* The variable whose storage holds the lvalue, or NULL. */
struct ast_expr *cg_root_var(struct ast_expr *e);

/* pred.c: must the predicate be compiled after the body, which declares its
 * variables? */
bool cg_pred_is_late(struct cg *cg, const struct ast_clause *ac);

/* fire("provider:::name", ...) */
bool cg_is_fire(const struct ast_expr *e);
/* Whole objects: NULL after a diagnostic. */
struct dif_obj *cg_value_obj(struct cg *cg, struct ast_expr *e);
struct dif_obj *cg_key_obj(struct cg *cg, struct ast_expr *e);
struct dif_obj *cg_typed_obj(
    struct cg *cg, struct ast_expr *e, struct dif_type rtype);
/* A reference: two words in scratch memory, an address and a length. */
struct dif_obj *cg_ref_obj(
    struct cg *cg, struct ast_expr *addr, struct ast_expr *len);
struct dif_obj *cg_effect_obj(struct cg *cg, struct ast_expr *e);
struct dif_obj *cg_const_obj(struct cg *cg, uint64_t value, uint32_t size);
/* An object whose value is 0, or the address of zeroes, as `rtype` requires. */
struct dif_obj *cg_zeroes_obj(struct cg *cg, struct dif_type rtype);
struct dif_obj *cg_pred_obj(struct cg *cg, struct ast_expr *e);

/* ---- stability.c, provdef.c ---------------------------------------------- */

/* Add the attributes to the clause's; refuses those below option amin. */
void cg_note_attr(struct cg *cg, const struct ast_expr *e);
uint32_t cg_builtin_since(const char *name); /* 0: in all versions */
/* Refuse, with `tag`, a name newer than option version. */
bool cg_check_since(
    struct cg *cg, const struct ast_expr *e, uint32_t since, const char *tag);
/*
 * As cg_check_since(), for called names: subroutines, actions, aggregating
 * functions.
 */
bool cg_check_function(struct cg *cg, const struct ast_expr *call);
void cg_pragma(struct cg *cg, const struct ast_item *it);
void cg_retry_pragmas(struct cg *cg);
void cg_finish_pragmas(struct cg *cg);
void cg_declare_provider(struct cg *cg, const struct ast_provider *ap);

/* ---- speculate.c: speculations, order of actions ------------------------- */

bool cg_do_speculate(struct cg *cg, struct ast_expr *e);
bool cg_do_commit(struct cg *cg, struct ast_expr *e);
bool cg_do_discard(struct cg *cg, struct ast_expr *e);
/* Continue the speculation cg->spec in a clause that follows an `if`. */
bool cg_continue_speculation(struct cg *cg);
/* Report the first action that is not allowed at its place. */
void cg_check_order(struct cg *cg, const struct dif_clause *c);
/* clause.c: an assignment of `value` to a new hidden variable, `a`. */
struct ast_expr *cg_set_hidden(struct cg *cg, struct ast_expr *value);
void cg_compile_clause(struct cg *cg, struct ast_clause *ac);

/* ---- rule.c -------------------------------------------------------------- */

/*
 * A clause of a library is a rule: it says how a derived probe is made from its
 * origins.  Kernels differ in their tracepoints, functions and types.  A rule
 * that this kernel cannot support is left out, and the reason is kept for users
 * of the probe.  A rule is also left out if it reads a variable and all rules
 * that set the variable were left out.  Rules that set a variable stand before
 * rules that read it.
 */
void cg_compile_rule(struct cg *cg, struct ast_clause *ac);
/*
 * A clause that lacks some argument is one of several alternatives for
 * different kernels: it is dropped if another one has all arguments, else it
 * stays.
 */
void cg_leave_out_worse(struct cg *cg);

/* ---- compile.c ----------------------------------------------------------- */

/* Were there so many errors that the rest of the text is not checked? */
bool cg_has_given_up(const struct cg *cg);

/* ---- action.c, aggregate.c: statements ----------------------------------- */

struct dif_action *cg_action(
    struct cg *cg, uint16_t kind, struct diag_span span);
void cg_action_type(struct cg *cg, struct dif_action *act, struct ctf_type *t);
/*
 * The enum dt_act with which a stack or a symbol (usym(address) and its like)
 * is recorded; DT_ACT_NONE: `e` is neither.  The next two check it and make its
 * object.
 */
uint16_t cg_datum_kind(const struct ast_expr *e);
bool ck_datum(struct cg *cg, struct ast_expr *e, uint64_t *arg);
bool cg_datum_obj(struct cg *cg, struct ast_expr *e, struct dif_action *act);
bool cg_compile_action(struct cg *cg, struct ast_expr *e);
bool cg_compile_agg(struct cg *cg, struct ast_expr *e);

#endif
