/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DIF_DIF_H
#define DIF_DIF_H

/*
 * DIF: the contract in the middle.
 *
 * The front end turns D into the objects declared here, the substrates run
 * them; neither knows the other.  Layouts and numbers are those of DTrace's
 * published headers (OpenDTrace Specification 1.0, chapter "DIF"; corrections
 * are listed in doc/formats.md).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/mem.h"

struct ctf_type;

#define DIF_VERSION 2
#define DIF_NREGS 8		/* integer registers; %r0 reads as 0 */
#define DIF_NTREGS 8		/* tuple registers */
#define DIF_MAX_BYTES (256 * 1024)	/* all sections of one object */
#define DIF_STATVAR_MAX 16384	/* bytes of a by-ref global or local */

/* Formats of an instruction; dif_ops.def says which opcode has which. */
enum dif_fmt {
	DIF_FMT_INVALID = 0,	/* unknown opcode */
	DIF_FMT_RRR,		/* op r1, r2, rd */
	DIF_FMT_RR,		/* op r1, rd */
	DIF_FMT_CMP,		/* op r1, r2 */
	DIF_FMT_TST,		/* op r1 */
	DIF_FMT_BRANCH,		/* op label */
	DIF_FMT_LOAD,		/* op [r1], rd */
	DIF_FMT_STORE,		/* op r1, [rd] */
	DIF_FMT_RET,		/* op rd */
	DIF_FMT_NONE,		/* op */
	DIF_FMT_SETX,		/* op inttab[idx], rd */
	DIF_FMT_SETS,		/* op strtab[idx], rd */
	DIF_FMT_LDA,		/* op var, ri, rd: built-in arrays */
	DIF_FMT_LDV,		/* op var, rd: load a variable */
	DIF_FMT_STV,		/* op var, rs: store a variable */
	DIF_FMT_CALL,		/* op subr, rd */
	DIF_FMT_PUSH,		/* op type, r2 (size), rs (value) */
	DIF_FMT_XL,		/* op xlrindex, rd: only before linking */
};

enum dif_op {
#define DIF_OP(val, NAME, mnem, fmt) DIF_OP_##NAME = val,
#include "dif/dif_ops.def"
#undef DIF_OP
};

struct dif_opinfo {
	const char *mnem;	/* NULL: no such opcode */
	enum dif_fmt fmt;
};
extern const struct dif_opinfo dif_opinfo[256];

/* What a load or store moves; size 0: the opcode is neither. */
struct dif_memop {
	uint8_t size;		/* bytes */
	bool is_signed, is_user;
};
extern const struct dif_memop dif_memops[256];

/* Which variables a LDV or STV opcode is about: DIFV_SCOPE_*, DIFV_KIND_*. */
uint8_t dif_op_scope(uint8_t op);
uint8_t dif_op_kind(uint8_t op);

/* Fields of an instruction word. */
static inline uint8_t dif_instr_op(uint32_t i) { return (uint8_t)(i >> 24); }
static inline uint8_t dif_instr_r1(uint32_t i) { return (uint8_t)(i >> 16); }
static inline uint8_t dif_instr_r2(uint32_t i) { return (uint8_t)(i >> 8); }
static inline uint8_t dif_instr_rd(uint32_t i) { return (uint8_t)i; }
static inline uint32_t dif_instr_label(uint32_t i) { return i & 0xffffff; }
static inline uint16_t dif_instr_idx(uint32_t i) { return (uint16_t)(i >> 8); }
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
/* Ours: a member that is referred to as a part of a whole translation, of which
 * a translator need not define all. */
#define DIF_TF_OPTIONAL 0x80
struct dif_type {
	uint8_t kind;		/* DIF_TYPE_* */
	uint8_t ckind;		/* CTF kind: CTF_K_INTEGER 1, ... */
	uint8_t flags;		/* DIF_TF_* */
	uint8_t pad;
	uint32_t size;		/* bytes; 0 for a string: strsize */
};

/* A variable of the variable table: dtrace_difv_t. */
#define DIFV_KIND_ARRAY 0
#define DIFV_KIND_SCALAR 1
#define DIFV_SCOPE_GLOBAL 0
#define DIFV_SCOPE_THREAD 1
#define DIFV_SCOPE_LOCAL 2
#define DIFV_F_REF 1		/* read */
#define DIFV_F_MOD 2		/* written */
struct dif_var {
	uint32_t name;		/* offset in strtab */
	uint32_t id;
	uint8_t kind;
	uint8_t scope;
	uint16_t flags;
	struct dif_type type;
};

