/* SPDX-License-Identifier: BSD-2-Clause */
/* A fleet's console reads hosts whose programs print data in one way. */
#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dof/dof.h"
#include "dtrace.h"
#include "fleet/account.h"
#include "libdtrace/fleet.h"
#include "libdtrace/merging.h"
#include "record/format.h"
#include "record/write.h"
#include "tape/merge_impl.h"

/* The program that a host sends. */
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
	struct fleet_program f = { .dof = image(first) };
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
	struct fleet_program f = { .dof = image("BEGIN { trace(1); }") };
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

/* The bytes of a recording with these events. */
static struct strbuf
recording(const struct merged *s, const struct record_event *ev, size_t n)
{
	char path[] = "/tmp/test_fleet.XXXXXX";
	struct strbuf sb = { 0 };
	struct record_writer *w;
	struct err err = { 0 };
	char *bytes;
	off_t len;
	int fd = mkstemp(path);

	assert_int_equal(record_create(path, &w, &err), 0);
	put_tables(s, w);
	for (size_t i = 0; i < n; i++) {
		record_put_event(w, &ev[i]);
		/* the first event has a block of its own */
		if (i == 0)
			record_flush(w);
	}
	assert_int_equal(record_finish(w, &err), 0);
	len = lseek(fd, 0, SEEK_END);
	lseek(fd, 0, SEEK_SET);
	bytes = mem_read_file(fd, (size_t)len);
	assert_non_null(bytes);
	strbuf_add(&sb, bytes, (size_t)len);
	free(bytes);
	close(fd);
	unlink(path);
	return sb;
}

