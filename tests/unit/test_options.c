/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Options: values, limits, and messages that say what is permitted.  Numbers
 * and defaults are those of doc/reference/records.md section 9.
 */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/near.h"
#include "libdtrace/options.h"

/* Value text -> value in the option's unit, or -1 if it must be refused. */
static const struct value_case {
	const char *name, *value;
	int64_t want;
} value_cases[] = {
	{ "bufsize", "64k", 65536 },
	{ "bufsize", "64K", 65536 },
	{ "bufsize", "4m", 4194304 },
	{ "bufsize", "1g", 1073741824 },
	{ "bufsize", "0x1000", 4096 },
	{ "bufsize", "65536", 65536 },
	{ "bufsize", "0", -1 },
	{ "bufsize", "100t", INT64_C(100) << 40 },
	{ "aggsize", "1t", -1 },
	{ "bufsize", "much", -1 },
	{ "bufsize", "1kk", -1 },
	{ "bufsize", "-1", -1 },
	{ "bufsize", "", -1 },
	{ "bufsize", NULL, -1 },
	{ "bufsize", "99999999999999999999", -1 },
	{ "bufsize", "9999999999999t", -1 },
	{ "strsize", "8", 8 },
	{ "strsize", "1", 1 },
	{ "strsize", "0", -1 },
	{ "strsize", "64k", 65536 },
	{ "strsize", "65537", -1 },
	{ "switchrate", "10hz", 100000000 },
	{ "switchrate", "100ms", 100000000 },
	{ "switchrate", "50000000", 50000000 },
	{ "switchrate", "2sec", 2000000000 },
	{ "switchrate", "5000hz", 200000 },
	{ "switchrate", "5001hz", 200000 },
	{ "switchrate", "10", 200000 },
	{ "switchrate", "0", 200000 },
	{ "switchrate", "9999999999hz", 200000 },
	{ "switchrate", "0hz", INT64_C(86400000000000) },
	{ "switchrate", "2d", INT64_C(86400000000000) },
	{ "switchrate", "99999999999999999999s", INT64_C(86400000000000) },
	{ "cleanrate", "3000", 200000 },
	{ "cleanrate", "2m", INT64_C(60000000000) },
	{ "statusrate", "1nsec", 200000 },
	{ "switchrate", "0x", -1 },
	{ "switchrate", "1fortnight", -1 },
	{ "statusrate", "10s", 10000000000 },
	{ "statusrate", "11s", 10000000000 },
	{ "cpu", "0", 0 },
	{ "cpu", "63", 63 },
	{ "cpu", "first", -1 },
	{ "stackframes", "5", 5 },
	{ "stackframes", "0", -1 },
	{ "stackframes", "128", -1 },
	{ "ustackframes", "1024", 1024 },
	{ "ustackframes", "1025", -1 },
	{ "jstackframes", "0", -1 },
	{ "recordstack", NULL, 0 },
	{ "recordstack", "127", 127 },
	{ "recordstack", "0", -1 },
	{ "recordstack", "on", -1 },
	{ "recordustack", "1024", 1024 },
	{ "recordustack", "1025", -1 },
	{ "jstackstrsize", "1k", 1024 },
	{ "stackindent", "0", 0 },
	{ "quiet", NULL, 1 },
	{ "quiet", "on", 1 },
	{ "quiet", "OFF", 0 },
	{ "quiet", "1", 1 },
	{ "quiet", "unset", 0 },
	{ "quiet", "yes", 1 },
	{ "quiet", "No", 0 },
	{ "quiet", "TRUE", 1 },
	{ "quiet", "false", 0 },
	{ "quiet", "enable", 1 },
	{ "quiet", "disable", 0 },
	{ "quiet", "Enabled", 1 },
	{ "quiet", "disabled", 0 },
	{ "quiet", "set", 1 },
	{ "quiet", "7", 1 },
	{ "quiet", "0x0", 0 },
	{ "quiet", "perhaps", -1 },
	{ "procfspath", "/proc/", 0 },
	{ "procfspath", "/tmp", -1 },
	{ "quiet", "", -1 },
	{ "temporal", "off", 0 },
	{ "evaltime", "exec", 0 },
	{ "evaltime", "preinit", 1 },
	{ "evaltime", "postinit", 2 },
	{ "evaltime", "main", 3 },
	{ "evaltime", "mai", -1 },
	{ "evaltime", "exec|preinit", -1 },
	{ "evaltime", "", -1 },
	{ "stdc", "t", 3 },
	{ "cpppath", "/bin/cpp", 0 },
	{ "cpppath", "", -1 },
	{ "define", "A=1", 0 },
};