/* Variable ids. */
#define DIF_VAR_ARRAY_MAX 0x007f	/* built-in arrays: up to here */
#define DIF_VAR_SCALAR_MIN 0x0100	/* built-in scalars: from here */
#define DIF_VAR_USER_MIN 0x0500		/* user variables: from here */
#define DIF_VAR_MAX 0xffff
enum dif_builtin {
#define DIF_VAR(val, NAME, name, type, attr, flags) DIF_VAR_##NAME = val,
#include "dif/dif_vars.def"
#undef DIF_VAR
};
/*
 * RUNNING, here and of subroutines and actions: it asks the thread for more than
 * its struct task_struct tells, so the thread has to be running.
 */
#define DIF_VARF_RUNNING 1
#define DIF_VARF_HELPER 2	/* dif_verify_helper() lets it pass */
/* Name of a built-in variable id, or NULL. */
const char *dif_var_name(uint32_t id);
/* Its stability, "Stable/Stable/Common", or NULL. */
const char *dif_var_attr(uint32_t id);
/* Its flags; 0 for user variables. */
uint32_t dif_var_flags(uint32_t id);
/* The other way around: false if there is no such name. */
bool dif_var_find_name(const char *name, uint32_t *id);

/* What the variable curcpu points to. */
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
#define DIF_SUBRF_STRING 2	/* result is a string in scratch or in an arg */
#define DIF_SUBRF_VARARGS 4	/* trailing arguments may be left out */
#define DIF_SUBRF_LOCK 8	/* a second argument tells the kind of lock */
#define DIF_SUBRF_RUNNING 16	/* see DIF_VARF_RUNNING */
#define DIF_SUBRF_HELPER 32	/* dif_verify_helper() lets it pass */
#define DIF_SUBRF_NUMBERS 64	/* makes a number of numbers, without memory */
struct dif_subrinfo {
	uint32_t id;
	const char *name;
	const char *proto;	/* D prototype: "string strjoin(string, string)" */
	uint32_t flags;
};
const struct dif_subrinfo *dif_subr_find(uint32_t id);		/* or NULL */
uint32_t dif_subr_flags(uint32_t id);	/* 0 if there is none */
/* How many arguments must be given, by the prototype. */
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
	char *module, *symbol;	/* owned */
	uint64_t addend;
	bool is_percpu;		/* its number in the kernel's BTF, an index of
				 * the built-in array of per-CPU addresses; else
				 * its address */
};

/*
 * What an XLATE or XLARG stands for until it is linked (dif_link()): a member
 * that a translator makes.  XLATE finds in its register what is translated,
 * XLARG translates args[argn] of the probe; both leave the member there.
 */
struct dif_xlref {
	char *in, *out;		/* owned; C types as text */
	char *member;		/* owned */
	uint32_t argn;
	struct dif_type type;	/* of the member */
};

/*
 * One DIF object.  All arrays are owned by the object (dif_obj_destroy()).
 * `lines` has one entry per instruction, the D source place it came from, or
 * is NULL (DOF written elsewhere).
 */
struct dif_obj {
	uint32_t *text;
	uint32_t ntext;
	uint64_t *inttab;
	uint32_t nint;
	char *strtab;		/* byte 0 is NUL by convention */
	uint32_t strlen;
	struct dif_var *vartab;
	uint32_t nvar;
	struct dif_type rtype;
	/*
	 * Which integers are addresses of kernel symbols of the machine that
	 * compiled it: what another must put in anew.
	 */
	struct dif_krel *krels;
	uint32_t nkrel;
	struct dif_xlref *xlrefs;	/* none in what can be run */
	uint32_t nxlref;
	struct diag_span *spans;
	bool is_destructive;
};
void dif_obj_destroy(struct dif_obj *dp);
void dif_xlrefs_free(struct dif_xlref *refs, size_t n);

/*
 * Print an object as dtrace -S does (one line per instruction, then the
 * variable table), appended to `out`.
 */
void dif_dump(const struct dif_obj *dp, struct strbuf *out);

/*
 * The same with the tables in full: text that dif_assemble() turns back into
 * the same object, whatever it holds (but for `spans`, which no text has).
 */
void dif_format(const struct dif_obj *dp, struct strbuf *out);

/*
 * Read an object from text: what dif_format() prints, or what people write,
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
int dif_assemble(const char *text, size_t len, struct dif_obj **outp,
    char **msg);

/*
 * The trust boundary: nothing runs that did not pass here.  Checks every rule
 * of doc/reference/dif.md section 5 and, by abstract interpretation, that no
 * path reads an unset register.  Returns 0, or -EINVAL with *msg (malloced; the
 * caller frees) naming the instruction and the rule.
 * On success sets dp->is_destructive.
 */
int dif_verify(struct dif_obj *dp, char **msg);

