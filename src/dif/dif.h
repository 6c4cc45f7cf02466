/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DIF_DIF_H
#define DIF_DIF_H

/*
 * DIF: the contract in the middle.
 *
 * The front end turns D into the objects declared here, and the substrates run
 * them; neither depends on the other.  Layouts and numbers are those of
 * DTrace's published headers (OpenDTrace Specification 1.0, chapter "DIF";
 * corrections are listed in doc/formats.md).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/mem.h"
#include "dif/acts.h"
#include "dif/uses.h"

struct ctf_type;

#define DIF_VERSION 2
#define DIF_NREGS 8		   /* integer registers; %r0 reads as 0 */
#define DIF_NTREGS 8		   /* tuple registers */
#define DIF_MAX_BYTES (256 * 1024) /* all sections of one object */
#define DIF_STATVAR_MAX 16384	   /* bytes of a by-ref global or local */

/* Formats of an instruction; dif_ops.def has the format of each opcode. */
enum dif_fmt {
	DIF_FMT_INVALID = 0, /* unknown opcode */
	DIF_FMT_RRR,	     /* op r1, r2, rd */
	DIF_FMT_RR,	     /* op r1, rd */
	DIF_FMT_CMP,	     /* op r1, r2 */
	DIF_FMT_TST,	     /* op r1 */
	DIF_FMT_BRANCH,	     /* op label */
	DIF_FMT_LOAD,	     /* op [r1], rd */
	DIF_FMT_STORE,	     /* op r1, [rd] */
	DIF_FMT_RET,	     /* op rd */
	DIF_FMT_NONE,	     /* op */
	DIF_FMT_SETX,	     /* op inttab[idx], rd */
	DIF_FMT_SETS,	     /* op strtab[idx], rd */
	DIF_FMT_LDA,	     /* op var, ri, rd: built-in arrays */
	DIF_FMT_LDV,	     /* op var, rd: load a variable */
	DIF_FMT_STV,	     /* op var, rs: store a variable */
	DIF_FMT_CALL,	     /* op subr, rd */
	DIF_FMT_PUSH,	     /* op type, r2 (size), rs (value) */
	DIF_FMT_XL,	     /* op xlrindex, rd: only before linking */
};

enum dif_op {
#define DIF_OP(val, NAME, mnem, fmt) DIF_OP_##NAME = val,
#include "dif/dif_ops.def"
#undef DIF_OP
};

struct dif_opinfo {
	const char *mnem; /* NULL: no such opcode */
	enum dif_fmt fmt;
};
extern const struct dif_opinfo dif_opinfo[256];

/* The width of a load or store; size 0: the opcode is neither. */
struct dif_memop {
	uint8_t size; /* bytes */
	bool is_signed, is_user;
};
extern const struct dif_memop dif_memops[256];

/*
 * The kind of variable that a LDV or STV opcode accesses: DIFV_SCOPE_*,
 * DIFV_KIND_*.
 */
uint8_t dif_op_scope(uint8_t op);
uint8_t dif_op_kind(uint8_t op);

/* Fields of an instruction word. */
static inline uint8_t
dif_instr_op(uint32_t i)
{
	return (uint8_t)(i >> 24);
}
static inline uint8_t
dif_instr_r1(uint32_t i)
{
	return (uint8_t)(i >> 16);
}
static inline uint8_t
dif_instr_r2(uint32_t i)
{
	return (uint8_t)(i >> 8);
}
static inline uint8_t
dif_instr_rd(uint32_t i)
{
	return (uint8_t)i;
}
static inline uint32_t
dif_instr_label(uint32_t i)
{
	return i & 0xffffff;
}
static inline uint16_t
dif_instr_idx(uint32_t i)
{
	return (uint16_t)(i >> 8);
}
static inline uint32_t
dif_instr(enum dif_op op, unsigned a, unsigned b, unsigned c)
{
	return (uint32_t)op << 24 | a << 16 | b << 8 | c;
}
static inline uint32_t
dif_instr_w(enum dif_op op, unsigned idx, unsigned r)
{
	return (uint32_t)op << 24 | idx << 8 | r;
}
static inline uint32_t
dif_instr_b(enum dif_op op, unsigned label)
{
	return (uint32_t)op << 24 | label;
}

/* Type of a value: dtrace_diftype_t. */
#define DIF_TYPE_CTF 0
#define DIF_TYPE_STRING 1
#define DIF_TF_BYREF 0x1
#define DIF_TF_BYUREF 0x2
/*
 * Ours: a member that belongs to a translation as a whole; the translator need
 * not define it.
 */
