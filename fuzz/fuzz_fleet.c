/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hosts send a console any bytes: as messages, as parts of blocks, and as
 * recordings that the console merges while they are made.
 *
 * The first byte chooses: 0: the rest are messages, each with two bytes of its
 * length before it; else the rest is a recording, which two hosts send.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/account.h"
#include "fleet/message.h"
#include "fleet/probes.h"
#include "fleet/subject.h"
#include "libdtrace/dt_impl.h"
#include "libdtrace/merging.h"
#include "sum.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A sum of all that was read: the compiler must not leave reads out. */
static volatile size_t used;

/* ---- messages ------------------------------------------------------------ */

static void
read_probes(const char *bytes, size_t len)
{
	const char *probe, *parts[FL_PROBE_PARTS];
	size_t at = 0, n;

	while (
	    at < len && (probe = fl_probes_next(bytes, len, &at, &n)) != NULL) {
		struct strbuf again = { 0 };

		fl_probes_split(probe, parts);
		if (!fl_probes_add(&again, parts) || again.len != n ||
		    memcmp(again.s, probe, n) != 0)
			abort();
		strbuf_fini(&again);
	}
}

static void
read_accounts(const char *bytes, size_t len)
{
	struct fl_account a;
	size_t at = 0, last = 0;

	while (fl_account_next(bytes, len, &at, &a)) {
		struct strbuf again = { 0 };

		fl_account_add(&again, &a);
		if (again.len != at - last ||
		    memcmp(again.s, bytes + last, again.len) != 0)
			abort();
		last = at;
		strbuf_fini(&again);
	}
}

static void
use_message(struct fl_stream *s, const struct fl_msg *msg)
{
	struct strbuf again = { 0 };
	struct fl_msg same;
	char *text = fl_msg_text(msg);

	fl_msg_encode(msg, &again);
	if (!fl_msg_decode(again.s, again.len, &same) ||
	    same.kind != msg->kind || same.len != msg->len)
		abort();
	if (msg->kind == FL_PART && fl_stream_add(s, msg))
		read_probes(s->block.s, s->block.len);
	read_accounts(msg->data, msg->len);
	if (msg->kind == FL_ALIVE)
		fl_stream_sent(s, msg->number);
	if (s->block.len > FL_BLOCK_MAX)
		abort();
	used = strlen(text);
	free(text);
	strbuf_fini(&again);
}

static void
read_messages(const uint8_t *data, size_t size)
{
	struct fl_stream s = { 0 };

	while (size >= 2) {
		size_t n = (size_t)data[0] | (size_t)data[1] << 8;
		struct fl_msg msg;

		data += 2;
		size -= 2;
		n = n < size ? n : size;
		if (fl_msg_decode(data, n, &msg))
			use_message(&s, &msg);
		data += n;
		size -= n;
	}
	fl_stream_fini(&s);
}

static void
read_subject(const uint8_t *data, size_t size)
{
	char *text = mem_strndup((const char *)data, size), *again;
	char *subject = mem_printf("dtrace.from.%s", text), run[FL_RUN_TEXT];
	char *host = fl_subject_host(subject);

	/* there is one subject of a host */
	again = host != NULL ? fl_subject_from(host, "") : NULL;
	if (again != NULL && strncmp(subject, again, strlen(again)) != 0)
		abort();
	used = fl_subject_is_run(text) != NULL;
	if (fl_subject_is_to(subject, run) && fl_subject_is_merged(subject))
		abort();
	free(again);
	free(host);
	free(subject);
	free(text);
}

/* ---- recordings ---------------------------------------------------------- */

static int
use_record(const struct dt_record *rec, void *arg)
{
	struct dt_hdl *h = arg;

	used = sum(rec->data, rec->data != NULL ? rec->size : 0);
	if (rec->epid > h->plan->nepids)
		abort();
	return 0;
}

static int
use_entry(uint32_t id, const void *key, const void *val, void *arg)
{
	const struct dt_hdl *h = arg;
	const struct plan_agg *pa = &h->plan->aggs.v[id - 1];

	used = sum(key, pa->key_size) + sum(val, pa->val_size);
	return 0;
}

