/* SPDX-License-Identifier: BSD-2-Clause */
/* The system's data of CPUs: what cannot be read is reported. */
#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <sys/resource.h>

#include "exec/cpuinfo.h"

static bool is_failing;

/*
 * In place of libc's: a directory without a node, or one that cannot be read.
 */
struct dirent *
readdir(DIR *dir)
{
	(void)dir;
	if (is_failing)
		errno = EIO;
	return NULL;
}

static void
no_node(void **state)
{
	struct dif_cpuinfo cpu = { .cpu_lgrp = 7 };

	(void)state;
	assert_int_equal(exec_cpuinfo(&cpu, 1), 0);
	assert_int_equal(cpu.cpu_id, 0);
	assert_int_equal(cpu.cpu_lgrp, 0);
}

static void
unreadable(void **state)
{
	struct dif_cpuinfo cpu;
	int rc;

	(void)state;
	is_failing = true;
	rc = exec_cpuinfo(&cpu, 1);
	is_failing = false;
	assert_int_equal(rc, -EIO);
}

static void
no_files(void **state)
{
	struct rlimit before, none;
	struct dif_cpuinfo cpu;
	int rc;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){ 0, before.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	rc = exec_cpuinfo(&cpu, 1);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(rc, -EMFILE);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_node),
		cmocka_unit_test(unreadable),
		cmocka_unit_test(no_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
