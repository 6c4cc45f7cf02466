/* SPDX-License-Identifier: BSD-2-Clause */
/* Detached runs: their names, their subjects, and who may have them. */
#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/detached.h"
#include "fleet/policy.h"

#define RUN "00112233445566778899aabbccddeeff"
#define STOP "ffeeddccbbaa99887766554433221100"
#define HOUR (3600 * FL_SECOND_NS)

static void
subjects_are_read_as_written(void **state)
{
	char *asked = fl_detached_subject(RUN);
	char *stops = fl_detached_stop_subject(RUN, STOP);
	struct fl_detached_id id;

	(void)state;
	assert_true(fl_detached_parse(asked, &id));
	assert_string_equal(id.run, RUN);
	assert_false(id.stops);
	assert_true(fl_detached_parse(stops, &id));
	assert_string_equal(id.run, RUN);
	assert_true(id.stops);
	free(stops);
	free(asked);
}

static void
other_subjects_are_refused(void **state)
{
	static const char *const bad[] = { "", "dtrace.kept.", "dtrace.kept",
		"dtrace.ask." RUN, "dtrace.kept." RUN "0",
		"dtrace.kept." RUN ".", "dtrace.kept." RUN ".x",
		"dtrace.kept." RUN "." STOP "0",
		"dtrace.kept." RUN "." STOP ".x", "dtrace.kept.x" RUN };
	struct fl_detached_id id;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (fl_detached_parse(bad[i], &id))
			fail_msg("'%s' was taken", bad[i]);
	}
}

static void
names_are_plain(void **state)
{
	char longest[66];

	(void)state;
	memset(longest, 'x', sizeof(longest));
	longest[65] = '\0';
	assert_false(fl_detached_is_name(longest));
	longest[64] = '\0';
	assert_true(fl_detached_is_name(longest));
	assert_true(fl_detached_is_name("Night_2.b-c"));
	assert_false(fl_detached_is_name(""));
	assert_false(fl_detached_is_name("a b"));
	assert_false(fl_detached_is_name("a\x1b"));
}

static void
permit(const struct fl_request *rq, int code, const char *why)
{
	struct err err = { 0 };

	assert_int_equal(fl_detached_permit(rq, &err), code);
	if (strstr(err_text(&err), why) == NULL)
		fail_msg("'%s' has no '%s'", err_text(&err), why);
	err_clear(&err);
}

static void
the_policy_bounds_the_time(void **state)
{
	struct fl_author alice = { .name = "alice" };
	struct fl_request rq = { .issued_ns = HOUR,
		.expires_ns = 2 * HOUR,
		.detached = "night",
		.author = &alice };

	(void)state;
	permit(&rq, -EACCES, "does not permit alice to detach");
	alice.detach_ns = HOUR - 1;
	permit(&rq, -EACCES, "for 3599 s at most, not 3600 s");
	alice.detach_ns = HOUR;
	permit(&rq, 0, "");
	rq.detached = "to\nnight";
	permit(&rq, -EINVAL, "not of a detached run");
	rq.detached = NULL;
	permit(&rq, -EINVAL, "not of a detached run");
	rq.detached = "night";
	rq.flags = FL_WANTS_STOP;
	permit(&rq, -EINVAL, "not of a detached run");
}

static void
permit_stop(const struct fl_request *stop, const struct fl_request *run,
    int code, const char *why)
{
	struct err err = { 0 };

	assert_int_equal(fl_detached_permit_stop(stop, run, &err), code);
	if (strstr(err_text(&err), why) == NULL)
		fail_msg("'%s' has no '%s'", err_text(&err), why);
	err_clear(&err);
}

static void
authors_stop_their_own_runs(void **state)
{
	struct fl_author alice = { .name = "alice" }, bob = { .name = "bob" };
	struct fl_request run = {
		.detached = "night", .author = &alice, .author_key = { 1 }
	};
	struct fl_request stop = { .author = &alice, .author_key = { 1 } };
	char id[FL_RUN_TEXT];

	(void)state;
	run.id[0] = 0xab;
	fl_run_format(run.id, id);
	permit_stop(&stop, &run, -EINVAL, "stops another run");
	stop.stops = STOP;
	permit_stop(&stop, &run, -EINVAL, "stops another run");
	stop.stops = id;
	permit_stop(&stop, &run, 0, "");
	stop.author = &bob;
	stop.author_key[0] = 2;
	permit_stop(&stop, &run, -EACCES,
	    "does not permit bob to stop the run night of alice");
	bob.stops_others = true;
	permit_stop(&stop, &run, 0, "");
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(subjects_are_read_as_written),
		cmocka_unit_test(other_subjects_are_refused),
		cmocka_unit_test(names_are_plain),
		cmocka_unit_test(the_policy_bounds_the_time),
		cmocka_unit_test(authors_stop_their_own_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