static void
drain(struct dt_hdl *h, struct tape_merge *m)
{
	const struct dt_exec_ops *ops = tape_merge_ops(m);
	struct dt_exec *x = tape_merge_exec(m);
	uint32_t id;

	do {
		if (ops->drain(x, true, use_record, h) != 0)
			abort();
		while ((id = tape_merge_pending(m)) != 0)
			if (ops->agg_walk(x, id, use_entry, h) != 0 ||
			    ops->agg_turn(x, id, use_entry, h) != 0)
				abort();
	} while (tape_merge_pending(m) != 0);
}

static void
add_host(struct tape_merge *m, struct record_space *space, const char *name,
    const uint8_t *data, size_t size)
{
	struct err err = { 0 };
	struct record *r;
	int n;

	if (record_open_fed(space, data, size, &r, &err) == 0) {
		n = tape_merge_add(m, r, name, &err);
		/* once more: it is read as damage, or again */
		if (n >= 0 && !tape_merge_feed(m, n, data, size, UINT64_MAX))
			abort();
		while (n >= 0 && tape_merge_damage(m, n) != NULL)
			;
	}
	err_clear(&err);
}

static void
merge(struct dt_hdl *h, struct record_space *space, const uint8_t *data,
    size_t size)
{
	struct tape_merge *m = tape_merge_create(h->plan);

	add_host(m, space, "one", data, size);
	tape_merge_set_until(m, UINT64_MAX);
	add_host(m, space, "two", data, size);
	drain(h, m);
	tape_merge_finish(m);
	drain(h, m);
	tape_merge_destroy(m);
}

/* The merger's output must be a recording without damage. */
static void
read_merged(struct record_space *space, const struct strbuf *out)
{
	struct record_event ev;
	struct err err = { 0 };
	struct record *r;

	if (out->len == 0)
		return;
	if (record_open_fed(space, out->s, out->len, &r, &err) != 0)
		abort();
	while (record_next(r, &ev, &err) == 1)
		used = ev.kind;
	if (record_damage(r, 0) != NULL)
		abort();
	record_close(r);
	err_clear(&err);
}

static void
merge_here(struct record_space *space, const uint8_t *data, size_t size)
{
	struct dt_merging *m = dt_merging_open("m", (size_t)1 << 22);
	struct strbuf out = { 0 };
	struct err err = { 0 };
	int one, two;

	if (m == NULL)
		return;
	one = dt_merging_add(m, "one", data, size, &err);
	err_clear(&err);
	two = dt_merging_add(m, "two", data, size, &err);
	err_clear(&err);
	if (two >= 0 && !dt_merging_feed(m, two, data, size))
		abort();
	if (dt_merging_give(m, &out) == 0)
		read_merged(space, &out);
	if (one >= 0)
		used = dt_merging_damage(m, one);
	strbuf_fini(&out);
	dt_merging_close(m);
}

static void
read_recording(const uint8_t *data, size_t size)
{
	struct record_space *space = record_space_create();
	struct dt_hdl *h = dt_open();
	struct err err = { 0 };
	struct record *r = NULL;
	struct dif_prog *dif = NULL;
	size_t len;

	if (space != NULL)
		merge_here(space, data, size);
	if (h != NULL && space != NULL &&
	    record_open_fed(space, data, size, &r, &err) == 0) {
		const void *dof = record_program(r, &len);

		dif = dt_load_dof(h, dof, len);
		dt_need_plan(h);
		if (dif != NULL &&
		    plan_add_program(h->plan, dif, &h->compiled.diags) == 0)
			merge(h, space, data, size);
		record_close(r);
	}
	err_clear(&err);
	if (h != NULL)
		dt_close(h);
	dif_prog_destroy(dif);
	record_space_destroy(space);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	used = record_has_start(data + 1, size - 1);
	if (data[0] != 0) {
		read_recording(data + 1, size - 1);
		return 0;
	}
	read_messages(data + 1, size - 1);
	read_subject(data + 1, size - 1);
	return 0;
}
