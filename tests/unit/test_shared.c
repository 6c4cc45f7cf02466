/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Traced processes may write wrong data to the memory that they share with
 * dtrace. dtrace uses the plausible part, at a cost in proportion to the real
 * data.  Each test writes one lie.
 */
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "unit.h"

#include "base/mem.h"
#include "fuzz/shared.h"

#define AGGSIZE (4 << 20)
#define MEBIBYTE (1 << 20)
#define HANG_SECONDS 60

enum { NOTHING, BEGIN, TRACE, COUNT, SPECULATE, END }; /* clauses */
static const char program[] =
    "shared*::: { } BEGIN { x[1] = 1; } tick-1h { trace(arg0); }"
    "tick-1h { @[arg0] = count(); } tick-1h { speculate(arg0); trace(1); }"
    "END { x[1]++; printf(\"end %d\\n\", timestamp > 0); }";

struct env {
	struct dt_hdl *h;
	struct pr_exec *x;
	struct consumer *c;
	FILE *out;
	char *text;
	size_t len;
	unsigned notices;
};

static const struct dt_exec_ops *const ops = &dt_exec_process;

static void
hear(void *arg, const char *what)
{
	struct env *e = arg;

	assert_non_null(strstr(what, "shares with dtrace"));
	e->notices++;
}

static int
begin(void **state)
{
	const struct consume_opts opts = { .flowindent = true,
		.temporal = true,
		.specsize = 1024,
		.nspec = SHARED_NSPEC };
	struct env *e = mem_alloc(sizeof(*e));

	e->h = shared_compile(program);
	e->x = shared_load(e->h, DT_BUF_SWITCH, AGGSIZE, hear, e);
	shared_go(e->x);
	e->out = open_memstream(&e->text, &e->len);
	e->c =
	    consumer_create(e->h->plan, ops, &e->x->e, &opts, e->out, e->out);
	alarm(HANG_SECONDS);
	*state = e;
	return 0;
}

static int
end(void **state)
{
	struct env *e = *state;

	alarm(0);
	consumer_destroy(e->c);
	ops->destroy(&e->x->e);
	dt_close(e->h);
	fclose(e->out);
	free(e->text);
	free(e);
	return 0;
}

/* Run dtrace's part until the end.  Returns its messages. */
static const char *
finish(struct env *e)
{
	int status;

	ops->stop(&e->x->e);
	consumer_work(e->c, &status);
	ops->end(&e->x->e);
	consumer_finish(e->c, &status);
	fflush(e->out);
	return e->text;
}

static unsigned
times(const char *text, const char *what)
{
	unsigned n = 0;

	while ((text = strstr(text, what)) != NULL) {
		n++;
		text += strlen(what);
	}
	return n;
}

static void
put_record_of(
    struct env *e, uint32_t thread, int clause, uint64_t value, uint32_t cpu)
{
	const struct plan_clause *pc = &e->h->plan->clauses.v[clause];
	struct exec_buf *buf = exec_buf_at(&e->x->bufs, thread);
	unsigned char *p = buf->data +
	    (buf->head & (exec_bufs_part(&e->x->bufs, thread)->size - 1));
	uint32_t word[2] = { pc->size + EXEC_BUF_WORD, cpu };

	shared_begin_thread(e->x, thread, 1);
	for (size_t i = 0; i < pc->recs.n; i++)
		memcpy(p + pc->recs.v[i].offset, &value, pc->recs.v[i].size);
	memcpy(p + pc->size, word, sizeof(word));
	memcpy(p, &pc->epid_base, sizeof(pc->epid_base));
	buf->head += pc->size + EXEC_BUF_WORD;
}

static void
put_record(struct env *e, int clause, uint64_t value, uint32_t cpu)
{
	put_record_of(e, 1, clause, value, cpu);
}

/* ---- records ------------------------------------------------------------ */

