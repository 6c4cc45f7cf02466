/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DIFF_GEN_IMPL_H
#define DIFF_GEN_IMPL_H

/*
 * Declarations shared by the generator's files: gen.c makes objects,
 * gen_calls.c calls subroutines in them.
 */
#include "base/str.h"
#include "base/vec.h"
#include "gen.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define MAX_IFS 3
#define ADDRESS_BYTES 16 /* bytes of a network address, of a UUID */

enum what { NOTHING, NUMBER, STRING, MEMORY };

struct holds {
	enum what what;
	uint32_t size; /* MEMORY: bytes; STRING: readable, or 0 */
	bool is_elem;  /* of an array; another may take its place */
	bool is_there; /* it is not NULL */
};

struct gen {
	struct gen_rng *rng;
	const struct gen_env *env;
	VEC(uint32_t) text;
	VEC(uint64_t) ints;
	struct strbuf strs;
	struct holds regs[DIF_NREGS];
	uint32_t depth;
	uint32_t nifs;
	struct holds result;
};

void g_push_value(struct gen *g, unsigned r);
bool g_one_in(struct gen *g, uint32_t n);
void g_put(struct gen *g, uint32_t ins);
uint64_t g_wild_address(struct gen *g);
void g_put_user_address(struct gen *g, unsigned r);
unsigned g_any_number(struct gen *g);
void g_put_constant(struct gen *g, unsigned r, uint64_t value);
unsigned g_any_string(struct gen *g);
void g_push_string(struct gen *g, unsigned r);
void g_flush(struct gen *g);
void g_now_holds(struct gen *g, unsigned r, enum what what, uint32_t size);
unsigned g_any_dest(struct gen *g);
unsigned g_any_memory(struct gen *g, uint32_t least);
void g_do_full(struct gen *g);
void g_push_constant(struct gen *g, uint64_t value);
void g_do_call(struct gen *g);
void g_do_root(struct gen *g);
void g_put_call(struct gen *g, uint32_t subr, unsigned rd, struct holds result);
void g_do_speculations(struct gen *g);

#endif
