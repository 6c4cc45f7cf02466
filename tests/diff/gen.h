/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DIFF_GEN_H
#define DIFF_GEN_H

/*
 * Random DIF that passes the verifier, and whose outcome does not depend on
 * where memory lies: addresses are used as addresses and never as numbers.
 */
#include "dif/dif.h"

#define GEN_OBJS 3	   /* objects of a clause */
#define GEN_USER_SIZE 4096 /* readable user memory, nothing behind it */
#define GEN_STRUCT_SIZE 12 /* of by-reference variables and keys */
/* User memory that is written (copyout()), and never read. */
#define GEN_OUT_FIRST 3000
#define GEN_OUT_SIZE 512
#define GEN_NSPEC 3 /* speculations that there are */

struct gen_env {
	uint32_t strsize;
	uint64_t user; /* address of the user memory */
	/* Only what the kernel substrate takes: constant key sizes, ... */
	bool is_for_kernel;
	bool may_write_user; /* copyout() is permitted */
	/*
	 * Of some programs only, for they take long to load: variables that
	 * the kernel puts together when they are read (in scratch memory, of
	 * which there is more then), and those that need stacks.
	 */
	bool has_made_up, has_stacks;
	bool lacks_tsc; /* machtimestamp is refused */
};

/* Bytes of scratch memory. */
static inline uint32_t
gen_scratch(const struct gen_env *env)
{
	uint32_t size = env->strsize * 16;

	return (size > 4096 ? size : 4096) * (env->has_made_up ? 16 : 1);
}

struct gen_rng {
	uint64_t state;
};
void gen_seed(struct gen_rng *rng, uint64_t seed);
/* 0 ... n - 1 */
uint32_t gen_random(struct gen_rng *rng, uint32_t n);

/* An object with a result to record; the caller destroys it. */
struct dif_obj *gen_object(struct gen_rng *rng, const struct gen_env *env);

/*
 * Objects that show what programs leave behind, one for each variable and some
 * elements of arrays: i = 0, 1, ... until NULL.  `is_local`: those that show
 * clause-local variables.
 */
struct dif_obj *gen_observer(
    const struct gen_env *env, bool is_local, uint32_t i);

/* Does it exist in programs for that substrate?  A subroutine, and a built-in
 * variable. */
bool gen_calls(const struct gen_env *env, uint32_t subr);
bool gen_reads(const struct gen_env *env, uint32_t var);
/* ... an instruction that loads or stores a variable of that class. */
enum gen_class { GEN_NUMBER, GEN_STRING, GEN_STRUCT, GEN_NCLASSES };
extern const char *const gen_class_names[GEN_NCLASSES];
bool gen_has(uint8_t op, enum gen_class c);
enum gen_class gen_class_of(uint32_t id);

/* copyout() of nothing in particular, and a look at a built-in variable. */
struct dif_obj *gen_copyout(const struct gen_env *env);
struct dif_obj *gen_read(uint32_t var);

/* n = n + 1, and a predicate that asks whether n is `value`. */
struct dif_obj *gen_count(void);
struct dif_obj *gen_is_turn(uint64_t value);

/* What stands in the user memory. */
void gen_fill_user(uint8_t *p);

/* The same object without instruction `pc`. */
struct dif_obj *gen_without(const struct dif_obj *dp, uint32_t pc);
/* ... with a NOP before it. */
struct dif_obj *gen_with_nop(const struct dif_obj *dp, uint32_t pc);

#endif
