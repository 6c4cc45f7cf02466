/* SPDX-License-Identifier: BSD-2-Clause */
/* The order of the clauses of a large group (exec/bpf/emit/order.c). */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "exec/bpf/tr.h"

#define MAX 16

/*
 * A clause is a word with a letter for each of its probes.  A capital letter:
 * the clause waits for probes of that function; '*': for any probe.
 */
struct script {
	struct plan_clause pc[MAX];
	struct dif_clause clause[MAX];
	struct dt_probe probes[26];
	struct bx_facts facts;
	char names[MAX][2];
};

static void
add_pattern(struct script *s, size_t clause, char c)
{
	struct dif_pdesc d = { .func = s->names[clause] };

	s->names[clause][0] = c;
	s->pc[clause].may_grow = true;
	VEC_PUSH(&s->clause[clause].pdescs, d);
}

static void
add_clause(struct script *s, const char *word)
{
	size_t n = s->facts.clauses.n;

	s->pc[n].clause = &s->clause[n];
	for (; *word != '\0'; word++) {
		if (*word >= 'a')
			VEC_PUSH(&s->pc[n].probes, &s->probes[*word - 'a']);
		else
			add_pattern(s, n, *word);
	}
	VEC_PUSH(&s->facts.clauses, &s->pc[n]);
}

static void
script_init(struct script *s, const char *words)
{
	char copy[64], *rest = NULL;

	memset(s, 0, sizeof(*s));
	strcpy(copy, words);
	for (uint32_t i = 0; i < 26; i++)
		s->probes[i].id = i + 1;
	for (char *w = strtok_r(copy, " ", &rest); w != NULL;
	     w = strtok_r(NULL, " ", &rest))
		add_clause(s, w);
}

static void
script_fini(struct script *s)
{
	for (size_t i = 0; i < MAX; i++) {
		VEC_FREE(&s->pc[i].probes);
		VEC_FREE(&s->clause[i].pdescs);
	}
	VEC_FREE(&s->facts.clauses);
}

static void
test_order(void **state)
{
	static const struct {
		const char *clauses;
		const char *want; /* the clauses' numbers in order */
	} cases[] = {
		{ "a", "0" },
		/* points of one probe stay together */
		{ "a b a b a b", "024135" },
		/* points of all probes stay in place */
		{ "a b ab a b", "01234" },
		{ "abc a b c a b c abc", "01425367" },
		/* a clause stays behind earlier clauses of each of its
		 * probes */
		{ "a b bc a c", "03124" },
		/* functions that processes may map later */
		{ "A B A B", "0213" },
		{ "aA bB bA aB", "0123" },
		{ "a b * a b", "01234" },
		/* clauses that name a probe twice */
		{ "AA B AA B", "0213" },
		{ "aa b ab aa b", "01234" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct script s;
		char got[MAX + 1] = "";

		script_init(&s, cases[i].clauses);
		bx_clauses_order(&s.facts);
		for (size_t k = 0; k < s.facts.clauses.n; k++)
			got[k] = (char)('0' + (s.facts.clauses.v[k] - s.pc));
		if (strcmp(got, cases[i].want) != 0)
			fail_msg("%s: %s, not %s", cases[i].clauses, got,
			    cases[i].want);
		script_fini(&s);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
