/* SPDX-License-Identifier: BSD-2-Clause */
/* Metrics of many scripts in one document. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "fleet/metrics.h"

static void
test_names(void **state)
{
	static const struct {
		const char *file, *name;
	} cases[] = {
		{ "calls.d", "calls" },
		{ "tcp-calls_2.d", "tcp_calls_2" },
		{ "A.d", "A" },
		{ "calls", NULL },
		{ ".d", NULL },
		{ "2calls.d", NULL },
		{ "-a.d", NULL },
		{ "a b.d", NULL },
		{ "a\".d", NULL },
		{ "a.d.d", NULL },
		{ "a.d~", NULL },
		{ "../a.d", NULL },
		{ "\xc3\xa4.d", NULL },
		{ "a2345678901234567890123456789012345678901234567890123456789"
		  "012.d",
		    "a23456789012345678901234567890123456789012345678901234567"
		    "89012" },
		{ "a2345678901234567890123456789012345678901234567890123456789"
		  "0123.d",
		    NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *name = fl_metrics_name(cases[i].file);

		if (cases[i].name == NULL)
			assert_null(name);
		else
			assert_string_equal(name, cases[i].name);
		free(name);
	}
}

/* @b_c of script a and @c of script a_b would be one metric. */
static void
test_clashes(void **state)
{
	(void)state;
	assert_true(fl_metrics_clash("a", "a"));
	assert_true(fl_metrics_clash("a", "a_b"));
	assert_true(fl_metrics_clash("a_b", "a"));
	assert_false(fl_metrics_clash("a", "ab"));
	assert_false(fl_metrics_clash("a_b", "a_c"));
	assert_false(fl_metrics_clash("a_", "ab"));
}

static void
expect(const char *document, size_t len, const char *want)
{
	struct strbuf sb = { 0 };

	strbuf_adds(&sb, "|");
	fl_metrics_add(&sb, document, len, "job");
	assert_string_equal(sb.s + 1, want);
	strbuf_fini(&sb);
}

static void
test_documents(void **state)
{
	static const char doc[] =
	    "# HELP dtrace_n_total dtrace_n is said here.\n"
	    "# TYPE dtrace_n_total counter\n"
	    "dtrace_n_total{key0=\"dtrace_x\\n\"} 3\n"
	    "dtrace__ 4\n";

	(void)state;
	expect(doc, sizeof(doc) - 1,
	    "# HELP dtrace_job_n_total dtrace_n is said here.\n"
	    "# TYPE dtrace_job_n_total counter\n"
	    "dtrace_job_n_total{key0=\"dtrace_x\\n\"} 3\n"
	    "dtrace_job__ 4\n");
	expect("", 0, "");
}

/* Whatever a script sends, other scripts' metrics keep their names. */
static void
test_hostile(void **state)
{
	static const char nul[] = "dtrace_a\0b 1\nx\n";
	static const char doc[] = "other 1\n# EOF\n\n\n dtrace_a 1\n"
				  "dtrace_\n# HELP dtrace_\ndtrace_b 2\n"
				  "dtrace_cut 3";

	(void)state;
	expect(doc, sizeof(doc) - 1, "dtrace_job_b 2\n");
	expect(nul, sizeof(nul) - 1, "dtrace_job_a");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_clashes),
		cmocka_unit_test(test_documents),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