#define DIF_TF_OPTIONAL 0x80
struct dif_type {
	uint8_t kind;  /* DIF_TYPE_* */
	uint8_t ckind; /* CTF kind: CTF_K_INTEGER 1, ... */
	uint8_t flags; /* DIF_TF_* */
	uint8_t pad;
	uint32_t size; /* bytes; 0 for a string: strsize */
};

/* An entry of the variable table: dtrace_difv_t. */
#define DIFV_KIND_ARRAY 0
#define DIFV_KIND_SCALAR 1
#define DIFV_SCOPE_GLOBAL 0
#define DIFV_SCOPE_THREAD 1
#define DIFV_SCOPE_LOCAL 2
#define DIFV_F_REF 1 /* read */
#define DIFV_F_MOD 2 /* written */
struct dif_var {
	uint32_t name; /* offset in strtab */
	uint32_t id;
	uint8_t kind;
	uint8_t scope;
	uint16_t flags;
	struct dif_type type;
};

/* Variable ids. */
#define DIF_VAR_ARRAY_MAX 0x007f  /* built-in arrays: up to this */
#define DIF_VAR_SCALAR_MIN 0x0100 /* built-in scalars: from this on */
#define DIF_VAR_USER_MIN 0x0500	  /* user variables: from this on */
#define DIF_VAR_MAX 0xffff
enum dif_builtin {
#define DIF_VAR(val, NAME, name, type, attr, flags) DIF_VAR_##NAME = val,
#include "dif/dif_vars.def"
#undef DIF_VAR
};
/*
 * RUNNING (also of subroutines and actions): reads more of the thread than its
 * struct task_struct has, so the thread must be running.
 */
#define DIF_VARF_RUNNING 1
#define DIF_VARF_HELPER 2 /* permitted by dif_verify_helper() */
/* Name of a built-in variable id, or NULL. */
const char *dif_var_name(uint32_t id);
/* The stability of a built-in variable, "Stable/Stable/Common", or NULL. */
const char *dif_var_attr(uint32_t id);
/* The flags of a built-in variable; 0 for user variables. */
uint32_t dif_var_flags(uint32_t id);
/* Find the id of a built-in variable; false if there is no such name. */
bool dif_var_find_name(const char *name, uint32_t *id);

/* The structure to which the variable curcpu points. */
struct dif_cpuinfo {
#define DIF_CPUINFO(name, type) int32_t name;
#include "dif/dif_cpuinfo.def"
#undef DIF_CPUINFO
};

/* Subroutines. */
enum dif_subr {
#define DIF_SUBR(val, NAME, name, proto, flags) DIF_SUBR_##NAME = val,
#include "dif/dif_subrs.def"
#undef DIF_SUBR
};
#define DIF_SUBRF_DESTRUCTIVE 1
#define DIF_SUBRF_STRING 2   /* returns a string in scratch or an argument */
#define DIF_SUBRF_VARARGS 4  /* trailing arguments may be left out */
#define DIF_SUBRF_LOCK 8     /* a second argument has the kind of lock */
#define DIF_SUBRF_RUNNING 16 /* see DIF_VARF_RUNNING */
#define DIF_SUBRF_HELPER 32  /* permitted by dif_verify_helper() */
#define DIF_SUBRF_NUMBERS 64 /* number from numbers, without memory */
struct dif_subrinfo {
	uint32_t id;
	const char *name;
	const char *proto; /* D prototype: "string strjoin(string, string)" */
	uint32_t flags;
};
const struct dif_subrinfo *dif_subr_find(uint32_t id); /* or NULL */
uint32_t dif_subr_flags(uint32_t id);		       /* 0 if there is none */
/* The number of arguments that the prototype requires. */
uint32_t dif_subr_min_args(const struct dif_subrinfo *si);
const struct dif_subrinfo *dif_subr_find_name(const char *name); /* or NULL */

/* Kinds of locks, per family. */
enum dif_lock_family { DIF_LOCK_MUTEX, DIF_LOCK_RW };
enum dif_lock {
#define DIF_LOCK(family, no, NAME, type, text) DIF_LOCK_##NAME = no,
#include "dif/dif_locks.def"
#undef DIF_LOCK
};

/* Faults (also arg4 of dtrace:::ERROR). */
enum dif_fault {
	DIF_FLT_UNKNOWN = 0,
	DIF_FLT_BADADDR = 1,
	DIF_FLT_BADALIGN = 2,
	DIF_FLT_ILLOP = 3,
	DIF_FLT_DIVZERO = 4,
	DIF_FLT_NOSCRATCH = 5,
	DIF_FLT_KPRIV = 6,
	DIF_FLT_UPRIV = 7,
	DIF_FLT_TUPOFLOW = 8,
	DIF_FLT_BADSTACK = 9,
	/* 10 and 11 are Oracle's */
	DIF_FLT_NOTABLE = 12, /* a stack leads into a file not read yet */
};

