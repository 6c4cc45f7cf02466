/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DIFF_DIFF_H
#define DIFF_DIFF_H

/*
 * The differential test: a batch of clauses is fired one by one, in the
 * interpreter and in the kernel, and each firing's outcome must be the same.
 */
#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"
#include "exec/jit/machine.h"
#include "gen.h"

/* The result of a firing: its record's data, or a fault. */
struct outcome {
	bool is_fault;
	uint32_t action; /* fault: number of the object, from 1 */
	enum dif_fault fault;
	int32_t offset;
	uint64_t value;
	bool value_is_own; /* an address that differs by substrate */
	uint32_t clause;   /* its own; or the last before the observer */
	bool is_observed;
	struct strbuf data;
};

struct outcomes {
	struct outcome *v;
	size_t n, cap;
};

/* Objects that run in order; each records its result. */
struct clause {
	bool joins; /* fires together with the clause before it */
	VEC(struct dif_obj *) objs;
};

/*
 * Clauses fire in order, alone or several in one firing.  After each firing the
 * `observer` fires, a clause that records the contents of globals, thread-local
 * variables and arrays.
 */
struct batch {
	struct gen_env env;
	VEC(struct clause) clauses;
	struct clause observer;
	struct outcomes host, compiled, kernel;
};

#define DYNVAR_SIZE (1 << 22)

/* A batch of `n` clauses, which the seed alone determines. */
void batch_init(
    struct batch *b, uint64_t seed, uint32_t n, const struct gen_env *env);
void batch_fini(struct batch *b);
/* Is clause i the last of its firing? */
bool batch_ends_firing(const struct batch *b, size_t i);
void batch_add_observers(struct batch *b);
void clause_fini(struct clause *c);

enum diff_edge {
#define DIFF_EDGE(NAME, text) EDGE_##NAME,
#include "edges.def"
#undef DIFF_EDGE
	EDGE_MAX
};

/* How often the programs of a run have met each thing that exists. */
struct coverage {
	bool is_for_kernel;
	uint32_t ops[256], subrs[65536], vars[DIF_VAR_USER_MIN], faults[16];
	uint32_t classes[256][GEN_NCLASSES];
	uint32_t edges[EDGE_MAX];
	uint32_t last;	  /* previous instruction; 0: in another object */
	bool loaded_elem; /* the object has loaded an element */
};

/* cover.c: count an instruction that is about to run; count the end of an
 * object; report the things that were met too rarely, and return their
 * number. */
void cover_instruction(struct coverage *cov, const struct in_machine *m,
    uint32_t strsize, uint32_t ins, const uint64_t *regs, uint32_t depth);
void cover_end(struct coverage *cov, const struct gen_env *env,
    const struct dif_obj *dp, const struct in_result *res);
uint32_t cover_missing(
    const struct coverage *cov, const struct gen_env *env, const char *who);

/* host.c: fire the batch in the interpreter -> b->host.  cov may be NULL. */
void host_run(struct batch *b, struct coverage *cov);
/* host.c: fire the batch in compiled code -> b->compiled. */
void compiled_run(struct batch *b);
/* Append the bytes written to the process to `out` (unless NULL), and zero
 * them. */
void take_written(const struct gen_env *env, struct strbuf *out);
/* Fire a clause by itself, and check the rules for the interpreter; NULL, or
 * the broken rule (malloced). */
char *host_check(
    const struct batch *b, const struct clause *c, struct coverage *cov);
/* Check that an object is the same after it was printed and read. */
char *host_check_text(const struct dif_obj *dp);
/* The probe's prov, mod, func, name, and full name; the zone's name. */
extern const char probe_names[6][16];

/* kernel.c: fire the batch in the kernel -> b->kernel.  0, or a negative code
 * with *err. */
int kernel_run(struct batch *b, struct err *err);

/* refuse.c: the number of wrong refusals by the kernel substrate. */
uint32_t test_refusals(void);

void outcomes_fini(struct batch *b);
/* NULL if they are equal, or the difference (malloced). */
char *outcome_diff(const struct outcome *host, const struct outcome *kernel);

#endif
