/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DIF_PROG_H
#define DIF_PROG_H

/*
 * A compiled program: clauses with their actions, and what else D declares.
 * Objects (dif/dif.h) are what its expressions became.
 */
#include "base/str.h"
#include "base/vec.h"
#include "dif/acts.h"
#include "dif/attr.h"
#include "dif/dif.h"

struct ctf_type;

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
 *		arg = packed parameters of lquantize/llquantize/percentile
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
	/* That type in the compiler's graph (ctf/ctf.h), which outlives the
	 * program; NULL in a program from DOF. */
	struct ctf_type *type;
	struct diag_span span;
};

/*
 * Data of firings that the script does not ask for, and that nothing shows as
 * the script's.  The group of a datum names it.
 *
 * A clause without a body gets all of them for a recording (libdtrace/
 * firing.c), and exec/replay fires the probe again with them.  A string that
 * argument i points to has a clause of its own, so that a fault loses the
 * string alone: its record is DIF_FIRING_TID and the string.  Forms of the
 * output that draw threads ask for the first three (libdtrace/whose.c).
 */
enum dif_firing {
	DIF_FIRING_PID,
	DIF_FIRING_TID,
	DIF_FIRING_EXECNAME,
	DIF_FIRING_PPID,
	DIF_FIRING_UID,
	DIF_FIRING_GID,
	DIF_FIRING_ERRNO,
	DIF_FIRING_STACK,  /* on request: a stack of the kernel, */
	DIF_FIRING_USTACK, /* and of the process */
	DIF_FIRING_ARG0 = 16,
	DIF_FIRING_STR0 = 32,
	DIF_NFIRINGS = 48
};
#define DIF_FIRING_GROUP 0xffffff00U
/* The datum that an action (or NULL) records, or -1. */
int dif_action_firing(const struct dif_action *act);

/* provider:module:function:name as written; empty string = anything. */
struct dif_pdesc {
	char *prov, *mod, *func, *name; /* owned */
	uint32_t id;			/* nonzero: given by number */
	bool is_of_targets;		/* one of several, by $target */
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

/* Does the clause record strings for another one's firings, and no more? */
bool dif_clause_is_aside(const struct dif_clause *c);

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
	uint64_t arg;  /* lquantize, llquantize, percentile parameters */
	uint32_t nkeys;
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