/*
 * An integer that is a kernel symbol's: DOF's KRELHDR (doc/reference/dof.md
 * section 2).
 */
struct dif_krel {
	uint32_t int_index;
	char *module, *symbol; /* owned */
	uint64_t addend;
	bool is_percpu; /* the integer is its number in the kernel's
				 * BTF, an index of the array of per-CPU
				 * addresses; false: its address */
};

/*
 * The translator's member that an XLATE or XLARG stands for until it is linked
 * (dif_link()).  XLATE translates the value in its register, XLARG translates
 * args[argn] of the probe; both leave the member in the register.
 */
struct dif_xlref {
	char *in, *out; /* owned; C types as text */
	char *member;	/* owned */
	uint32_t argn;
	struct dif_type type; /* of the member */
};

/*
 * One DIF object, which owns all arrays (dif_obj_destroy()).  `lines` has the D
 * source place of each instruction, or is NULL (DOF written elsewhere).
 */
struct dif_obj {
	uint32_t *text;
	uint32_t ntext;
	uint64_t *inttab;
	uint32_t nint;
	char *strtab; /* byte 0 is NUL by convention */
	uint32_t strlen;
	struct dif_var *vartab;
	uint32_t nvar;
	struct dif_type rtype;
	/*
	 * Integers that are addresses of kernel symbols on the machine that
	 * compiled the object: another machine must replace them.
	 */
	struct dif_krel *krels;
	uint32_t nkrel;
	struct dif_xlref *xlrefs; /* none in runnable objects */
	uint32_t nxlref;
	struct diag_span *spans;
	/* Set by dif_verify(): */
	bool is_destructive;
	struct dif_uses *uses; /* owned; NULL: not verified */
};
void dif_obj_destroy(struct dif_obj *dp);
void dif_xlrefs_free(struct dif_xlref *refs, size_t n);

/*
 * Append an object as dtrace -S prints it: one line per instruction, then the
 * variable table.
 */
void dif_dump(const struct dif_obj *dp, struct strbuf *out);

/*
 * The same with all tables: dif_assemble() turns the text back into the same
 * object, whatever it contains, except for `spans`, which the text lacks.
 */
void dif_format(const struct dif_obj *dp, struct strbuf *out);

/*
 * Read an object from text, written by dif_format() or by hand:
 *
 *	DIFO returns D type (integer) (size 8)
 *		ldgs pid, %r1
 *		setx 0x10, %r2
 *		cmp %r1, %r2
 *		be out
 *		mov %r2, %r1
 *	out:	ret %r1
 *
 * with labels for instruction numbers, names for built-in variables and
 * subroutines, and constants in place of their index.  User variables are
 * declared behind a NAME line; `!` starts a comment.
 *
 * Returns 0 with *outp (unverified; dif_obj_destroy() it), or -EINVAL with
 * *msg (malloced) naming the line.
 */
int dif_assemble(
    const char *text, size_t len, struct dif_obj **outp, char **msg);

/*
 * The trust boundary: nothing runs that did not pass here.  Checks every rule
 * of doc/reference/dif.md section 5 and, by abstract interpretation, that no
 * path reads an unset register.  Returns 0, or -EINVAL with *msg (malloced; the
 * caller frees) naming the instruction and the rule.
 * On success sets dp->is_destructive and dp->uses.
 */
int dif_verify(struct dif_obj *dp, char **msg);

/*
 * dif_verify() for an object that is not linked yet: it may refer to
 * translators by entries of its table.
 */
int dif_verify_unlinked(struct dif_obj *dp, char **msg);

/*
 * Code for a reference to a translator.  `obj` returns the value; for XLATE, it
 * reads the translated pointer from the clause-local variable `input`.
 */
struct dif_part {
	struct dif_obj *obj; /* passed dif_verify(); NULL if not used */
	uint32_t input;
};

/*
 * Replace each XLATE and XLARG of an object that passed dif_verify_unlinked():
 * parts[i] is the code for its reference i.  The clause-local variables
 * saves[r] keep registers whose values are still needed.  Only the linker may
 * use the ids of all these variables.
 *
 * Returns 0 if the object then passed dif_verify(), or -EINVAL with *msg
 * (malloced).
 */
int dif_link(struct dif_obj *dp, const struct dif_part *parts,
    const uint32_t saves[DIF_NREGS], char **msg);