static void
test_values(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(value_cases) / sizeof(value_cases[0]);
	     i++) {
		const struct value_case *vc = &value_cases[i];
		enum dt_opt opt = dt_options_find(vc->name);
		struct dt_options o;
		struct err err = { 0 };
		int rc;

		assert_int_not_equal(opt, DT_OPT_MAX);
		dt_options_init(&o);
		rc = dt_options_set(&o, vc->name, vc->value, false, &err);
		if ((rc == 0) != (vc->want >= 0) ||
		    (rc == 0 && dt_options_num(&o, opt) != vc->want))
			fail_msg("%s=%s: %s", vc->name,
			    vc->value ? vc->value : "(none)",
			    err.text ? err.text : "accepted, wrong value");
		assert_true(o.vals[opt].is_set == (rc == 0));
		err_clear(&err);
		dt_options_fini(&o);
	}
}

static const struct default_case {
	const char *name;
	int number;
	bool has_value;
	int64_t want;
} default_cases[] = {
	{ "bufsize", 0, true, 4 << 20 },
	{ "dynvarsize", 2, true, 1 << 20 },
	{ "aggsize", 3, true, 4 << 20 },
	{ "strsize", 6, true, 256 },
	{ "cpu", 8, false, 0 },
	{ "flowindent", 11, true, 0 },
	{ "quiet", 12, true, 0 },
	{ "stackframes", 13, true, 20 },
	{ "ustackframes", 14, true, 20 },
	{ "jstackframes", 21, true, 50 },
	{ "jstackstrsize", 22, true, 512 },
	{ "aggrate", 15, true, 1000000000 },
	{ "switchrate", 16, true, 1000000000 },
	{ "statusrate", 17, true, 1000000000 },
	{ "destructive", 18, true, 0 },
	{ "stackindent", 19, true, 14 },
	{ "aggsortpos", 25, true, 0 },
	{ "temporal", 27, true, 1 },
	{ "evaltime", -1, true, 1 },
	{ "zdefs", -1, true, 0 },
};

static void
test_defaults(void **state)
{
	struct dt_options o;

	(void)state;
	dt_options_init(&o);
	for (size_t i = 0; i < sizeof(default_cases) / sizeof(default_cases[0]);
	     i++) {
		const struct default_case *dc = &default_cases[i];
		enum dt_opt opt = dt_options_find(dc->name);

		assert_int_not_equal(opt, DT_OPT_MAX);
		assert_int_equal(dt_optinfo[opt].number, dc->number);
		assert_true(o.vals[opt].has_value == dc->has_value);
		assert_false(o.vals[opt].is_set);
		assert_true(dt_options_num(&o, opt) == dc->want);
	}
	assert_string_equal(o.vals[DT_OPT_CPPPATH].strs.v[0], "cpp");
	dt_options_fini(&o);
}

/* A setting and a part of its message. */
static const struct message_case {
	const char *name, *value, *want;
} message_cases[] = {
	{ "bufsize", "much", "expected a size in bytes or with k, m, g or t" },
	{ "bufsize", "much", "found 'much'" },
	{ "bufsize", NULL, "no value was given" },
	{ "strsize", "0", "from 1 to 64k" },
	{ "statusrate", "often", "such as 100ms, 2s or 10hz" },
	{ "stackframes", "0", "a number from 1 to 127" },
	{ "evaltime", "never", "one of exec, preinit, postinit, main" },
	{ "quiet", "x", "on or off" },
	{ "bufsiz", "1", "did you mean 'bufsize'" },
	{ "swtichrate", "1", "did you mean 'switchrate'" },
	{ "qqqqqq", "1", "there is no option 'qqqqqq'" },
	{ "zone", "global", "option zone is not available" },
	{ "amin", "Stable/Solid/Common", "expected attributes such as" },
	{ "version", "1.99", "expected a version of D" },
};

static void
test_messages(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(message_cases) / sizeof(message_cases[0]);
	     i++) {
		const struct message_case *mc = &message_cases[i];
		struct dt_options o;
		struct err err = { 0 };

		dt_options_init(&o);
		assert_int_not_equal(
		    dt_options_set(&o, mc->name, mc->value, false, &err), 0);
		assert_non_null(err.text);
		if (strstr(err.text, mc->want) == NULL)
			fail_msg("%s: '%s' lacks '%s'", mc->name, err.text,
			    mc->want);
		err_clear(&err);
		dt_options_fini(&o);
	}
}

