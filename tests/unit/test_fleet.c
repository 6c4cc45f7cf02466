/* SPDX-License-Identifier: BSD-2-Clause */
/* A fleet's console reads hosts whose programs print data in one way. */
#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dof/dof.h"
#include "dtrace.h"
#include "libdtrace/fleet.h"
#include "record/write.h"
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

static void
hosts_are_told_by_their_reasons(void **state)
{
	char no[] = "no", never[] = "never", *why[] = { no, never, NULL, no };
	char names[][8] = { "web1", "web2", "web3", "web4", "web5" };
	struct fleet_host hosts[5] = { 0 };
	struct dt_fleet f = { 0 };
	struct dt_hdl h = { .fleet = &f };
	char *text;

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		hosts[i].name = names[i];
		hosts[i].why = i < 4 ? why[i] : NULL;
		hosts[i].state =
		    hosts[i].why != NULL ? FLEET_REFUSED : FLEET_TRYING;
		VEC_PUSH(&f.hosts, &hosts[i]);
	}
	hosts[2].state = FLEET_TRACING;
	text = dt_fleet_hosts_text(&h);
	assert_string_equal(text,
	    "1 of 5 hosts; web5: not yet; web1, web4: refused: no; "
	    "web2: refused: never");
	free(text);
	VEC_FREE(&f.hosts);
}

/* A merge of the program. */
struct merged {
	struct dt_hdl *h;
	struct strbuf dof;
	struct dif_prog *dif;
	struct tape_merge *m;
	struct record_space *space;
};

static struct merged
merge(const char *text)
{
	struct merged s = { .h = dt_open(),
		.dof = image(text),
		.space = record_space_create() };

	s.dif = dt_load_dof(s.h, s.dof.s, s.dof.len);
	dt_need_plan(s.h);
	assert_int_equal(
	    plan_add_program(s.h->plan, s.dif, &s.h->compiled.diags), 0);
	s.m = tape_merge_create(s.h->plan);
	tape_merge_set_until(s.m, UINT64_MAX);
	return s;
}

static void
merged_fini(struct merged *s)
{
	tape_merge_destroy(s->m);
	record_space_destroy(s->space);
	dt_close(s->h);
	dif_prog_destroy(s->dif);
	strbuf_fini(&s->dof);
}

static void
put_tables(const struct merged *s, struct record_writer *w)
{
	const struct plan *pl = s->h->plan;
	struct record_machine machine = { .host = "evil", .ncpus = 1 };

	record_put_machine(w, &machine);
	for (uint32_t i = 0; i < pl->clauses.n; i++) {
		struct record_clause c = { .size = pl->clauses.v[i].size };

		record_put_clause(w, i, &c);
	}
	for (uint32_t i = 0; i < pl->aggs.n; i++) {
		const struct plan_agg *pa = &pl->aggs.v[i];
		struct record_agg a = { .name = pa->agg->name,
			.kind = pa->agg->kind,
			.arg = pa->agg->arg,
			.key_size = pa->key_size,
			.val_size = pa->val_size };

		record_put_agg(w, i + 1, &a);
	}
	record_put_program(w, s->dof.s, s->dof.len);
}

/* Add a host whose run has only an event of this kind so far. */
static int
add_host(struct merged *s, enum record_event_kind kind)
{
	char path[] = "/tmp/test_fleet.XXXXXX";
	struct record_event ev = { .kind = kind };
	struct record_writer *w;
	struct record *r;
	struct err err = { 0 };
	char *bytes;
	off_t len;
	int fd = mkstemp(path), n;

	assert_int_equal(record_create(path, &w, &err), 0);
	put_tables(s, w);
	record_put_event(w, &ev);
	assert_int_equal(record_finish(w, &err), 0);
	len = lseek(fd, 0, SEEK_END);
	lseek(fd, 0, SEEK_SET);
	bytes = mem_read_file(fd, (size_t)len);
	assert_non_null(bytes);
	assert_int_equal(
	    record_open_fed(s->space, bytes, (size_t)len, &r, &err), 0);
	n = tape_merge_add(s->m, r, "evil", &err);
	assert_true(n >= 0);
	free(bytes);
	close(fd);
	unlink(path);
	return n;
}

static int
no_record(const struct dt_record *rec, void *arg)
{
	(void)rec;
	(void)arg;
	fail_msg("a record came");
	return 0;
}

/* What waits is bounded; what is read at once may be more. */
static void
a_host_cannot_send_without_end(void **state)
{
	struct merged s = merge("BEGIN { @ = count(); }");
	const struct dt_exec_ops *ops = tape_merge_ops(s.m);
	size_t len = TAPE_MERGE_UNREAD_MAX / 4;
	char *bytes = mem_alloc(len);
	int runs = add_host(&s, RECORD_DRAINED);
	int stopped = add_host(&s, RECORD_STOPPED);

	(void)state;
	ops->drain(tape_merge_exec(s.m), true, no_record, NULL);
	for (int i = 0; i < 4; i++)
		assert_true(tape_merge_feed(s.m, stopped, bytes, len, 0));
	assert_false(tape_merge_feed(s.m, stopped, bytes, 1, 0));
	for (int i = 0; i < 6; i++) {
		assert_true(tape_merge_feed(s.m, runs, bytes, len, 0));
		ops->drain(tape_merge_exec(s.m), true, no_record, NULL);
	}
	free(bytes);
	merged_fini(&s);
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
		cmocka_unit_test(hosts_are_told_by_their_reasons),
		cmocka_unit_test(the_oldest_host_comes_first),
		cmocka_unit_test(a_host_cannot_send_without_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
