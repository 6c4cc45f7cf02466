/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random DIF must have the same outcome everywhere: in the interpreter (twice,
 * and against the rules that must hold), compiled to x86-64, and in the kernel.
 *
 *	difdiff [--seed N] [--host PROGRAMS] [--kernel PROGRAMS]
 *
 * A program is a clause of up to three objects, which the seed determines.  A
 * program whose outcomes differ is reduced (instructions that do not matter are
 * left out) and printed as text, with its seed.
 */
#include <bpf/libbpf.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "diff.h"

#define HOST_DEFAULT 100000
#define KERNEL_DEFAULT 10000
#define BATCH 12
#define COVERING 10000U /* so many programs cover all */
#define JOINING 3	/* one clause in so many joins a firing */
#define LOCALS_SHOWN 4	/* one clause in so many shows its this-> */
#define MADE_UP 8	/* one batch in so many has such variables */
#define STACKS 40	/* one batch in so many needs stacks */
#define SHOWN 3		/* differences shown before giving up */

static const uint32_t strsizes[] = { 256, 16, 64, 24, 13, 8, 512 };

/* ---- batches ------------------------------------------------------------ */

static void
clause_init(struct clause *c, struct gen_rng *rng, const struct gen_env *env)
{
	uint32_t n = 1 + gen_random(rng, GEN_OBJS);

	while (n-- > 0)
		VEC_PUSH(&c->objs, gen_object(rng, env));
}

/* Add objects that record clause-local variables at the clause's end. */
static void
clause_add_locals(struct clause *c, const struct gen_env *env)
{
	struct dif_obj *dp;

	for (uint32_t i = 0; (dp = gen_observer(env, true, i)) != NULL; i++)
		VEC_PUSH(&c->objs, dp);
}

void
clause_fini(struct clause *c)
{
	VEC_FOREACH(&c->objs, dp)
		dif_obj_destroy(*dp);
	VEC_FREE(&c->objs);
}

static void
must_verify(struct dif_obj *dp, uint64_t seed)
{
	struct strbuf text = { 0 };
	struct err err = { 0 };

	if (dif_verify(dp, &err) == 0)
		return;
	dif_format(dp, &text);
	printf("# seed %llu: the generator's own object is refused: %s\n%s",
	    (unsigned long long)seed, err.text, text.s);
	exit(1);
}

bool
batch_ends_firing(const struct batch *b, size_t i)
{
	return i + 1 == b->clauses.n || !b->clauses.v[i + 1].joins;
}

void
batch_add_observers(struct batch *b)
{
	struct dif_obj *dp;

	for (uint32_t i = 0; (dp = gen_observer(&b->env, false, i)) != NULL;
	     i++)
		VEC_PUSH(&b->observer.objs, dp);
}

void
batch_init(
    struct batch *b, uint64_t seed, uint32_t n, const struct gen_env *env)
{
	const uint32_t nsizes = sizeof(strsizes) / sizeof(strsizes[0]);
	struct gen_rng rng;

	memset(b, 0, sizeof(*b));
	gen_seed(&rng, seed);
	b->env = *env;
	b->env.strsize = strsizes[gen_random(&rng, nsizes)];
	b->env.has_made_up = gen_random(&rng, MADE_UP) == 0;
	b->env.has_stacks = gen_random(&rng, STACKS) == 0;
	for (uint32_t i = 0; i < n; i++) {
		struct clause c = { 0 };

		clause_init(&c, &rng, &b->env);
		if (gen_random(&rng, LOCALS_SHOWN) == 0)
			clause_add_locals(&c, &b->env);
		VEC_FOREACH(&c.objs, dp)
			must_verify(*dp, seed);
		c.joins = i > 0 && gen_random(&rng, JOINING) == 0;
		VEC_PUSH(&b->clauses, c);
	}
	batch_add_observers(b);
}

static void
outcome_list_fini(struct outcome *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		strbuf_fini(&v[i].data);
}

void
outcomes_fini(struct batch *b)
{
	outcome_list_fini(b->host.v, b->host.n);
	outcome_list_fini(b->compiled.v, b->compiled.n);
	outcome_list_fini(b->kernel.v, b->kernel.n);
	VEC_FREE(&b->host);
	VEC_FREE(&b->compiled);
	VEC_FREE(&b->kernel);
}

void
batch_fini(struct batch *b)
{
	VEC_FOREACH(&b->clauses, c)
		clause_fini(c);
	VEC_FREE(&b->clauses);
	clause_fini(&b->observer);
	outcomes_fini(b);
}

/* ---- comparing ---------------------------------------------------------- */