/* The same for an object that is yet to be linked: it may refer to
 * translators by the entries of its table. */
int dif_verify_unlinked(struct dif_obj *dp, char **msg);

/*
 * Code for a reference to a translator.  The value is what `obj` returns; what
 * XLATE translates it finds in the clause-local variable `input`.
 */
struct dif_part {
	struct dif_obj *obj;	/* passed dif_verify(); NULL if not used */
	uint32_t input;
};

/*
 * Put code in the place of each XLATE and XLARG of an object that passed
 * dif_verify_unlinked(): parts[i] for its reference i.  Registers whose values
 * are still needed wait in the clause-local variables saves[r].  All these
 * variables are the linker's own: nobody else uses their ids.
 *
 * Returns 0, and the object has passed dif_verify(); or -EINVAL with *msg
 * (malloced).
 */
int dif_link(struct dif_obj *dp, const struct dif_part *parts,
    const uint32_t saves[DIF_NREGS], char **msg);

/*
 * For a consumer that may not see kernel memory: loads become those that are
 * checked at run time (LD* -> RLD*).
 */
void dif_hide_kernel(struct dif_obj *dp);

/*
 * The rules for an object that a traced process brings along (a helper), which
 * dif_verify() has passed and dif_hide_kernel() changed.  Same result.
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
#define DIF_ATTR_MAX { 7, 7, 5 }	/* Standard/Standard/Common */
#define DIF_ATTR_PROGRAM { 6, 6, 5 }	/* Stable/Stable/Common */
#define DIF_ATTR_PROVIDER { 4, 4, 5 }	/* Unstable/Unstable/Common */
#define DIF_ATTR_KERNEL { 1, 1, 0 }	/* Private/Private/Unknown */

/* "Stable/Stable/Common" */
bool dif_attr_parse(const char *s, struct dif_attr *a);
/* Component by component. */
struct dif_attr dif_attr_min(struct dif_attr a, struct dif_attr b);
bool dif_attr_below(struct dif_attr a, struct dif_attr least);
const char *dif_attr_name(const struct dif_attr *a);
const char *dif_attr_data(const struct dif_attr *a);
const char *dif_attr_class(const struct dif_attr *a);

/* A version of D, "1.6.3", as its word; 0 when there was no such version. */
uint32_t dif_version_parse(const char *s);
void dif_version_format(uint32_t version, struct strbuf *out);
#define DIF_VERSION_LATEST (1u << 24 | 13u << 12)

/* ------------------------------------------------------------------------ */

/* Action kinds: DTRACEACT_*; dif_acts.def is the table. */
enum dt_act {
#define DT_ACT(val, NAME, name, flags) DT_ACT_##NAME = val,
#include "dif/dif_acts.def"
#undef DT_ACT
};
#define DT_ACTF_RUNNING 1	/* see DIF_VARF_RUNNING */
#define DT_ACT_CLASS(kind) ((kind) & 0xff00)
#define DT_ACT_IS_AGG(kind) (DT_ACT_CLASS(kind) == 0x0700)
#define DT_ACT_IS_DESTRUCTIVE(kind)					\
	(DT_ACT_CLASS(kind) == 0x0200 || DT_ACT_CLASS(kind) == 0x0500)
#define DT_ACT_IS_SPEC(kind) (DT_ACT_CLASS(kind) == 0x0600)
#define DT_ACT_IS_USTACK(kind)						\
	((kind) == DT_ACT_USTACK || (kind) == DT_ACT_JSTACK)
#define DT_ACT_IS_STACK(kind)						\
	((kind) == DT_ACT_STACK || DT_ACT_IS_USTACK(kind))
#define DT_ACT_IS_USYM(kind)						\
	((kind) == DT_ACT_USYM || (kind) == DT_ACT_UMOD ||		\
	    (kind) == DT_ACT_UADDR)
#define DT_ACT_IS_SYM(kind)						\
	((kind) == DT_ACT_SYM || (kind) == DT_ACT_MOD || DT_ACT_IS_USYM(kind))
/* What is of its own kind also as an argument of printf() or a key. */
#define DT_ACT_IS_DATUM(kind)						\
	(DT_ACT_IS_STACK(kind) || DT_ACT_IS_SYM(kind))
#define DT_ACT_IS_PRINTFLIKE(kind)					\
	((kind) == DT_ACT_PRINTF || (kind) == DT_ACT_PRINTA ||		\
	    (kind) == DT_ACT_SYSTEM || (kind) == DT_ACT_FREOPEN)

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

