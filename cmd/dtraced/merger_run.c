/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run in a merger.
 *
 * At each turn the console gets what was merged since the last one, and then
 * the accounts of the hosts of which that has something.  A host that cannot be
 * read here is accounted for as left: the console asks it itself.
 */
#include "dtraced/merger.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "fleet/account.h"
#include "record/record.h"

#define TURN_NS UINT64_C(1000000000)
#define STOPPING_NS UINT64_C(100000000) /* between turns, for the last data */
#define HOSTS_MAX 65536
#define START_MAX ((size_t)16 << 20)
#define ACCOUNTS_MAX (256U << 10) /* bytes of a message */
#define BLOCK_KEEP 4096

struct merged_run *
merged_run_create(const struct merger *m, struct fl_request *rq)
{
	struct merged_run *r = mem_alloc(sizeof(*r));

	r->data = dt_merging_open(m->name, (size_t)rq->author->memory);
	if (r->data == NULL) {
		free(r);
		return NULL;
	}
	r->request = rq;
	fl_run_format(rq->id, r->id);
	r->subject = fl_subject_merged(m->name, r->id);
	r->began_ns = r->beat_ns = now_ns();
	r->until_ns = r->began_ns + rq->author->duration_ns;
	return r;
}

void
merged_run_destroy(struct merged_run *r)
{
	VEC_FOREACH(&r->hosts, h) {
		free((*h)->name);
		fl_stream_fini(&(*h)->stream);
		strbuf_fini(&(*h)->start);
		free(*h);
	}
	VEC_FREE(&r->hosts);
	idmap_fini(&r->named);
	dt_merging_close(r->data);
	fl_request_destroy(r->request);
	free(r->subject);
	free(r);
}

/* ---- hosts --------------------------------------------------------------- */

/* Names whose hashes are equal are in one chain; 0 is no key of a map. */
static struct merged_host *
find_host(struct merged_run *r, const char *name)
{
	uint32_t key = (uint32_t)hash_bytes(name, strlen(name)) | 1;
	const uint32_t *newest = idmap_get(&r->named, key);
	struct merged_host *first = newest != NULL ? r->hosts.v[*newest] : NULL;
	struct merged_host *h = first;

	while (h != NULL && strcmp(h->name, name) != 0)
		h = h->older;
	if (h != NULL || r->hosts.n == HOSTS_MAX)
		return h;
	h = mem_alloc(sizeof(*h));
	h->name = mem_strdup(name);
	h->number = -1;
	h->older = first;
	idmap_put(&r->named, key, (uint32_t)r->hosts.n);
	VEC_PUSH(&r->hosts, h);
	return h;
}

static void
leave(struct merged_host *h)
{
	h->is_left = h->is_changed = true;
	strbuf_fini(&h->start);
	strbuf_fini(&h->stream.block);
}

/* The recording begins with the first part, or nobody can read it. */
static void
begin_host(struct merged_run *r, struct merged_host *h)
{
	const struct strbuf *block = &h->stream.block;
	struct err err = { 0 };

	if (h->stream.nlost != 0 || h->start.len + block->len > START_MAX) {
		leave(h);
		return;
	}
	strbuf_add(&h->start, block->s, block->len);
	if (!record_has_start(h->start.s, h->start.len))
		return;
	h->number =
	    dt_merging_add(r->data, h->name, h->start.s, h->start.len, &err);
	if (h->number < 0)
		leave(h);
	else if (!r->has_begun)
		r->give_ns = 0; /* the console waits for the program */
	r->has_begun |= h->number >= 0;
	err_clear(&err);
	strbuf_fini(&h->start);
}

static void
take_block(struct merged_run *r, struct merged_host *h)
{
	const struct strbuf *block = &h->stream.block;

	if (h->number < 0)
		begin_host(r, h);
	else if (!dt_merging_feed(r->data, h->number, block->s, block->len))
		leave(h);
	if (h->number < 0 || h->is_left)
		return;
	h->next = h->stream.next;
	h->is_changed = true;
	if (h->stream.block.cap > BLOCK_KEEP)
		strbuf_fini(&h->stream.block);
}

static void
take_end(struct merged_host *h, const struct fl_msg *msg)
{
	if (h->number < 0) {
		leave(h);
		return;
	}
	fl_stream_sent(&h->stream, msg->number);
	h->next = h->stream.next;
	h->is_changed = true;
}

void
merged_run_take(
    struct merged_run *r, const char *host, const struct fl_msg *msg)
{
	struct merged_host *h = NULL;

	if (r->data != NULL && (msg->kind == FL_PART || msg->kind == FL_ENDED))
		h = find_host(r, host);
	if (h == NULL || h->is_left)
		return;
	if (msg->kind == FL_PART && fl_stream_add(&h->stream, msg))
		take_block(r, h);
	if (msg->kind == FL_ENDED)
		take_end(h, msg);
}

