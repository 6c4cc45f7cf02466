/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hosts' recordings become one.
 *
 * The recorder stands over a substrate that is this file's: its aggregations
 * are the tables into which the values of all hosts were merged, by the code
 * that merges CPUs.  Giving them empties the tables: what is sent are deltas,
 * as a host's are.
 *
 * Faults of hosts' probes go through as they come, in this machine's clock.  A
 * host's other records are not for a merger: its script has none.
 *
 * The recorder writes into a file in memory, which is read and emptied at each
 * turn.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "consume/aggtable.h"
#include "consume/consume.h"
#include "record/format.h"
#include "tape/merge_impl.h"

#define CHUNK ((size_t)256 << 10)

struct tape_fold {
	struct dt_exec x; /* the recorder's: begins the struct */
	struct dt_exec_ops ops;
	struct plan *pl;
	struct tape_merge *m;
	struct agg_table *tables; /* [pl->aggs.n] */
	struct consume_run about;
	struct tape_recorder *recorder;
	int fd;		     /* the file that the recorder writes */
	uint64_t at;	     /* bytes of it that were read */
	size_t max;	     /* bytes of keys and values, strings and probes */
	size_t nstrs, nlate; /* the plan's, that are counted in tables_size */
	size_t tables_size;
	int error; /* values are missing */
	dt_record_f *on_record;
	void *arg;
};

static struct tape_fold *
fold_of(struct dt_exec *x)
{
	return (struct tape_fold *)x;
}

/* ---- bounds -------------------------------------------------------------- */

static size_t
size_of_probe(const struct dt_probe *p)
{
	return sizeof(*p) + strlen(p->prov) + strlen(p->mod) + strlen(p->func) +
	    strlen(p->name);
}

/* The recording's tables grow by what hosts send. */
static size_t
size_of_tables(struct tape_fold *f)
{
	const struct plan *pl = f->pl;

	for (; f->nstrs < pl->strs->strs.n; f->nstrs++)
		f->tables_size +=
		    strlen(strtab_str(pl->strs, (uint32_t)f->nstrs + 1)) +
		    sizeof(struct record_item);
	for (; f->nlate < pl->late.n; f->nlate++)
		f->tables_size += size_of_probe(pl->late.v[f->nlate].probe);
	return f->tables_size;
}

/* 0, -E2BIG or -EFBIG: tape_fold_take(). */
CHECKED static int
check_size(struct tape_fold *f)
{
	size_t size = size_of_tables(f);

	if (size > RECORD_FED_TABLES_MAX / 2)
		return -EFBIG;
	for (size_t i = 0; i < f->pl->aggs.n; i++)
		size += f->tables[i].n *
		    (f->tables[i].key_size + f->tables[i].val_size);
	return size > f->max ? -E2BIG : 0;
}

/* ---- the substrate ------------------------------------------------------- */

static int
take_value(uint32_t id, const void *key, const void *val, void *arg)
{
	struct tape_fold *f = arg;

	return agg_table_merge(
	    &f->tables[id - 1], (const char *)key + PLAN_KEYHDR, val);
}

/* Merge the values that wait into the tables. */
static int
fold_pending(struct tape_fold *f)
{
	uint32_t id;
	int rc = 0;

	while (rc == 0 && (id = tape_merge_pending(f->m)) != 0) {
		rc = merge_turn(&f->m->x, id, take_value, f);
		agg_table_settle(&f->tables[id - 1]);
	}
	return rc == 0 ? check_size(f) : rc;
}

/* Records have the clock and the CPUs of their host. */
static int
pass_fault(const struct dt_record *rec, void *arg)
{
	struct tape_fold *f = arg;
	const struct consume_book *book = tape_merge_book(f->m);
	struct dt_record ours = *rec;

	if (rec->epid != 0)
		return 0;
	ours.cpu = 0;
	ours.time_ns += book->wall_offset(book->arg) - wall_offset_ns();
	return f->on_record(&ours, f->arg);
}

static int
drain(struct dt_exec *x, bool merged, dt_record_f *fn, void *arg)
{
	struct tape_fold *f = fold_of(x);
	bool is_all;

	f->on_record = fn;
	f->arg = arg;
	do {
		int rc = f->m->ops.drain(&f->m->x, merged, pass_fault, f);

		if (f->error == 0)
			f->error = rc;
		/* a full turn's values may have others behind them */
		is_all = tape_merge_pending(f->m) == 0;
		if (f->error == 0)
			f->error = fold_pending(f);
	} while (!is_all && f->error == 0);
	return f->error;
}

