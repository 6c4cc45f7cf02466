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
#include "base/err.h"
#include "base/str.h"
#include "dif/uses.h"

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
#define DIF_VARF_MEMORY 4 /* its value is made in memory of the machine */
/* Name of a built-in variable id, or NULL. */
const char *dif_var_name(uint32_t id);
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
#define DIF_SUBRF_KERNEL 128 /* looks at the kernel: not in a process */
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
 * Append the object with all tables: dif_assemble() turns the text back into
 * the same object, whatever it contains, except for `spans`, which the text
 * lacks.
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
 * *err naming the line.
 */
CHECKED int dif_assemble(
    const char *text, size_t len, struct dif_obj **outp, struct err *err);

/*
 * The trust boundary: nothing runs that did not pass here.  Checks every rule
 * of doc/reference/dif.md section 5 and, by abstract interpretation, that no
 * path reads an unset register.  Returns 0, or -EINVAL with *err (malloced; the
 * caller frees) naming the instruction and the rule.
 * On success sets dp->is_destructive and dp->uses.
 */
CHECKED int dif_verify(struct dif_obj *dp, struct err *err);

/*
 * dif_verify() for an object that is not linked yet: it may refer to
 * translators by entries of its table.
 */
CHECKED int dif_verify_unlinked(struct dif_obj *dp, struct err *err);

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
 * Returns 0 if the object then passed dif_verify(), or -EINVAL with *err
 * (malloced).
 */
CHECKED int dif_link(struct dif_obj *dp, const struct dif_part *parts,
    const uint32_t saves[DIF_NREGS], struct err *err);

/*
 * For a consumer that may not read kernel memory: replace loads by those
 * checked at run time (LD* -> RLD*).
 */
void dif_hide_kernel(struct dif_obj *dp);

/*
 * Check an object of a traced process (a helper), which dif_verify() has passed
 * and dif_hide_kernel() changed.  Results as dif_verify().
 */
CHECKED int dif_verify_helper(const struct dif_obj *dp, struct err *err);

#endif