/* ---- turns --------------------------------------------------------------- */

static bool
send_msg(
    const struct merged_run *r, struct fl_bus *bus, const struct fl_msg *msg)
{
	struct strbuf sb = { 0 };
	int rc;

	fl_msg_encode(msg, &sb);
	rc = fl_bus_send(bus, r->subject, sb.s, sb.len);
	strbuf_fini(&sb);
	return rc == 0;
}

static void
add_account(struct merged_run *r, struct merged_host *h, struct strbuf *out)
{
	struct fl_account a = { .next = h->next };
	bool has_begun = h->number >= 0;

	if (has_begun)
		h->ndamaged += dt_merging_damage(r->data, h->number);
	a.lost = h->stream.nlost + h->ndamaged;
	if (has_begun && dt_merging_has_ended(r->data, h->number))
		a.flags |= FL_ACCOUNT_ENDED;
	if (h->is_left)
		a.flags |= FL_ACCOUNT_LEFT;
	snprintf(a.host, sizeof(a.host), "%s", h->name);
	fl_account_add(out, &a);
	h->is_changed = false;
}

/* A message that is not taken shows in the numbers of the next. */
static void
send_accounts(struct merged_run *r, struct fl_bus *bus)
{
	struct fl_msg msg = { .kind = FL_MERGED, .number = r->nparts };
	struct strbuf data = { 0 };
	size_t i = 0;

	do {
		strbuf_reset(&data);
		for (; i < r->hosts.n && data.len < ACCOUNTS_MAX; i++) {
			if (r->hosts.v[i]->is_changed)
				add_account(r, r->hosts.v[i], &data);
		}
		msg.value = r->naccounts++ << 1 | (i < r->hosts.n);
		msg.data = data.s;
		msg.len = data.len;
		(void)send_msg(r, bus, &msg);
	} while (i < r->hosts.n);
	strbuf_fini(&data);
}

/* The console reads the hosts itself; what it was given counts. */
static void
refuse(struct merged_run *r, struct fl_bus *bus, const char *why)
{
	struct fl_msg msg = {
		.kind = FL_REFUSED, .text = why, .text_len = strlen(why)
	};

	/* a console that does not hear it misses the accounts */
	(void)send_msg(r, bus, &msg);
}

static void
fail(struct merged_run *r, struct fl_bus *bus, int error)
{
	char *why = error == -EFBIG ?
	    mem_strdup(
		"its strings and probes need more than a console takes") :
	    error == -E2BIG ?
	    mem_printf("its keys need more than the %llu MB that the policy "
		       "permits",
		(unsigned long long)r->request->author->memory >> 20) :
	    mem_printf("it cannot merge: %s", strerror(-error));

	refuse(r, bus, why);
	dt_merging_close(r->data);
	r->data = NULL;
	free(why);
}

static void
turn(struct merged_run *r, struct fl_bus *bus)
{
	struct strbuf out = { 0 };
	int rc = dt_merging_give(r->data, &out);

	for (size_t at = 0; rc == 0 && at < out.len; at += FL_BLOCK_MAX) {
		size_t left = out.len - at;

		(void)run_send_parts(bus, FL_PART, r->subject, out.s + at,
		    left < FL_BLOCK_MAX ? left : FL_BLOCK_MAX, &r->nparts);
	}
	strbuf_fini(&out);
	if (rc == 0)
		send_accounts(r, bus);
	else
		fail(r, bus, rc);
}

/* ---- times --------------------------------------------------------------- */

static void
look_at_times(struct merged_run *r, struct fl_bus *bus, uint64_t now)
{
	bool is_cut = !fl_bus_is_connected(bus);

	if (is_cut)
		r->cut_ns = now;
	if (fl_is_silent(now, r->beat_ns, r->cut_ns, is_cut)) {
		r->end = r->is_stopping ? "the console ended it" :
					  "the console was not heard";
	} else if (now > r->until_ns) {
		r->end = "the policy permits its author no longer run";
		refuse(r, bus, r->end);
	}
}

bool
merged_run_look(struct merged_run *r, struct fl_bus *bus)
{
	uint64_t now = now_ns();
	int rc = r->data != NULL ? dt_merging_take(r->data) : 0;

	look_at_times(r, bus, now);
	if (rc != 0)
		fail(r, bus, rc);
	if (r->data != NULL && now >= r->give_ns) {
		r->give_ns = now + (r->is_stopping ? STOPPING_NS : TURN_NS);
		turn(r, bus);
	}
	return r->end == NULL;
}

void
merged_run_journal(const struct merged_run *r, struct fl_journal *j)
{
	struct fl_run run = { .request = r->request,
		.duration_ns = now_ns() - r->began_ns,
		.end = r->data != NULL ? r->end : "it could not merge" };

	VEC_FOREACH(&r->hosts, h)
		run.drops += (*h)->stream.nlost + (*h)->ndamaged;
	fl_journal_run(j, &run);
}