static void
outcome_text(const struct outcome *o, struct strbuf *out)
{
	if (!o->is_fault) {
		strbuf_printf(out, "%zu bytes of data", o->data.len);
		return;
	}
	strbuf_printf(out, "fault %d in object %u at instruction %d, value ",
	    o->fault, o->action, o->offset < 0 ? -1 : o->offset / 4);
	strbuf_printf(out, "0x%llx%s", (unsigned long long)o->value,
	    o->value_is_own ? " (maybe its own address)" : "");
}

static char *
differ(const struct outcome *a, const struct outcome *b)
{
	struct strbuf out = { 0 };

	outcome_text(a, &out);
	strbuf_adds(&out, " | ");
	outcome_text(b, &out);
	return strbuf_steal(&out);
}

char *
outcome_diff(const struct outcome *a, const struct outcome *b)
{
	size_t i = 0;

	if (a->is_fault != b->is_fault)
		return differ(a, b);
	if (a->is_fault) {
		if (a->action == b->action && a->fault == b->fault &&
		    a->offset == b->offset &&
		    (a->value == b->value ||
			(a->value_is_own && b->value_is_own)))
			return NULL;
		return differ(a, b);
	}
	if (a->data.len != b->data.len)
		return differ(a, b);
	while (i < a->data.len && a->data.s[i] == b->data.s[i])
		i++;
	if (i == a->data.len)
		return NULL;
	return mem_printf("byte %zu of %zu: %02x | %02x", i, a->data.len,
	    (unsigned char)a->data.s[i], (unsigned char)b->data.s[i]);
}

/* The first firing whose outcomes differ, or -1; *why is malloced. */
static int
first_difference(
    const struct batch *b, const struct outcomes *other, char **why)
{
	for (size_t i = 0; i < b->host.n; i++) {
		*why = outcome_diff(&b->host.v[i], &other->v[i]);
		if (*why != NULL)
			return (int)i;
	}
	return -1;
}

/* ---- reduction ---------------------------------------------------------- */

/*
 * How a firing ended on both sides.  A reduced program must end in the same
 * way.  Otherwise reduction would lead to a program whose outcome may differ:
 * one that uses addresses as numbers.
 */
struct endings {
	int host, kernel; /* the fault, or -1 */
};

static struct endings
endings_at(const struct batch *b, int at)
{
	const struct outcome *h = &b->host.v[at], *k = &b->kernel.v[at];

	return (struct endings){ h->is_fault ? (int)h->fault : -1,
		k->is_fault ? (int)k->fault : -1 };
}

/* Do the outcomes of these clauses differ in this way?  *why (malloced):
 * how. */
static bool
differs(struct batch *b, const struct endings *as, char **why)
{
	struct endings now;
	struct err err = { 0 };
	int at = -1;

	*why = NULL;
	outcomes_fini(b);
	host_run(b, NULL);
	if (kernel_run(b, &err) == 0)
		at = first_difference(b, &b->kernel, why);
	err_clear(&err);
	if (at < 0)
		return false;
	now = endings_at(b, at);
	return now.host == as->host && now.kernel == as->kernel;
}

/* Leave out an instruction if the outcomes still differ. */
static void
try_without(struct batch *b, const struct endings *as, struct dif_obj **dpp,
    uint32_t pc)
{
	struct dif_obj *old = *dpp, *cut = gen_without(old, pc);
	char *why = NULL;
	struct err err = { 0 };

	*dpp = cut;
	if (dif_verify(cut, &err) == 0 && differs(b, as, &why)) {
		dif_obj_destroy(old);
	} else {
		*dpp = old;
		dif_obj_destroy(cut);
	}
	err_clear(&err);
	free(why);
}

/* Leave out whole objects first, then instructions. */
static void
try_without_object(
    struct batch *b, const struct endings *as, struct clause *c, size_t i)
{
	struct dif_obj *dp = c->objs.v[i];
	char *why = NULL;

	memmove(
	    c->objs.v + i, c->objs.v + i + 1, (--c->objs.n - i) * sizeof(dp));
	if (differs(b, as, &why)) {
		dif_obj_destroy(dp);
	} else {
		memmove(c->objs.v + i + 1, c->objs.v + i,
		    (c->objs.n++ - i) * sizeof(dp));
		c->objs.v[i] = dp;
	}
	free(why);
}

static void
make_small(struct batch *b, const struct endings *as)
{
	VEC_FOREACH(&b->clauses, c) {
		for (size_t i = c->objs.n; i-- > 0 && c->objs.n > 1;)
			try_without_object(b, as, c, i);
		VEC_FOREACH(&c->objs, dpp) {
			for (uint32_t pc = (*dpp)->ntext; pc-- > 0;)
				try_without(b, as, dpp, pc);
		}
	}
}

