/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The way of a run's data: to the console, or to a merger that the request
 * names.
 *
 * The agent keeps the last blocks that it sent to a merger, with the numbers of
 * their parts.  A console that has lost the merger asks for those that the
 * merger had not accounted for.  The agent sends the recording's tables first,
 * since the blocks cannot be read without them.
 */
#include "dtraced/agent.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "fleet/account.h"
#include "record/format.h"
#include "record/record.h"

#define KEPT_MAX ((size_t)8 << 20)
/* A console asks again after three seconds; more often is no console's. */
#define DIRECT_NS UINT64_C(1000000000)

void
route_init(struct run *r, const char *host)
{
	const struct fl_request *rq = r->request;
	struct route *rt = &r->route;

	rt->host = host;
	rt->kept_max = KEPT_MAX;
	rt->has_tables = true;
	if (rq->mergers.n == 0)
		return;
	rt->merger =
	    rq->mergers.v[hash_bytes(host, strlen(host)) % rq->mergers.n];
	rt->subject = fl_subject_to(host, r->id, rt->merger);
}

void
route_fini(struct run *r)
{
	free(r->route.subject);
	strbuf_fini(&r->route.tables);
	strbuf_fini(&r->route.kept);
	VEC_FREE(&r->route.blocks);
}

/* ---- choosing ------------------------------------------------------------ */

/* One that cannot be read is the console's to tell of. */
static bool
makes_records(const struct run *r)
{
	struct err err = { 0 };
	struct record *rec;
	bool makes = false;

	if (!record_has_start(r->data.s, r->data.len) ||
	    record_open_mem(r->data.s, r->data.len, &rec, &err) != 0) {
		err_clear(&err);
		return true;
	}
	for (uint32_t i = 0; i < record_nclauses(rec); i++) {
		const struct record_clause *c = record_clause(rec, i);

		makes |= c == NULL || c->size != 0;
	}
	record_close(rec);
	return makes;
}

bool
route_is_known(struct run *r, struct fl_bus *bus)
{
	struct route *rt = &r->route;

	if (rt->merger == NULL || rt->is_known)
		return true;
	/* nothing of the data was sent before it is known */
	if (r->script.data_fd >= 0 && r->data.len <= FL_BLOCK_MAX &&
	    !record_has_start(r->data.s, r->data.len))
		return false;
	rt->is_known = true;
	if (makes_records(r))
		rt->merger = NULL;
	else
		run_tell(r, bus, FL_ALIVE, NULL);
	return true;
}

const char *
route_merger(const struct run *r)
{
	const struct route *rt = &r->route;

	return rt->is_known && !rt->is_direct ? rt->merger : NULL;
}

const char *
route_subject(const struct run *r)
{
	return route_merger(r) != NULL ? r->route.subject : r->subject;
}

/* ---- keeping ------------------------------------------------------------- */

static bool
is_table(const char *block, size_t size)
{
	struct record_bhdr h;

	/* the header of the file */
	if (size == sizeof(struct record_fhdr) &&
	    memcmp(block, RECORD_MAGIC, 8) == 0)
		return true;
	if (size < sizeof(h))
		return false;
	memcpy(&h, block, sizeof(h));
	return h.type != RECORD_BLOCK_EVENTS;
}

static void
keep_table(struct route *rt, const char *block, size_t size)
{
	if (rt->tables.len + size > FL_BLOCK_MAX)
		rt->has_tables = false;
	if (rt->has_tables)
		strbuf_add(&rt->tables, block, size);
}

/* Forget the oldest blocks. */
static void
make_room(struct route *rt)
{
	size_t n = 0, size = 0;

	while (rt->kept.len - size > rt->kept_max)
		size += rt->blocks.v[n++].size;
	if (n == 0)
		return;
	memmove(rt->kept.s, rt->kept.s + size, rt->kept.len - size);
	rt->kept.len -= size;
	rt->blocks.n -= n;
	memmove(rt->blocks.v, rt->blocks.v + n,
	    rt->blocks.n * sizeof(*rt->blocks.v));
}

void
route_keep(struct run *r, uint64_t number, const char *block, size_t size)
{
	struct route *rt = &r->route;

	if (rt->merger == NULL)
		return;
	if (is_table(block, size))
		keep_table(rt, block, size);
	/* the header of the file stands before the tables */
	if (number == 0)
		return;
	strbuf_add(&rt->kept, block, size);
	VEC_PUSH(&rt->blocks, ((struct route_block){ number, size }));
	make_room(rt);
}

/* ---- the console instead of the merger ----------------------------------- */

/* Does the console ask this host?  Then it lacks the parts from *from on. */
static bool
is_asked(const struct route *rt, const struct fl_msg *msg, uint64_t *from)
{
	struct fl_account a;
	size_t at = 0;

	if (rt->merger == NULL || msg->text_len != strlen(rt->merger) ||
	    memcmp(msg->text, rt->merger, msg->text_len) != 0)
		return false;
	while (fl_account_next(msg->data, msg->len, &at, &a)) {
		*from = a.next;
		if (strcmp(a.host, rt->host) == 0)
			return true;
	}
	return false;
}

/* Send the kept blocks again; of those that are not taken, numbers tell. */
static void
send_kept(struct run *r, struct fl_bus *bus, uint64_t from)
{
	const struct route *rt = &r->route;
	size_t at = 0;

	for (size_t i = 0; i < rt->blocks.n; i++) {
		const struct route_block *b = &rt->blocks.v[i];
		uint64_t number = b->number;

		if (number >= from)
			(void)run_send_parts(bus, FL_PART, r->subject,
			    rt->kept.s + at, b->size, &number);
		at += b->size;
	}
}

void
route_direct(struct run *r, struct fl_bus *bus, const struct fl_msg *msg)
{
	struct route *rt = &r->route;
	uint64_t from = 0, number = 0;

	if (!is_asked(rt, msg, &from))
		return;
	if (rt->direct_ns != 0 && now_ns() - rt->direct_ns < DIRECT_NS)
		return;
	rt->direct_ns = now_ns();
	if (!rt->is_known) {
		rt->merger = NULL;
		return;
	}
	if (!rt->has_tables) {
		if (!rt->has_told)
			run_tell(r, bus, FL_TOLD,
			    "its recording's tables are too large to be sent "
			    "again: what its merger lacks is lost");
		rt->has_told = true;
		return;
	}
	rt->is_direct = true;
	(void)run_send_parts(
	    bus, FL_START, r->subject, rt->tables.s, rt->tables.len, &number);
	send_kept(r, bus, from);
}