static void
test_later_wins_and_lists_grow(void **state)
{
	struct dt_options o;
	struct err err = { 0 };

	(void)state;
	dt_options_init(&o);
	assert_int_equal(dt_options_set(&o, "bufsize", "1m", false, &err), 0);
	assert_int_equal(dt_options_set(&o, "bufsize", "2m", false, &err), 0);
	assert_true(dt_options_num(&o, DT_OPT_BUFSIZE) == 2 << 20);
	assert_int_equal(dt_options_set(&o, "cpppath", "a", false, &err), 0);
	assert_int_equal(dt_options_set(&o, "cpppath", "b", false, &err), 0);
	assert_int_equal(o.vals[DT_OPT_CPPPATH].strs.n, 1);
	assert_string_equal(o.vals[DT_OPT_CPPPATH].strs.v[0], "b");
	assert_int_equal(dt_options_set(&o, "define", "A", false, &err), 0);
	assert_int_equal(dt_options_set(&o, "define", "B=2", false, &err), 0);
	assert_int_equal(o.vals[DT_OPT_DEFINE].strs.n, 2);
	assert_string_equal(o.vals[DT_OPT_DEFINE].strs.v[1], "B=2");
	dt_options_fini(&o);
}

static void
test_only_dynamic_while_tracing(void **state)
{
	struct dt_options o;
	struct err err = { 0 };

	(void)state;
	dt_options_init(&o);
	assert_int_equal(dt_options_set(&o, "switchrate", "2s", true, &err), 0);
	assert_int_not_equal(
	    dt_options_set(&o, "bufsize", "2m", true, &err), 0);
	assert_non_null(strstr(err.text, "once tracing has begun"));
	err_clear(&err);
	dt_options_fini(&o);
}

/* The text of -v, and whether the option was set. */
static const struct note_case {
	const char *name, *value, *want;
	bool is_tracing;
} note_cases[] = {
	{ "switchrate", "10",
	    "option switchrate: 10 is below the limit; it "
	    "is 200us",
	    false },
	{ "statusrate", "1min",
	    "option statusrate: 1min is above the limit; "
	    "it is 10s",
	    false },
	{ "switchrate", "1s", NULL, false },
	{ "pgmax", "8", "option pgmax has no effect: ", false },
	{ "lazyload", "false", "option lazyload has no effect: ", false },
	{ "knodefs", NULL, "option knodefs has no effect: ", false },
	{ "knodefs", NULL, NULL, true },
};

static void
test_notes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(note_cases) / sizeof(note_cases[0]);
	     i++) {
		const struct note_case *nc = &note_cases[i];
		struct dt_options o;
		struct err err = { 0 };

		dt_options_init(&o);
		/* told once, however often the option is set */
		for (int n = 0; n < 2; n++)
			assert_int_equal(dt_options_set(&o, nc->name, nc->value,
					     nc->is_tracing, &err),
			    0);
		assert_int_equal(o.notes.n, nc->want != NULL);
		if (nc->want != NULL)
			assert_memory_equal(
			    o.notes.v[0], nc->want, strlen(nc->want));
		dt_options_fini(&o);
	}
}

/* Names and numbers are unique; an option without effect has no default. */
static void
test_table(void **state)
{
	(void)state;
	for (enum dt_opt i = 0; i < DT_OPT_MAX; i++) {
		const struct dt_optinfo *a = &dt_optinfo[i];

		assert_true(a->why_not == NULL || a->def == NULL);
		if (a->type != DT_OPT_STRING && a->type != DT_OPT_LIST)
			assert_true(
			    (a->type == DT_OPT_ENUM) == (a->choices != NULL));
		for (enum dt_opt k = 0; k < i; k++) {
			const struct dt_optinfo *b = &dt_optinfo[k];

			assert_string_not_equal(a->name, b->name);
			assert_true(a->number == -1 || a->number != b->number);
		}
	}
}

static void
test_edit_distance(void **state)
{
	(void)state;
	assert_int_equal(near_distance("", "", 3), 0);
	assert_int_equal(near_distance("read", "read", 3), 0);
	assert_int_equal(near_distance("raed", "read", 3), 1);
	assert_int_equal(near_distance("rea", "read", 3), 1);
	assert_int_equal(near_distance("reads", "read", 3), 1);
	assert_int_equal(near_distance("READ", "read", 3), 1);
	assert_int_equal(near_distance("RAED", "read", 3), 4);
	assert_int_equal(near_distance("abc", "xyz", 2), 3);
	assert_int_equal(near_distance("kitten", "sitting", 9), 3);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_later_wins_and_lists_grow),
		cmocka_unit_test(test_only_dynamic_while_tracing),
		cmocka_unit_test(test_notes),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_edit_distance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