static void
test_right(void **state)
{
	struct env *e = *state;
	const char *said;

	put_record(e, TRACE, 4711, 0);
	put_record(e, TRACE, 4712, 0);
	ops->wait(&e->x->e, 0, -1);
	said = finish(e);
	assert_int_equal(times(said, "471"), 2);
	assert_int_equal(times(said, "end 1"), 1);
	assert_int_equal(e->notices, 0);
}

/* The slot of a thread is used, while those before it are not. */
static void
test_gap(void **state)
{
	struct env *e = *state;

	put_record_of(e, 3, TRACE, 4711, 0);
	assert_int_equal(times(finish(e), "4711"), 1);
	assert_int_equal(e->notices, 0);
}

static void
test_position(void **state)
{
	struct env *e = *state;

	put_record(e, TRACE, 4711, 0);
	exec_buf_at(&e->x->bufs, 1)->head = UINT64_MAX / 4;
	assert_int_equal(times(finish(e), "4711"), 1);
	assert_int_equal(e->notices, 1);
}

static void
test_kind(void **state)
{
	struct env *e = *state;
	uint32_t epid = 0x7fffffff;

	put_record(e, TRACE, 4711, 0);
	memcpy(exec_buf_at(&e->x->bufs, 1)->data, &epid, sizeof(epid));
	assert_int_equal(times(finish(e), "end 1"), 1);
	assert_int_equal(e->notices, 1);
}

/* Tables by CPU have as many rows as the machine has CPUs, whatever the record
 * says. */
static void
test_cpu(void **state)
{
	struct env *e = *state;

	put_record(e, TRACE, 4711, 0xfffffff0);
	assert_int_equal(times(finish(e), "  0 | :tick-1h"), 1);
	assert_int_equal(e->notices, 1);
}

static void
test_speculation(void **state)
{
	struct env *e = *state;

	put_record(e, SPECULATE, 0x1fffffff0, 0);
	assert_int_equal(times(finish(e), "is not valid"), 1);
}

/* ---- aggregations ------------------------------------------------------- */

static off_t
memory(const struct env *e)
{
	struct stat st;

	assert_int_equal(fstat(e->x->data_fd, &st), 0);
	return st.st_blocks * 512;
}

/* Write two entries of a thread, and claim more than there can be. */
static void
put_entries(struct env *e)
{
	const struct pr_agg *ag = &e->x->aggs.v[0];
	struct pr_tab tab = pr_tab(e->x, ag, 1, 0);
	uint64_t *owners = (uint64_t *)(void *)(e->x->base + e->x->conf.owners);

	owners[1] = (uint64_t)getpid() << 32 | (uint32_t)getpid();
	for (uint64_t i = 0; i < 2; i++) {
		uint64_t entry[] = { PR_USED, 0, 4711 + i, 5 };

		assert_int_equal(ag->entry_size, sizeof(entry));
		memcpy(tab.entries + i * ag->entry_size, entry, sizeof(entry));
	}
	tab.t->n = UINT64_MAX;
}

static void
test_entries(void **state)
{
	struct env *e = *state;
	off_t before = memory(e);

	put_entries(e);
	assert_int_equal(times(finish(e), "471"), 2);
	assert_int_equal(e->notices, 1);
	assert_true(memory(e) - before < MEBIBYTE);
}

static int
count_entry(uint32_t agg_id, const void *key, const void *val, void *arg)
{
	(void)agg_id;
	(void)key;
	(void)val;
	++*(unsigned *)arg;
	return 0;
}

static void
test_forgotten(void **state)
{
	struct env *e = *state;
	off_t before = memory(e);
	unsigned first = 0, second = 0, third = 0;

	put_entries(e);
	ops->agg_turn(&e->x->e, 1, count_entry, &first);
	ops->agg_turn(&e->x->e, 1, count_entry, &second);
	ops->agg_turn(&e->x->e, 1, count_entry, &third);
	assert_int_equal(first, 2);
	assert_int_equal(second + third, 0);
	assert_true(memory(e) - before < MEBIBYTE);
}

/* ---- control words ------------------------------------------------------- */