/* Add a host whose run has only an event of this kind so far. */
static int
add_host(struct merged *s, enum record_event_kind kind)
{
	struct record_event ev = { .kind = kind };
	struct strbuf bytes = recording(s, &ev, 1);
	struct record *r;
	struct err err = { 0 };
	int n;

	assert_int_equal(
	    record_open_fed(s->space, bytes.s, bytes.len, &r, &err), 0);
	n = tape_merge_add(s->m, r, "evil", &err);
	assert_true(n >= 0);
	strbuf_fini(&bytes);
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

/* Blocks that wait are bounded; blocks that are read at once may be more. */
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

/* ---- mergers ------------------------------------------------------------- */

#define NKEYS 1000U

/* A whole recording in which a host has the value for each of `n` keys. */
static struct strbuf
run_of(const struct merged *s, uint64_t first, size_t n, uint64_t value)
{
	const struct plan_agg *pa = &s->h->plan->aggs.v[0];
	uint64_t(*keys)[4] = mem_alloc(n * sizeof(*keys));
	struct record_event *ev = mem_alloc((n + 4) * sizeof(*ev));
	struct strbuf bytes;

	assert_in_range(pa->key_size, 1, sizeof(keys[0]));
	ev[0] = (struct record_event){ .kind = RECORD_DRAINED };
	ev[1] = (struct record_event){
		.kind = RECORD_AGG_BEGIN, .agg = 1, .is_turn = true
	};
	for (size_t i = 0; i < n; i++) {
		uint64_t key = first + i;

		memcpy((char *)keys[i] + pa->keys.v[0].offset, &key,
		    pa->keys.v[0].size);
		ev[i + 2] = (struct record_event){ .kind = RECORD_AGG_ENTRY,
			.agg = 1,
			.data = (const char *)keys[i],
			.size = pa->key_size,
			.val = &value,
			.val_size = pa->val_size };
	}
	ev[n + 2] = (struct record_event){ .kind = RECORD_AGG_END, .agg = 1 };
	ev[n + 3] = (struct record_event){ .kind = RECORD_END };
	bytes = recording(s, ev, n + 4);
	free(keys);
	free(ev);
	return bytes;
}

static struct strbuf
run_of_keys(const struct merged *s, uint64_t first, uint64_t value)
{
	return run_of(s, first, NKEYS, value);
}

struct total {
	uint64_t nkeys, sum, most;
};

static int
add_value(uint32_t id, const void *key, const void *val, void *arg)
{
	struct total *t = arg;
	uint64_t v;

	(void)id;
	(void)key;
	memcpy(&v, val, sizeof(v));
	t->nkeys++;
	t->sum += v;
	t->most = v > t->most ? v : t->most;
	return 0;
}

/* Read a merger's blocks as a console does; *host is -1 before the first. */
static struct total
read_merged(struct merged *s, int *host, const struct strbuf *blocks)
{
	const struct dt_exec_ops *ops = tape_merge_ops(s->m);
	struct dt_exec *x = tape_merge_exec(s->m);
	struct total t = { 0 };
	struct err err = { 0 };
	struct record *r;

	if (*host < 0) {
		assert_int_equal(
		    record_open_fed(s->space, blocks->s, blocks->len, &r, &err),
		    0);
		*host = tape_merge_add(s->m, r, "merger", &err);
		assert_true(*host >= 0);
	} else {
		assert_true(tape_merge_feed(
		    s->m, *host, blocks->s, blocks->len, UINT64_MAX));
	}
	ops->drain(x, true, no_record, NULL);
	while (tape_merge_pending(s->m) != 0)
		ops->agg_turn(x, tape_merge_pending(s->m), add_value, &t);
	assert_null(tape_merge_damage(s->m, *host));
	return t;
}

static void
a_merger_gives_each_value_once(void **state)
{
	struct merged s = merge("BEGIN { @[pid] = count(); }");
	struct dt_merging *m = dt_merging_open("m1", (size_t)1 << 20);
	struct strbuf one = run_of_keys(&s, 0, 3);
	struct strbuf two = run_of_keys(&s, NKEYS / 2, 4), out = { 0 };
	struct err err = { 0 };
	struct total t;
	int host = -1;

	(void)state;
	assert_int_equal(dt_merging_add(m, "a", one.s, one.len, &err), 0);
	assert_int_equal(dt_merging_add(m, "b", two.s, two.len, &err), 1);
	assert_int_equal(dt_merging_give(m, &out), 0);
	assert_true(dt_merging_has_ended(m, 0));
	assert_int_equal(dt_merging_damage(m, 0), 0);
	t = read_merged(&s, &host, &out);
	assert_int_equal(t.nkeys, NKEYS + NKEYS / 2);
	assert_int_equal(t.sum, 7 * NKEYS);
	assert_int_equal(t.most, 7);
	/* there is nothing new, and then there is */
	strbuf_reset(&out);
	assert_int_equal(dt_merging_give(m, &out), 0);
	assert_int_equal(out.len, 0);
	assert_int_equal(dt_merging_add(m, "c", one.s, one.len, &err), 2);
	assert_int_equal(dt_merging_give(m, &out), 0);
	t = read_merged(&s, &host, &out);
	assert_int_equal(t.nkeys, NKEYS);
	assert_int_equal(t.sum, 3 * NKEYS);
	strbuf_fini(&out);
	strbuf_fini(&one);
	strbuf_fini(&two);
	dt_merging_close(m);
	merged_fini(&s);
}

static void
a_merger_has_bounds(void **state)
{
	struct merged s = merge("BEGIN { @[pid] = count(); }");
	struct dt_merging *m = dt_merging_open("m1", 3 * NKEYS * 16 / 2);
	struct strbuf one = run_of_keys(&s, 0, 1);
	struct strbuf two = run_of_keys(&s, NKEYS, 1), out = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(dt_merging_add(m, "a", one.s, one.len, &err), 0);
	assert_int_equal(dt_merging_take(m), 0);
	assert_int_equal(dt_merging_add(m, "b", two.s, two.len, &err), 1);
	assert_int_equal(dt_merging_take(m), -E2BIG);
	assert_int_equal(dt_merging_give(m, &out), -E2BIG);
	dt_merging_close(m);
	strbuf_fini(&one);
	strbuf_fini(&two);
	strbuf_fini(&out);
	merged_fini(&s);
}

/* A merger refuses hosts that it cannot merge, and merges those that follow. */
static void
a_merger_takes_no_records(void **state)
{
	struct merged s = merge("BEGIN { @[pid] = count(); }");
	struct merged printing = merge("BEGIN { trace(1); }");
	struct merged other = merge("BEGIN { @[tid] = sum(1); }");
	struct dt_merging *m = dt_merging_open("m1", (size_t)1 << 20);
	struct record_event ev = { .kind = RECORD_DRAINED };
	struct strbuf bad = recording(&printing, &ev, 1);
	struct strbuf good = recording(&s, &ev, 1);
	struct strbuf others = recording(&other, &ev, 1);
	struct err err = { 0 };

	(void)state;
	assert_int_equal(dt_merging_add(m, "a", bad.s, bad.len, &err), -EINVAL);
	assert_non_null(strstr(err_text(&err), "makes records"));
	err_clear(&err);
	assert_int_equal(dt_merging_add(m, "b", good.s, good.len, &err), 0);
	assert_true(dt_merging_add(m, "c", others.s, others.len, &err) < 0);
	err_clear(&err);
	assert_true(dt_merging_add(m, "d", good.s, 100, &err) < 0);
	err_clear(&err);
	dt_merging_close(m);
	strbuf_fini(&bad);
	strbuf_fini(&good);
	strbuf_fini(&others);
	merged_fini(&s);
	merged_fini(&printing);
	merged_fini(&other);
}

/* ---- mergers, as the console knows them ---------------------------------- */

#define RUN "00112233445566778899aabbccddeeff"
#define WEB1 "dtrace.from.web1." RUN

/* A console that names m1, and has heard web1. */
struct console {
	struct dt_hdl *h;
	struct dt_fleet f;
};

static void
hear(struct console *c, const char *subject, const struct fl_msg *msg)
{
	struct strbuf sb = { 0 };
	struct fl_letter letter = { .subject = subject };

	fl_msg_encode(msg, &sb);
	letter.data = sb.s;
	letter.len = sb.len;
	assert_int_equal(fl_subject_is_merged(subject) ?
		dt_fleet_take_merged(c->h, &letter) :
		dt_fleet_take_letter(c->h, &letter),
	    0);
	strbuf_fini(&sb);
}

static void
hear_bytes(struct console *c, const char *subject, enum fl_kind kind,
    uint64_t number, const char *bytes, size_t n)
{
	const struct fl_msg msg = { .kind = kind,
		.number = number,
		.value = FL_PART_VALUE(n, 0),
		.data = bytes,
		.len = n };

	hear(c, subject, &msg);
}

/* Accounts of web1, the merger's message of that number. */
static void
hear_accounts(
    struct console *c, uint64_t nparts, uint64_t number, uint64_t next)
{
	const struct fl_account a = { .host = "web1", .next = next };
	struct strbuf sb = { 0 };
	struct fl_msg msg = {
		.kind = FL_MERGED, .number = nparts, .value = number << 1
	};

	fl_account_add(&sb, &a);
	msg.data = sb.s;
	msg.len = sb.len;
	hear(c, "dtrace.from.m1." RUN ".merged", &msg);
	strbuf_fini(&sb);
}

static struct console *
console_open(void)
{
	struct console *c = mem_alloc(sizeof(*c));

	c->h = dt_open();
	c->h->fleet = &c->f;
	c->f.space = record_space_create();
	VEC_PUSH(&c->f.conf.mergers, mem_strdup("m1"));
	dt_fleet_name_mergers(c->h);
	hear(c, WEB1, &(struct fl_msg){ .kind = FL_TRYING });
	assert_int_equal(c->f.hosts.n, 1);
	return c;
}

static void
console_close(struct console *c)
{
	VEC_FOREACH(&c->f.hosts, fh)
		dt_fleet_free_host(*fh);
	VEC_FREE(&c->f.hosts);
	idmap_fini(&c->f.named);
	dt_fleet_free_mergers(&c->f);
	fl_conf_fini(&c->f.conf);
	tape_merge_destroy(c->f.merge);
	record_space_destroy(c->f.space);
	dt_fleet_program_fini(&c->f.program);
	c->h->fleet = NULL;
	dt_close(c->h);
	free(c);
}

/* The values that the console has got since the last call. */
static struct total
counted(struct console *c)
{
	struct total t = { 0 };
	struct tape_merge *m = c->f.merge;

	if (m == NULL)
		return t;
	tape_merge_set_until(m, UINT64_MAX);
	tape_merge_ops(m)->drain(tape_merge_exec(m), true, no_record, NULL);
	while (tape_merge_pending(m) != 0)
		tape_merge_ops(m)->agg_turn(
		    tape_merge_exec(m), tape_merge_pending(m), add_value, &t);
	return t;
}

/* Bytes of a recording before its first events. */
static size_t
tables_of(const struct strbuf *recording)
{
	size_t n = 0;

	while (!record_has_start(recording->s, n))
		assert_true(++n < recording->len);
	return n - sizeof(struct record_bhdr);
}

/* Bytes of the block there. */
static size_t
block_size(const char *at)
{
	struct record_bhdr h;

	memcpy(&h, at, sizeof(h));
	return sizeof(h) + h.stored;
}

/* A merger waits for all blocks of a turn; a block ends after 1 MiB. */
static void
a_turn_of_several_blocks_is_merged(void **state)
{
	const size_t nkeys = 50000;
	struct merged s = merge("BEGIN { @[pid] = count(); }");
	struct dt_merging *m = dt_merging_open("m1", (size_t)64 << 20);
	struct strbuf run = run_of(&s, 0, nkeys, 3), out = { 0 };
	size_t at = tables_of(&run), nblocks = 0, size;
	struct err err = { 0 };
	struct total t;
	int host = -1;

	(void)state;
	at += block_size(run.s + at);
	assert_int_equal(dt_merging_add(m, "a", run.s, at, &err), 0);
	for (; at < run.len; at += size, nblocks++) {
		size = block_size(run.s + at);
		assert_true(dt_merging_feed(m, 0, run.s + at, size));
		assert_int_equal(dt_merging_take(m), 0);
	}
	assert_in_range(nblocks, 3, 100);
	assert_int_equal(dt_merging_give(m, &out), 0);
	t = read_merged(&s, &host, &out);
	assert_int_equal(t.nkeys, nkeys);
	assert_int_equal(t.sum, 3 * nkeys);
	strbuf_fini(&out);
	strbuf_fini(&run);
	dt_merging_close(m);
	merged_fini(&s);
}

#define MERGED "dtrace.from.m1." RUN ".merged"

/*
 * The merger has all of web1's first parts, and dies within its second turn:
 * the console counts the first turn, and gets the rest from web1.
 */
static void
mergers_count_with_their_accounts(void **state)
{
	struct merged s = merge("BEGIN { @[pid] = count(); }");
	struct dt_merging *m = dt_merging_open("m1", (size_t)1 << 20);
	struct strbuf first = run_of_keys(&s, 0, 3), out = { 0 };
	struct strbuf second = run_of_keys(&s, 0, 5);
	struct console *c = console_open();
	const struct fleet_host *web1 = c->f.hosts.v[0];
	size_t tables = tables_of(&second);
	/* the host's first event is in what was merged */
	size_t rest = tables + block_size(second.s + tables);
	struct err err = { 0 };

	(void)state;
	assert_int_equal(
	    dt_merging_add(m, "web1", first.s, first.len, &err), 0);
	assert_int_equal(dt_merging_give(m, &out), 0);
	hear_bytes(c, MERGED, FL_PART, 0, out.s, out.len);
	assert_null(c->f.merge);
	hear_accounts(c, 1, 0, 7);
	assert_int_equal(counted(c).sum, 3 * NKEYS);
	assert_int_equal(web1->merged, 7);
	assert_ptr_equal(web1->via, c->f.mergers.v[0]);
	/* blocks whose accounts are not the next do not count */
	strbuf_reset(&out);
	assert_int_equal(
	    dt_merging_add(m, "web2", second.s, second.len, &err), 1);
	assert_int_equal(dt_merging_give(m, &out), 0);
	hear_bytes(c, MERGED, FL_PART, 1, out.s, out.len);
	assert_int_equal(counted(c).nkeys, 0);
	hear_accounts(c, 2, 2, 9);
	assert_true(c->f.mergers.v[0]->is_lost);
	assert_int_equal(counted(c).nkeys, 0);
	assert_int_equal(web1->merged, 7);
	assert_true(web1->is_left);
	/* what web1 sends counts from part 7 on, behind its tables */
	hear_bytes(c, WEB1, FL_PART, 7, second.s + rest, second.len - rest);
	assert_int_equal(counted(c).nkeys, 0);
	hear_bytes(c, WEB1, FL_START, 0, second.s, tables);
	assert_true(web1->number >= 0);
	for (uint64_t part = 6; part <= 7; part++)
		hear_bytes(
		    c, WEB1, FL_PART, part, second.s + rest, second.len - rest);
	assert_int_equal(counted(c).sum, 5 * NKEYS);
	assert_int_equal(web1->stream.nlost, 0);
	assert_null(tape_merge_damage(c->f.merge, web1->number));
	console_close(c);
	dt_merging_close(m);
	strbuf_fini(&first);
	strbuf_fini(&second);
	strbuf_fini(&out);
	merged_fini(&s);
}

static void
accounts_are_bounded(void **state)
{
	struct fl_account a = {
		.host = "web1", .next = 7, .lost = 2, .flags = FL_ACCOUNT_LEFT
	};
	struct strbuf sb = { 0 };
	struct fl_account got;
	size_t at = 0;

	(void)state;
	fl_account_add(&sb, &a);
	memset(a.host, 'x', FL_HOST_MAX);
	fl_account_add(&sb, &a);
	assert_true(fl_account_next(sb.s, sb.len, &at, &got));
	assert_string_equal(got.host, "web1");
	assert_int_equal(got.next, 7);
	assert_int_equal(got.lost, 2);
	assert_int_equal(got.flags, FL_ACCOUNT_LEFT);
	assert_true(fl_account_next(sb.s, sb.len, &at, &got));
	assert_string_equal(got.host, a.host);
	assert_false(fl_account_next(sb.s, sb.len, &at, &got));
	for (size_t n = 0; n < 24; n++) {
		at = 0;
		assert_false(fl_account_next(sb.s, n, &at, &got));
	}
	/* a name of no bytes, and one that is too long */
	at = 0;
	memset(sb.s + 18, 0, 2);
	assert_false(fl_account_next(sb.s, sb.len, &at, &got));
	sb.s[19] = 1;
	assert_false(fl_account_next(sb.s, sb.len, &at, &got));
	strbuf_fini(&sb);
}

static void
subjects_of_mergers_are_told_apart(void **state)
{
	char *to = fl_subject_to("web.1", RUN, "m 1"), run[FL_RUN_TEXT] = "";
	char *merged = fl_subject_merged("m1", RUN);
	char *all = fl_subject_to_all("m 1"), *host = fl_subject_host(to);

	(void)state;
	assert_string_equal(to, "dtrace.from.web=2e1." RUN ".to.m=201");
	assert_string_equal(all, "dtrace.from.*.*.to.m=201");
	assert_true(fl_subject_is_to(to, run));
	assert_string_equal(run, RUN);
	assert_string_equal(host, "web.1");
	assert_false(fl_subject_is_merged(to));
	assert_true(fl_subject_is_merged(merged));
	assert_false(fl_subject_is_to(merged, run));
	assert_false(fl_subject_is_merged("dtrace.from.m1." RUN));
	assert_false(fl_subject_is_to("dtrace.from.web1.here.to.m1", run));
	free(to);
	free(merged);
	free(all);
	free(host);
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
		cmocka_unit_test(a_merger_gives_each_value_once),
		cmocka_unit_test(a_merger_has_bounds),
		cmocka_unit_test(a_merger_takes_no_records),
		cmocka_unit_test(a_turn_of_several_blocks_is_merged),
		cmocka_unit_test(mergers_count_with_their_accounts),
		cmocka_unit_test(accounts_are_bounded),
		cmocka_unit_test(subjects_of_mergers_are_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