static void
print_lines(const char *text)
{
	for (const char *p = text; *p != '\0';) {
		size_t n = strcspn(p, "\n");

		printf("#   %.*s\n", (int)n, p);
		p += n + (p[n] == '\n');
	}
}

static void
print_clauses(const struct batch *b)
{
	VEC_FOREACH(&b->clauses, c) {
		VEC_FOREACH(&c->objs, dp) {
			struct strbuf text = { 0 };

			dif_format(*dp, &text);
			print_lines(text.s);
			strbuf_fini(&text);
		}
	}
}

/* The clauses of the firing of outcome `at`: the first, and their number. */
static size_t
firing_of(const struct batch *b, int at, size_t *n)
{
	size_t first = b->host.v[at].clause, last = first;

	while (first > 0 && b->clauses.v[first].joins)
		first--;
	while (!batch_ends_firing(b, last))
		last++;
	*n = last - first + 1;
	return first;
}

/*
 * Report outcome `at` of a batch, which differs from the kernel's.  It is
 * reduced if its firing also differs alone.
 */
static void
report(struct batch *b, uint64_t seed, int at, const char *why)
{
	const struct endings as = endings_at(b, at);
	struct batch one = { .env = b->env };
	size_t n, first = firing_of(b, at, &n);
	char *again = NULL;

	printf("# seed %llu, strsize %u, %s %u: interpreter | kernel: %s\n",
	    (unsigned long long)seed, b->env.strsize,
	    b->host.v[at].is_observed ? "variables after clause" : "clause",
	    b->host.v[at].clause, why);
	for (size_t i = 0; i < n; i++)
		VEC_PUSH(&one.clauses, b->clauses.v[first + i]);
	batch_add_observers(&one);
	if (differs(&one, &as, &again)) {
		make_small(&one, &as);
		free(again);
		differs(&one, &as, &again);
		printf("# alone, and made small: %s\n", again);
		print_clauses(&one);
	} else {
		printf("# not by itself: it needs the clauses before it\n");
	}
	free(again);
	/* the objects that make_small() made belong to the batch */
	memcpy(&b->clauses.v[first], one.clauses.v, n * sizeof(*one.clauses.v));
	VEC_FREE(&one.clauses);
	batch_fini(&one);
}

/* ---- the two tests ------------------------------------------------------ */

/* Check all rules for one clause: NULL, or the broken rule. */
static char *
check_clause(const struct batch *b, uint64_t seed, struct coverage *cov)
{
	const struct clause *c = &b->clauses.v[0];
	char *broken = host_check(b, c, cov);

	/* text takes longer than a run */
	if (seed % 8 != 0)
		return broken;
	for (size_t i = 0; i < c->objs.n && broken == NULL; i++)
		broken = host_check_text(c->objs.v[i]);
	return broken;
}

static uint32_t
test_host(
    uint64_t seed, uint32_t n, const struct gen_env *env, struct coverage *cov)
{
	uint32_t bad = 0;

	for (uint32_t i = 0; i < n && bad < SHOWN; i++) {
		struct batch b;
		char *broken;

		batch_init(&b, seed + i, 1, env);
		broken = check_clause(&b, seed + i, cov);
		if (broken != NULL) {
			printf("# seed %llu: %s\n",
			    (unsigned long long)seed + i, broken);
			print_clauses(&b);
			bad++;
		}
		free(broken);
		batch_fini(&b);
	}
	return bad;
}

/* Run many compiled clauses in one machine: one may leave data for the next. */
static uint32_t
test_compiled(uint64_t seed, uint32_t n, const struct gen_env *env)
{
	uint32_t bad = 0;

	for (uint32_t i = 0; i < n && bad < SHOWN; i += BATCH) {
		struct batch b;
		char *why = NULL;
		int at;

		batch_init(&b, seed + i, BATCH, env);
		host_run(&b, NULL);
		compiled_run(&b);
		at = first_difference(&b, &b.compiled, &why);
		if (at >= 0) {
			printf("# seed %llu, firing %d: interpreter | "
			       "compiled: %s\n",
			    (unsigned long long)seed + i, at, why);
			print_clauses(&b);
			bad++;
		}
		free(why);
		batch_fini(&b);
	}
	return bad;
}

static uint32_t
test_kernel(
    uint64_t seed, uint32_t n, const struct gen_env *env, struct coverage *cov)
{
	uint32_t bad = 0;

	for (uint32_t i = 0; i < n && bad < SHOWN; i += BATCH) {
		struct batch b;
		struct err err = { 0 };
		char *why = NULL;
		int at;

		batch_init(&b, seed + i, BATCH, env);
		host_run(&b, cov);
		if (kernel_run(&b, &err) != 0) {
			printf("# seed %llu: %s\n",
			    (unsigned long long)seed + i, err_text(&err));
			bad++;
		} else if ((at = first_difference(&b, &b.kernel, &why)) >= 0) {
			report(&b, seed + i, at, why);
			bad++;
		}
		free(why);
		err_clear(&err);
		batch_fini(&b);
	}
	return bad;
}