static int
give(struct dt_exec *x, uint32_t id, dt_aggent_f *fn, void *arg)
{
	struct tape_fold *f = fold_of(x);
	struct agg_table *t = &f->tables[id - 1];
	uint32_t key_size = f->pl->aggs.v[id - 1].key_size;
	uint64_t *key = mem_alloc(key_size);
	int rc = 0;

	for (uint32_t i = 0; i < t->n && rc == 0; i++) {
		memcpy(
		    (char *)key + PLAN_KEYHDR, agg_ent_key(t, i), t->key_size);
		rc = fn(id, key, agg_ent_val(t, i), arg);
	}
	free(key);
	agg_table_reset(t);
	return rc;
}

static uint64_t
no_drops(struct dt_exec *x, enum dt_drop kind, uint32_t cpu)
{
	(void)x;
	(void)kind;
	(void)cpu;
	return 0; /* each host's dtrace tells of its own */
}

/* ---- the recording ------------------------------------------------------- */

static int
ignore(const struct dt_record *rec, void *arg)
{
	(void)rec;
	(void)arg;
	return 0;
}

/* The file takes no more: what it lacks is in no block. */
static void
fail(void *arg, const char *text)
{
	struct tape_fold *f = arg;

	(void)text;
	f->error = -EIO;
}

int
tape_fold_take(struct tape_fold *f)
{
	const struct dt_exec_ops *ops = tape_recorder_ops(f->recorder);

	(void)ops->drain(tape_recorder_exec(f->recorder), true, ignore, NULL);
	return f->error;
}

CHECKED static int
read_file(struct tape_fold *f, struct strbuf *out)
{
	ssize_t n;

	while ((n = pread(
		    f->fd, strbuf_room(out, CHUNK), CHUNK, (off_t)f->at)) > 0) {
		out->len += (size_t)n;
		f->at += (uint64_t)n;
	}
	if (n < 0 ||
	    fallocate(f->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
		(off_t)f->at) != 0)
		return -errno;
	return 0;
}

int
tape_fold_give(struct tape_fold *f, struct strbuf *out)
{
	const struct dt_exec_ops *ops = tape_recorder_ops(f->recorder);
	struct dt_exec *x = tape_recorder_exec(f->recorder);

	for (uint32_t i = 0; i < f->pl->aggs.n; i++) {
		if (f->tables[i].n != 0)
			ops->agg_turn(x, i + 1, NULL, NULL);
	}
	tape_recorder_sync(f->recorder);
	return f->error != 0 ? f->error : read_file(f, out);
}

/* ---- life ---------------------------------------------------------------- */

CHECKED static int
record(struct tape_fold *f, const struct tape_fold_opts *opts, struct err *err)
{
	struct tape_run run = { .pl = f->pl,
		.ops = &f->ops,
		.x = &f->x,
		.dof = opts->dof,
		.dof_len = opts->dof_len,
		.about = &f->about,
		.command = "",
		.is_fleet = true,
		.is_asked = true,
		.target = -1,
		.notice = fail,
		.notice_arg = f };
	char path[64];

	f->about = (struct consume_run){ .product = opts->product,
		.host = opts->name,
		.kernel = opts->kernel,
		.start_ns = now_ns(),
		.wall_ns = clock_read_ns(CLOCK_REALTIME) };
	f->fd = memfd_create("fold", MFD_CLOEXEC);
	if (f->fd < 0)
		return err_set(
		    err, -errno, "there is no memory: %s", strerror(errno));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", f->fd);
	return tape_record(path, &run, &f->recorder, err);
}

int
tape_fold_create(
    const struct tape_fold_opts *opts, struct tape_fold **outp, struct err *err)
{
	struct tape_fold *f = mem_alloc(sizeof(*f));
	int rc;

	f->pl = opts->pl;
	f->m = opts->m;
	f->max = opts->max;
	f->x = (struct dt_exec){ .ops = &f->ops, .ncpus = 1 };
	f->ops = (struct dt_exec_ops){ .name = "fold",
		.drain = drain,
		.agg_walk = give,
		.agg_turn = give,
		.drops = no_drops };
	f->tables = mem_alloc((f->pl->aggs.n + 1) * sizeof(*f->tables));
	for (size_t i = 0; i < f->pl->aggs.n; i++) {
		const struct plan_agg *pa = &f->pl->aggs.v[i];

		f->tables[i].key_size = pa->key_size - PLAN_KEYHDR;
		f->tables[i].val_size = pa->val_size;
		f->tables[i].kind = pa->agg->kind;
	}
	/* nothing waits for others: there are no records to be put in order */
	tape_merge_finish(f->m);
	rc = record(f, opts, err);
	if (rc != 0) {
		tape_fold_destroy(f);
		return rc;
	}
	*outp = f;
	return 0;
}

void
tape_fold_destroy(struct tape_fold *f)
{
	if (f == NULL)
		return;
	tape_recorder_destroy(f->recorder);
	if (f->fd >= 0)
		close(f->fd);
	for (size_t i = 0; i < f->pl->aggs.n; i++)
		agg_table_fini(&f->tables[i]);
	free(f->tables);
	free(f);
}
