/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DIFF_DIFF_H
#define DIFF_DIFF_H

/*
 * The differential test: a batch of clauses is fired one by one, in the
 * interpreter and in the kernel, and each firing's outcome must be the same.
 */
#include "base/err.h"
#include "exec/jit/machine.h"
#include "gen.h"

/* What a firing left: its record's data, or a fault. */
struct outcome {
	bool is_fault;
	uint32_t action; /* fault: which object, from 1 */
	enum dif_fault fault;
	int32_t offset;
	uint64_t value;
	bool value_is_own; /* an address that differs by substrate */
	uint32_t clause;   /* whose; or the last one before it was observed */
	bool is_observed;
	struct strbuf data;
};

struct outcomes {
	struct outcome *v;
	size_t n, cap;
};

/* Objects that are run in order, each recording its result. */
struct clause {
	bool joins; /* fires in the firing of the clause before it */
	VEC(struct dif_obj *) objs;
};

/*
 * Clauses fire in order, alone or some in one firing; after each firing the
 * `observer` fires, a clause that records what globals, thread-local variables
 * and arrays hold.
 */
struct batch {
	struct gen_env env;
	VEC(struct clause) clauses;
	struct clause observer;
	struct outcomes host, compiled, kernel;
};

#define DYNVAR_SIZE (1 << 22)

/* A batch of `n` clauses, by seed; the same whatever else was generated. */
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

/* How often the programs of a run have met what there is. */
struct coverage {
	bool is_for_kernel;
	uint32_t ops[256], subrs[65536], vars[DIF_VAR_USER_MIN], faults[16];
	uint32_t classes[256][GEN_NCLASSES];
	uint32_t edges[EDGE_MAX];
	uint32_t last; /* the instruction before; 0: it was another object's */
	bool loaded_elem; /* the object has loaded an element */
};

/* cover.c: an instruction is about to run; an object has ended; and what was
 * met too rarely is told and counted. */
void cover_instruction(struct coverage *cov, const struct in_machine *m,
    uint32_t strsize, uint32_t ins, const uint64_t *regs, uint32_t depth);
void cover_end(struct coverage *cov, const struct gen_env *env,
    const struct dif_obj *dp, const struct in_result *res);
uint32_t cover_missing(
    const struct coverage *cov, const struct gen_env *env, const char *who);

/* host.c: fire the batch in the interpreter -> b->host.  cov may be NULL. */
void host_run(struct batch *b, struct coverage *cov);
/* ... in compiled code -> b->compiled. */
void compiled_run(struct batch *b);
/* Append what was written to the process, unless NULL; and clear it. */
void take_written(const struct gen_env *env, struct strbuf *out);
/* Fire a clause by itself and hold the interpreter against what must be true of
 * it; NULL, or what is not (malloced). */
char *host_check(
    const struct batch *b, const struct clause *c, struct coverage *cov);
/* The same object after it was printed and read. */
char *host_check_text(const struct dif_obj *dp);
/* prov, mod, func, name, the probe's, the zone's */
extern const char probe_names[6][16];

/* kernel.c: fire the batch in the kernel -> b->kernel.  0, or a negative code
 * with *err. */
int kernel_run(struct batch *b, struct err *err);

/* refuse.c: how many refusals of the kernel substrate are not as expected. */
uint32_t test_refusals(void);

void outcomes_fini(struct batch *b);
/* NULL if they are the same, or how they differ (malloced). */
char *outcome_diff(const struct outcome *host, const struct outcome *kernel);

#endif