/* Map readable memory at a place that is the same in every run, and unmapped
 * memory behind it. */
static uint64_t
map_user(void)
{
	void *want = (void *)0x10000000UL;
	uint8_t *p = mmap(want, GEN_USER_SIZE, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (p != want) {
		printf("Bail out! no memory at %p\n", want);
		exit(1);
	}
	gen_fill_user(p);
	return (uint64_t)(uintptr_t)p;
}

static void
stay_on_cpu0(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

static void
result(unsigned no, uint32_t bad, uint32_t n, const char *what)
{
	printf("%s %u - %u programs: %s\n", bad == 0 ? "ok" : "not ok", no, n,
	    what);
}

/* Have n programs covered everything? */
static uint32_t
test_coverage(unsigned no, uint32_t n, const struct coverage *cov,
    const struct gen_env *env, const char *who)
{
	uint32_t bad;

	if (n < COVERING) {
		printf("ok %u # SKIP fewer than %u programs cover too little\n",
		    no, COVERING);
		return 0;
	}
	bad = cover_missing(cov, env, who);
	result(no, bad, n,
	    "every instruction, subroutine, variable, fault "
	    "and edge is met");
	return bad;
}

static uint64_t
option(int argc, char **argv, const char *name, uint64_t otherwise)
{
	for (int i = 1; i + 1 < argc; i++) {
		if (strcmp(argv[i], name) == 0)
			return strtoull(argv[i + 1], NULL, 0);
	}
	return otherwise;
}

/* Is a clause of this object loaded?  Destroys the object. */
static bool
kernel_takes(const struct gen_env *env, struct dif_obj *dp)
{
	struct batch b = { .env = *env };
	struct clause c = { 0 };
	struct err err = { 0 };
	bool ok;

	VEC_PUSH(&c.objs, dp);
	VEC_PUSH(&b.clauses, c);
	b.env.strsize = 64;
	ok = kernel_run(&b, &err) == 0;
	err_clear(&err);
	batch_fini(&b);
	return ok;
}

/* Find out what this kernel, or this machine, does not permit. */
static void
find_limits(struct gen_env *env)
{
	env->may_write_user = kernel_takes(env, gen_copyout(env));
	if (!env->may_write_user)
		printf("# this kernel lets no program write to a process: "
		       "copyout() and copyoutstr() are left out\n");
	env->lacks_tsc = !kernel_takes(env, gen_read(DIF_VAR_MACHTIMESTAMP));
	if (env->lacks_tsc)
		printf("# this machine has no steady time-stamp counter: "
		       "machtimestamp is left out\n");
}

static uint32_t
test_on_kernel(uint64_t seed, uint32_t n, struct gen_env *env)
{
	static struct coverage cov = { .is_for_kernel = true };
	uint32_t bad[3];

	env->is_for_kernel = true;
	find_limits(env);
	bad[0] = test_kernel(seed, n, env, &cov);
	result(4, bad[0], n, "the interpreter and the kernel agree");
	bad[1] = test_coverage(5, n, &cov, env, "in the kernel");
	bad[2] = test_refusals();
	printf("%s 6 - what the kernel cannot do is refused by name\n",
	    bad[2] == 0 ? "ok" : "not ok");
	return bad[0] + bad[1] + bad[2];
}

int
main(int argc, char **argv)
{
	static struct coverage cov;
	uint64_t seed = option(argc, argv, "--seed", 1);
	struct gen_env env = { .user = map_user(), .may_write_user = true };
	uint32_t nhost = (uint32_t)option(argc, argv, "--host", HOST_DEFAULT);
	uint32_t nkernel =
	    (uint32_t)option(argc, argv, "--kernel", KERNEL_DEFAULT);
	uint32_t bad, lost;

	setvbuf(stdout, NULL, _IOLBF, 0);
	stay_on_cpu0();
	printf("1..6\n");
	bad = test_host(seed, nhost, &env, &cov);
	result(1, bad, nhost, "the interpreter keeps what is promised");
	bad += test_coverage(2, nhost, &cov, &env, "in the interpreter");
	lost = test_compiled(seed, nkernel, &env);
	result(3, lost, nkernel, "the interpreter and compiled code agree");
	if (geteuid() == 0) {
		bad += test_on_kernel(seed, nkernel, &env);
	} else {
		for (int i = 4; i <= 6; i++)
			printf("ok %d # SKIP the kernel needs root\n", i);
	}
	return bad + lost != 0;
}
