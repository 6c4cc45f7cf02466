/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DIFF_GEN_H
#define DIFF_GEN_H

/*
 * Random DIF that the verifier accepts.  Its outcome does not depend on the
 * place of memory: it uses addresses as addresses, never as numbers.
 */
#include "dif/dif.h"

#define GEN_OBJS 3	   /* objects of a clause */
#define GEN_USER_SIZE 4096 /* readable user memory, unmapped behind */
#define GEN_STRUCT_SIZE 12 /* size of by-reference variables and keys */
/* Part of the user memory that is written (copyout()), and never read. */
#define GEN_OUT_FIRST 3000
#define GEN_OUT_SIZE 512
#define GEN_NSPEC 3 /* number of speculations */

struct gen_env {
	uint32_t strsize;
	uint64_t user; /* address of the user memory */
	/* Generate only DIF that the kernel substrate accepts: constant key
	 * sizes, ... */
	bool is_for_kernel;
	bool may_write_user; /* copyout() is permitted */
	/*
	 * Set for few programs, as they take long to load.  has_made_up: the
	 * program uses variables that the kernel composes when they are read,
	 * in scratch memory, which is larger then.  has_stacks: it needs
	 * stacks.
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
/* A random number from 0 to n - 1. */
uint32_t gen_random(struct gen_rng *rng, uint32_t n);

/* An object with a result to record; the caller destroys it. */
struct dif_obj *gen_object(struct gen_rng *rng, const struct gen_env *env);

/*
 * Objects that show the results of programs: one for each variable, and some
 * for elements of arrays.  i = 0, 1, ... until NULL.  `is_local`: the objects
 * for clause-local variables.
 */
struct dif_obj *gen_observer(
    const struct gen_env *env, bool is_local, uint32_t i);

/* Do programs for the environment use this subroutine, or this built-in
 * variable? */
bool gen_calls(const struct gen_env *env, uint32_t subr);
bool gen_reads(const struct gen_env *env, uint32_t var);
/* Does the instruction load or store variables of this class? */
enum gen_class { GEN_NUMBER, GEN_STRING, GEN_STRUCT, GEN_NCLASSES };
extern const char *const gen_class_names[GEN_NCLASSES];
bool gen_has(uint8_t op, enum gen_class c);
enum gen_class gen_class_of(uint32_t id);

/* An object that calls copyout() with any data, and one that reads a built-in
 * variable. */
struct dif_obj *gen_copyout(const struct gen_env *env);
struct dif_obj *gen_read(uint32_t var);

/* An object for n = n + 1, and a predicate for n == `value`. */
struct dif_obj *gen_count(void);
struct dif_obj *gen_is_turn(uint64_t value);

/* Write the initial contents of the user memory. */
void gen_fill_user(uint8_t *p);

/* The same object without instruction `pc`. */
struct dif_obj *gen_without(const struct dif_obj *dp, uint32_t pc);
/* The same object with a NOP before instruction `pc`. */
struct dif_obj *gen_with_nop(const struct dif_obj *dp, uint32_t pc);

#endif
