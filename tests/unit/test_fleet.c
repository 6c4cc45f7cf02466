/* SPDX-License-Identifier: BSD-2-Clause */
/* A fleet's console reads hosts whose programs print data in one way. */
#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dof/dof.h"
#include "dtrace.h"
#include "libdtrace/fleet.h"
#include "tape/merge_impl.h"

/* What a host sends as its program. */
static struct strbuf
image(const char *text)
{
	int error;
	dtrace_hdl_t *h = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, &error);
	struct strbuf sb = { 0 };
	struct dof_hdr hdr;
	dtrace_prog_t *prog;
	void *dof;

	assert_non_null(h);
	prog = dtrace_program_strcompile(
	    h, text, DTRACE_PROBESPEC_NAME, DTRACE_C_NOLIBS, 0, NULL);
	if (prog == NULL)
		fail_msg("%s: %s", text, dtrace_errmsg(h, dtrace_errno(h)));
	dof = dtrace_dof_create(h, prog, 0);
	assert_non_null(dof);
	memcpy(&hdr, dof, sizeof(hdr));
	strbuf_add(&sb, dof, (size_t)hdr.dofh_filesz);
	dtrace_dof_destroy(h, dof);
	dtrace_close(h);
	return sb;
}

/* NULL: both are one program; or why not.  Static. */
static const char *
why_not(const char *first, const char *other)
{
	static char why[256];
	struct dt_hdl *h = dt_open();
	struct strbuf theirs = image(other);
	struct dt_fleet f = { .dof = image(first) };
	struct err err = { 0 };
	int rc;

	f.dif = dt_load_dof(h, f.dof.s, f.dof.len);
	assert_non_null(f.dif);
	rc = dt_fleet_same(&f, theirs.s, theirs.len, &err);
	snprintf(why, sizeof(why), "%s", rc != 0 ? err_text(&err) : "");
	err_clear(&err);
	strbuf_fini(&theirs);
	strbuf_fini(&f.dof);
	dt_close(h);
	dif_prog_destroy(f.dif);
	return rc != 0 ? why : NULL;
}

static void
differs(const char *first, const char *other, const char *what)
{
	const char *why = why_not(first, other);

	if (why == NULL || strstr(why, what) == NULL)
		fail_msg("%s, %s: '%s' has no '%s'", first, other,
		    why != NULL ? why : "", what);
}

static void
values_may_differ(void **state)
{
	(void)state;
	assert_null(why_not("BEGIN { trace(1); @[2] = sum(3); }",
	    "BEGIN { trace(1); @[2] = sum(3); }"));
	assert_null(why_not("BEGIN /uid == 1/ { trace(1); @[2] = sum(3); }",
	    "BEGIN /uid == 7/ { trace(5); @[6] = sum(4); }"));
	assert_null(why_not("BEGIN { printf(\"%s\", \"web1\"); }",
	    "BEGIN { printf(\"%s\", \"a longer name\"); }"));
}

static void
layouts_of_one_size_differ(void **state)
{
	(void)state;
	differs("BEGIN { printf(\"%d\", 1); }", "BEGIN { printf(\"%x\", 1); }",
	    "clause 1");
	differs("BEGIN { trace((int)1); }", "BEGIN { trace((unsigned)1); }",
	    "clause 1");
	differs("BEGIN { @ = sum(1); }", "BEGIN { @ = max(1); }", "1");
	differs("BEGIN { @a = lquantize(1, 0, 10); }",
	    "BEGIN { @a = lquantize(1, 10, 20); }", "1");
	differs("BEGIN { @ = sum(1); }", "BEGIN { @ = sum(1); } END { }",
	    "another program");
}

static void
types_of_printed_values_differ(void **state)
{
	static const char ab[] = "enum e { A, B }; BEGIN { trace((enum e)1); }";
	static const char ba[] = "enum e { B, A }; BEGIN { trace((enum e)1); }";

	(void)state;
	assert_null(
	    why_not(ab, "enum e { A, B }; BEGIN { trace((enum e)0); }"));
	differs(ab, ba, "types of printed values");
}

static void
hostile_programs_are_refused(void **state)
{
	struct dt_hdl *h = dt_open();
	struct dt_fleet f = { .dof = image("BEGIN { trace(1); }") };
	struct err err = { 0 };

	(void)state;
	f.dif = dt_load_dof(h, f.dof.s, f.dof.len);
	assert_int_not_equal(
	    dt_fleet_same(&f, f.dof.s, f.dof.len / 2, &err), 0);
	err_clear(&err);
	strbuf_fini(&f.dof);
	dt_close(h);
	dif_prog_destroy(f.dif);
}

/* The hosts of a merge: by time, and of one time by their numbers. */
static void
the_oldest_host_comes_first(void **state)
{
	static struct merge_host hosts[500];
	struct tape_merge m = { .npending = 0 };
	const struct merge_host *h, *last = NULL;
	uint64_t seed = 1;
	size_t n = 0;

	(void)state;
	for (uint32_t i = 0; i < 500; i++) {
		seed = seed * 6364136223846793005U + 1442695040888963407U;
		hosts[i].number = i;
		merge_queue_put(&m, &hosts[i], (seed >> 33) % 100);
	}
	for (; (h = merge_queue_take(&m, 49)) != NULL; last = h, n++) {
		assert_false(h->is_queued);
		assert_true(h->next_ns <= 49);
		assert_true(last == NULL || last->next_ns < h->next_ns ||
		    (last->next_ns == h->next_ns && last->number < h->number));
	}
	assert_in_range(n, 150, 350);
	assert_int_equal(m.queue.n, 500 - n);
	h = merge_queue_take(&m, UINT64_MAX);
	assert_int_equal(h->next_ns, 50);
	merge_queue_clear(&m);
	assert_null(merge_queue_take(&m, UINT64_MAX));
	VEC_FREE(&m.queue);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_may_differ),
		cmocka_unit_test(layouts_of_one_size_differ),
		cmocka_unit_test(types_of_printed_values_differ),
		cmocka_unit_test(hostile_programs_are_refused),
		cmocka_unit_test(the_oldest_host_comes_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