/*
 * For a consumer that may not read kernel memory: replace loads by those
 * checked at run time (LD* -> RLD*).
 */
void dif_hide_kernel(struct dif_obj *dp);

/*
 * Check an object of a traced process (a helper), which dif_verify() has passed
 * and dif_hide_kernel() changed.  Results as dif_verify().
 */
int dif_verify_helper(const struct dif_obj *dp, char **msg);

/* ------------------------------------------------------------------------ */

/*
 * Stability: of the name, of what it means, and which systems have it.  The
 * numbers are those of doc/reference/language.md section 13.
 */
struct dif_attr {
	uint8_t name, data, class_;
};
#define DIF_ATTR_MAX                                                           \
	{                                                                      \
		7, 7, 5                                                        \
	} /* Standard/Standard/Common */
#define DIF_ATTR_PROGRAM                                                       \
	{                                                                      \
		6, 6, 5                                                        \
	} /* Stable/Stable/Common */
#define DIF_ATTR_PROVIDER                                                      \
	{                                                                      \
		4, 4, 5                                                        \
	} /* Unstable/Unstable/Common */
#define DIF_ATTR_KERNEL                                                        \
	{                                                                      \
		1, 1, 0                                                        \
	} /* Private/Private/Unknown */

/* "Stable/Stable/Common" */
bool dif_attr_parse(const char *s, struct dif_attr *a);
/* The minimum of each component. */
struct dif_attr dif_attr_min(struct dif_attr a, struct dif_attr b);
bool dif_attr_below(struct dif_attr a, struct dif_attr least);
const char *dif_attr_name(const struct dif_attr *a);
const char *dif_attr_data(const struct dif_attr *a);
const char *dif_attr_class(const struct dif_attr *a);

/* Convert a version of D, "1.6.3", to a word; 0: there was no such version. */
uint32_t dif_version_parse(const char *s);
void dif_version_format(uint32_t version, struct strbuf *out);
#define DIF_VERSION_LATEST (1u << 24 | 13u << 12)

/* ------------------------------------------------------------------------ */

/*
 * Sub-actions of DT_ACT_LIBACT (recdesc arg).  The numbers are those of
 * doc/reference/records.md section 4 (n), kept without the base.
 */
enum dt_libact {
	DT_LIBACT_CLEAR = 15,
	DT_LIBACT_NORMALIZE = 16,
	DT_LIBACT_DENORMALIZE = 17,
	DT_LIBACT_TRUNC = 18,
	DT_LIBACT_FTRUNCATE = 21,
	DT_LIBACT_SETOPT = 28,
};

/* Its name for people; "?" if there is none. */
const char *dif_libact_name(uint64_t libact);

/*
 * One action of a clause, in execution order.
 *
 * printf-like actions: each argument is an action of its own with the same
 * kind, `fmt` and `group`; a printf without arguments is one action whose
 * difo is NULL.  printa(fmt, @a, @b): one action per aggregation, arg = the
 * aggregation's variable id, difo NULL.
 *
 * @agg[k1, k2] = f(x, incr) is this sequence:
 *	DIFEXPR	difo: constant aggregation variable id	(4 bytes)
 *	DIFEXPR	difo: k1, k2 ...		(or STACK, SYM, MOD, ... kinds)
 *	DIFEXPR	difo: incr, size 0		(only if given)
 *	<agg>	difo: x (NULL for count()), ntuple = number of the above,
 *		arg = packed parameters of lquantize/llquantize
 * The key actions have in_tuple set.
 *
 * An expression statement is DIFEXPR with rtype.size 0: nothing is recorded.
 */
struct dif_action {
	uint16_t kind; /* enum dt_act */
	bool in_tuple; /* belongs to the next aggregation */
	bool has_incr; /* aggregations: the last tuple action is incr */
	uint32_t ntuple;
	uint64_t arg; /* stack: frames (0: option); ustack: frames in
				 * the low half, bytes of strings in the high
				 * one; libact: DT_LIBACT_* */
	uint64_t uarg;
	uint32_t group;	      /* numbers the source-level actions of a clause */
	char *fmt;	      /* owned; printf format, print type; or NULL */
	struct dif_obj *difo; /* owned, or NULL */
	/*
	 * The D type of the value for messages and printf; NULL: none.
	 * is_signed and the C size come from it.
	 */
	char *type_name;
	bool is_signed;
	/* The same type in the compiler's graph (ctf/ctf.h), which outlives the
	 * program; NULL in a program from DOF. */
	struct ctf_type *type;
	struct diag_span span;
};