static void
test_gate(void **state)
{
	struct env *e = *state;

	pr_head(e->x)->gate = 0;
	ops->wait(&e->x->e, 0, -1);
	assert_int_equal(e->notices, 1);
}

static void
test_drops(void **state)
{
	struct env *e = *state;

	pr_head(e->x)->nowhere = UINT64_MAX - 3;
	assert_int_equal(ops->drops(&e->x->e, DT_DROP_THREADS, 0), 0);
	pr_head(e->x)->busy = UINT64_MAX - 3;
	assert_int_equal(ops->drops(&e->x->e, DT_DROP_SCRATCH, 0), 0);
	pr_head(e->x)->shallow = UINT64_MAX - 3;
	assert_int_equal(ops->drops(&e->x->e, DT_DROP_STACK, 0), 0);
	assert_int_equal(e->notices, 1);
}

/* A process that does not end holds all locks of associative arrays. */
static void
test_locks(void **state)
{
	struct env *e = *state;
	uint32_t *words = (uint32_t *)(void *)(e->x->base + e->x->conf.dyn);

	for (size_t i = 0; i < e->x->conf.dynvarsize / sizeof(*words); i++)
		words[i] = 1;
	assert_int_equal(times(finish(e), "end 1"), 1);
}

static volatile int is_turning;

static void *
turn(void *arg)
{
	struct pr_head *h = arg;

	while (is_turning)
		__atomic_add_fetch(&h->turn, 2, __ATOMIC_RELAXED);
	return NULL;
}

static void
test_clock(void **state)
{
	struct env *e = *state;
	pthread_t thread;

	is_turning = 1;
	pthread_create(&thread, NULL, turn, pr_head(e->x));
	assert_int_equal(times(finish(e), "end 1"), 1);
	is_turning = 0;
	pthread_join(thread, NULL);
}

/* ---- how to walk stacks ------------------------------------------------- */

#define NPAGES (2 * (PR_NMAPS + 3)) /* every other page is code */

/* Make more mappings of code than a list has room for. */
static void
map_pages(char **pages, size_t size)
{
	*pages = mmap(
	    NULL, NPAGES * size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(*pages, MAP_FAILED);
	for (size_t i = 0; i < NPAGES; i += 2)
		assert_int_equal(
		    mprotect(*pages + i * size, size, PROT_READ | PROT_EXEC),
		    0);
}

/* Report that a walk met an unknown mapping. */
static void
look_again(struct pr_exec *x)
{
	pr_head(x)->lost = 1;
	while (pr_head(x)->lost)
		ops->wait(&x->e, 1000000, -1);
}

/* An element without room is counted once. */
static void
test_tables(void **state)
{
	size_t size = (size_t)getpagesize();
	struct dt_hdl *h =
	    shared_compile("shared*::: { ustack(); } BEGIN { ustack(); }");
	struct pr_exec *x =
	    shared_load(h, DT_BUF_SWITCH, AGGSIZE, hear, *state);
	uint64_t tables, code;
	char *pages;

	x->conf.nrows = 16;
	shared_go(x);
	tables = ops->drops(&x->e, DT_DROP_UNWIND, 0);
	assert_in_range(tables, 2, 1000); /* libc, this program, ... */
	map_pages(&pages, size);
	look_again(x);
	code = ops->drops(&x->e, DT_DROP_UNWIND, 0) - tables;
	assert_in_range(code, 3, 1000);
	look_again(x);
	assert_int_equal(ops->drops(&x->e, DT_DROP_UNWIND, 0), tables + code);
	munmap(pages, NPAGES * size);
	ops->destroy(&x->e);
	dt_close(h);
}

int
main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(test_right),
		TEST(test_gap),
		TEST(test_position),
		TEST(test_kind),
		TEST(test_cpu),
		TEST(test_speculation),
		TEST(test_entries),
		TEST(test_forgotten),
		TEST(test_gate),
		TEST(test_drops),
		TEST(test_locks),
		TEST(test_clock),
		TEST(test_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
