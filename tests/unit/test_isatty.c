/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a file is a terminal is asked once of the output. */
#include "unit.h"

#include <stdio.h>
#include <unistd.h>

#include "consume/consume.h"
#include "plan/plan.h"

static unsigned nasked;

/* In place of libc's: no file here is a terminal. */
int
isatty(int fd)
{
	(void)fd;
	nasked++;
	return 0;
}

static void
output_is_asked_once(void **state)
{
	struct consume_opts opts = { .controls = CONTROLS_AUTO };
	struct plan_opts po = { .strsize = 32 };
	struct plan *pl = plan_create(&po);
	struct consumer *c =
	    consumer_create(pl, NULL, NULL, &opts, stdout, stderr);

	(void)state;
	assert_int_equal(nasked, 1);
	assert_false(consumer_has_escapes(c, stdout));
	assert_int_equal(nasked, 1);
	assert_false(consumer_has_escapes(c, stderr));
	assert_int_equal(nasked, 2);
	consumer_destroy(c);
	plan_destroy(pl);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(output_is_asked_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
