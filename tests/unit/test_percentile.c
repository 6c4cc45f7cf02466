/* SPDX-License-Identifier: BSD-2-Clause */
/* percentile(): its buckets, and the packing of its percents. */
#include "tests/unit/unit.h"

#include <stdlib.h>

#include "consume/consume_impl.h"
#include "exec/runtime/rt.h"
#include "fmt/percents.h"

static uint64_t
packed(const char *text)
{
	struct percents p;
	uint64_t word;

	assert_true(pf_percents_parse(text, &p));
	assert_true(pf_percents_pack(&p, &word));
	return word;
}

/* Each bucket counts its first and last value, and no other one's. */
static void
buckets_are_whole(void **state)
{
	struct hist h = { 0 };
	int64_t low, high, next = 0;

	(void)state;
	hist_init(&h, DT_ACT_PERCENTILE, packed("50"));
	assert_int_equal(h.n, PLAN_PERCENTILE_BUCKETS);
	assert_false(hist_min(&h, 0, &low));
	for (uint32_t i = 1; i < h.n; i++) {
		assert_true(hist_min(&h, i, &low));
		assert_int_equal(low, next);
		if (!hist_max(&h, i, &high)) {
			assert_int_equal(i, h.n - 1);
			high = INT64_MAX;
		}
		assert_int_equal(rt_percentile_index((uint64_t)low), i);
		assert_int_equal(rt_percentile_index((uint64_t)high), i);
		/* the middle is within 1/128 of both */
		assert_true((high - low) / 2 <= low / 128);
		next = (int64_t)((uint64_t)high + 1);
	}
	assert_int_equal(high, INT64_MAX);
	assert_int_equal(rt_percentile_index((uint64_t)-1), 0);
	hist_fini(&h);
}

/* The value of rank ceil(p * n), as a sorted list has it. */
static int64_t
exact(const int64_t *sorted, size_t n, uint32_t percent)
{
	size_t rank = (n * percent + 99999) / 100000;

	return sorted[rank == 0 ? 0 : rank - 1];
}

static int
by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

#define NVALUES 5000

static void
percentiles_are_near(void **state)
{
	static const uint32_t percents[] = { 1, 100, 1000, 25000, 50000, 90000,
		99000, 99900, 99999, 100000 };
	static int64_t counts[PLAN_PERCENTILE_BUCKETS], values[NVALUES];
	struct hist h = { 0 };
	uint64_t seed = 1;

	(void)state;
	hist_init(&h, DT_ACT_PERCENTILE, packed("50"));
	for (size_t i = 0; i < NVALUES; i++) {
		seed = seed * 6364136223846793005U + 1442695040888963407U;
		/* as many small as large ones */
		values[i] = (int64_t)(seed >> 1 >> i % 63);
		counts[rt_percentile_index((uint64_t)values[i])]++;
	}
	qsort(values, NVALUES, sizeof(values[0]), by_value);
	for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
		int64_t want = exact(values, NVALUES, percents[i]), got;

		if (hist_percentile(&h, counts, percents[i], &got) != HIST_IS)
			assert_true(want >= got);
		assert_true(llabs(got - want) <= want / 100);
	}
	hist_fini(&h);
}

static void
percentiles_of_ends(void **state)
{
	static int64_t counts[PLAN_PERCENTILE_BUCKETS];
	struct hist h = { 0 };
	int64_t value;

	(void)state;
	hist_init(&h, DT_ACT_PERCENTILE, packed("50"));
	assert_int_equal(hist_percentile(&h, counts, 50000, &value), HIST_IS);
	assert_int_equal(value, 0);
	counts[0] = 1;
	assert_int_equal(
	    hist_percentile(&h, counts, 50000, &value), HIST_AT_MOST);
	assert_int_equal(value, -1);
	counts[rt_percentile_index(INT64_MAX)] = 2;
	assert_int_equal(
	    hist_percentile(&h, counts, 50000, &value), HIST_AT_LEAST);
	assert_true(value >= INT64_MAX / 128 * 127);
	counts[rt_percentile_index(7)] = 100;
	assert_int_equal(hist_percentile(&h, counts, 50000, &value), HIST_IS);
	assert_int_equal(value, 7);
	hist_fini(&h);
}

/* All that has a code comes back, in its order. */
static void
percents_are_packed(void **state)
{
	struct percents p, got;
	uint64_t word;
	uint32_t n = 0;

	(void)state;
	for (uint32_t v = 1; v <= 100000; v++) {
		p = (struct percents){ .n = 2, .v = { v, 50000 } };
		if (!pf_percents_pack(&p, &word))
			continue;
		n++;
		assert_true(pf_percents_unpack(word, &got));
		assert_int_equal(got.n, 2);
		assert_int_equal(got.v[0], v);
		assert_int_equal(got.v[1], 50000);
	}
	/* tenths; hundredths above 90; thousandths above 99, below 1 */
	assert_int_equal(n, 1000 + 900 + 900 + 990);
	assert_int_equal(packed("50,90,99,99.9"),
	    500 | 900ULL << 12 | 990ULL << 24 | 999ULL << 36);
}

static void
wrong_words_are_refused(void **state)
{
	static const uint64_t wrong[] = { 0, 4000, 4095, 500ULL << 12,
		500 | 500ULL << 24, 500 | 1ULL << 60, 1010, 2100, 3100,
		UINT64_MAX };
	struct percents p = { .n = PERCENTS_PACKED_MAX + 1,
		.v = { 1000, 2000, 3000, 4000, 5000, 6000 } };
	uint64_t word;

	(void)state;
	assert_false(pf_percents_pack(&p, &word));
	p.n--;
	assert_true(pf_percents_pack(&p, &word));
	p = (struct percents){ .n = 1, .v = { 50001 } };
	assert_false(pf_percents_pack(&p, &word));
	p.n = 0;
	assert_false(pf_percents_pack(&p, &word));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_false(pf_percents_unpack(wrong[i], &p));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buckets_are_whole),
		cmocka_unit_test(percentiles_are_near),
		cmocka_unit_test(percentiles_of_ends),
		cmocka_unit_test(percents_are_packed),
		cmocka_unit_test(wrong_words_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