/* provider:module:function:name as written; empty string = anything. */
struct dif_pdesc {
	char *prov, *mod, *func, *name; /* owned */
	uint32_t id;			/* nonzero: given by number */
	struct diag_span span;
};
void dif_pdesc_format(const struct dif_pdesc *pd, struct strbuf *out);

#define DIF_NFIRED 10 /* arguments of fire() */

struct dif_clause {
	VEC(struct dif_pdesc) pdescs;
	struct dif_obj *pred;		/* owned, or NULL */
	VEC(struct dif_action) actions; /* empty: the default action */
	/* Statement-level text for -S and messages. */
	struct diag_span span;
	bool default_action; /* record the EPID only */
	/* A rule of a library: "provider:::name" of the derived probe that it
	 * fires. The actions compute the probe's arguments. NULL: an ordinary
	 * clause. */
	char *fires;
	/* For each of DIF_NFIRED arguments, why this kernel cannot supply it,
	 * or NULL. NULL: it can supply all. */
	char **lacks;
	uint8_t fires_in;     /* 1 + number of the argument that is the firing
			   * thread; 0: the current thread fires */
	struct dif_attr attr; /* least of predicate and statements */
};

/* Sum up the uses of the clause's predicate and actions. */
struct dif_uses dif_clause_uses(const struct dif_clause *c);

/* The id of the aggregation that an aggregating action updates; 0 if the tuple
 * before it does not begin with one. */
uint64_t dif_agg_id(const struct dif_action *act);

/* An aggregation of the program. Ids count from 1 per program. */
struct dif_agg {
	uint32_t id;
	char *name;    /* without '@'; "_" for the anonymous one */
	uint16_t kind; /* DT_ACT_COUNT, ... */
	uint64_t arg;  /* lquantize, llquantize parameters */
	uint32_t nkeys;
};

/*
 * An argument of a probe as args[] has it, declared by the provider.  C types
 * as text: "int", "const char *", "struct file *".
 */
#define DT_NARGS_MAX 32
struct dt_argdesc {
	const char *native; /* type that the provider passes */
	const char *xlate;  /* type after translation, or NULL */
	uint8_t mapping;    /* number of the native argument: argN */
	bool is_userland;   /* pointers are the process's addresses */
};

/* A user variable of the program, in all clauses. */
struct dif_pvar {
	char *name;
	struct dif_var var; /* var.name unused */
	char *type_name;
};

/* A probe of a provider that the program defines. */
#define DIF_PROVNAMELEN 64 /* with the NUL: doc/reference/dof.md */
#define DIF_PROBENAMELEN 64
#define DIF_MAXPROBEARGS 32
struct dif_provprobe {
	char *name; /* with '-' */
	VEC(struct dif_provarg {
		char *type;	 /* as C text */
		uint8_t mapping; /* index of the native argument */
	})
	native, xlated;
	bool is_translated; /* args[] are `xlated`, not `native` */
};
enum {
	DIF_PROVATTR_PROVIDER,
	DIF_PROVATTR_MODULE,
	DIF_PROVATTR_FUNCTION,
	DIF_PROVATTR_NAME,
	DIF_PROVATTR_ARGS,
	DIF_NPROVATTRS
};
struct dif_provider {
	char *name;
	uint64_t pid; /* of a library's provider; or 0 */
	struct diag_span span;
	VEC(struct dif_provprobe) probes;
	struct dif_attr attrs[DIF_NPROVATTRS];
};
void dif_action_fini(struct dif_action *act);
void dif_clause_fini(struct dif_clause *cl);
void dif_provprobe_fini(struct dif_provprobe *pp);
void dif_provider_fini(struct dif_provider *p);

/* A compiled program.  dif_prog_destroy() frees all of it. */
struct dif_prog {
	VEC(struct dif_clause) clauses;
	VEC(struct dif_agg) aggs;
	VEC(struct dif_pvar) vars;
	VEC(struct dif_provider) providers;
	/* Clauses of a library that this kernel cannot support. */
	VEC(struct dif_leftout {
		char *fires; /* as in the clause */
		char *why;
	})
	leftouts;
	/* #pragma D option name[=value], in order, not yet applied */
	VEC(struct dif_progopt {
		char *name, *value; /* value may be NULL */
		struct diag_span span;
	})
	options;
};
struct dif_prog *dif_prog_create(void);
void dif_prog_destroy(struct dif_prog *p);

/* Print every clause, action and object of a program (dtrace -S). */
void dif_prog_dump(
    const struct dif_prog *p, const struct diags *ds, struct strbuf *out);

#endif