/* Names for people; "?" for what is none. */
const char *dif_act_name(uint16_t kind);
const char *dif_libact_name(uint64_t libact);
/* DT_ACTF_*; 0 for what is none. */
uint32_t dif_act_flags(uint16_t kind);

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
	uint16_t kind;		/* enum dt_act */
	bool in_tuple;		/* belongs to the aggregation that follows */
	bool has_incr;		/* aggregations: the last tuple action is incr */
	uint32_t ntuple;
	uint64_t arg;		/* stack: frames (0: option), of ustack the low
				 * half, with the size of strings in the high
				 * one; libact: DT_LIBACT_* */
	uint64_t uarg;
	uint32_t group;		/* numbers the source-level actions of a clause */
	char *fmt;		/* owned; printf format, print type; or NULL */
	struct dif_obj *difo;	/* owned, or NULL */
	/*
	 * For people and printf: the D type of the value, NULL if none.
	 * is_signed and the C size come from it.
	 */
	char *type_name;
	bool is_signed;
	/* The same in the compiler's graph (ctf/ctf.h), which outlives the
	 * program; NULL in a program that came from elsewhere. */
	struct ctf_type *type;
	struct diag_span span;
};

/* provider:module:function:name as written; empty string = anything. */
struct dif_pdesc {
	char *prov, *mod, *func, *name;	/* owned */
	uint32_t id;			/* nonzero: given by number */
	struct diag_span span;
};
void dif_pdesc_format(const struct dif_pdesc *pd, struct strbuf *out);

#define DIF_NFIRED 10	/* arguments of fire() */

struct dif_clause {
	VEC(struct dif_pdesc) pdescs;
	struct dif_obj *pred;		/* owned, or NULL */
	VEC(struct dif_action) actions;	/* none: the default action */
	/* Statement-level text for -S and messages. */
	struct diag_span span;
	bool default_action;		/* record the EPID only */
	/* A library's clause: "provider:::name" of the probe that it makes fire,
	 * whose arguments the actions compute; NULL: an ordinary clause. */
	char *fires;
	/* Of DIF_NFIRED arguments: why this kernel cannot tell it, or NULL.
	 * NULL as a whole: it can tell all. */
	char **lacks;
	uint8_t fires_in; /* 1 + which argument of its probe is the
			   * thread that fires; 0: the current */
	struct dif_attr attr;		/* least of predicate and statements */
};

/* An aggregation of the program. Ids count from 1 per program. */
struct dif_agg {
	uint32_t id;
	char *name;			/* without '@'; "_" for the anonymous one */
	uint16_t kind;			/* DT_ACT_COUNT, ... */
	uint64_t arg;			/* lquantize, llquantize parameters */
	uint32_t nkeys;
};

/*
 * An argument of a probe, as args[] has it: a provider tells the compiler.  C
 * types as text: "int", "const char *", "struct file *".
 */
#define DT_NARGS_MAX 32
struct dt_argdesc {
	const char *native;	/* what the provider passes */
	const char *xlate;	/* what a translator makes of it, or NULL */
	uint8_t mapping;	/* the native argument that it is: argN */
	bool is_userland;	/* pointers are the process's */
};

/* A user variable of the program, over all clauses. */
struct dif_pvar {
	char *name;
	struct dif_var var;		/* var.name unused */
	char *type_name;
};

/* A probe of a provider that the program defines. */
#define DIF_PROVNAMELEN 64	/* with the NUL: doc/reference/dof.md */
#define DIF_PROBENAMELEN 64
#define DIF_MAXPROBEARGS 32
struct dif_provprobe {
	char *name;			/* with '-' */
	VEC(struct dif_provarg {
		char *type;		/* as C text */
		uint8_t mapping;	/* index of the native argument */
	}) native, xlated;
	bool is_translated;		/* args[] are `xlated`, not `native` */
};
enum { DIF_PROVATTR_PROVIDER, DIF_PROVATTR_MODULE, DIF_PROVATTR_FUNCTION,
	DIF_PROVATTR_NAME, DIF_PROVATTR_ARGS, DIF_NPROVATTRS };
struct dif_provider {
	char *name;
	uint64_t pid;			/* a library's, of that process; or 0 */
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
	/* Clauses of a library that cannot be had on this kernel. */
	VEC(struct dif_leftout {
		char *fires;		/* as in the clause */
		char *why;
	}) leftouts;
	/* #pragma D option name[=value], in order, not yet applied */
	VEC(struct dif_progopt {
		char *name, *value;	/* value may be NULL */
		struct diag_span span;
	}) options;
};
struct dif_prog *dif_prog_create(void);
void dif_prog_destroy(struct dif_prog *p);

/* Print every clause, action and object of a program (dtrace -S). */
void dif_prog_dump(const struct dif_prog *p, const struct diags *ds,
    struct strbuf *out);

#endif
