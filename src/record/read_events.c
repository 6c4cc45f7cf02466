/* SPDX-License-Identifier: BSD-2-Clause */
/* The events of a recording, one by one. */
#include "record/read_impl.h"

#include <string.h>

static uint64_t
wall_of(const struct record *r, uint64_t time_ns)
{
	return r->has_clocks && time_ns != 0 ?
	    r->clock_wall_ns + (time_ns - r->clock_ns) :
	    0;
}

static bool
set_data(struct record *r, struct record_payload *pl, struct record_event *ev)
{
	const struct record_e_data *e = record_take(pl, sizeof(*e));

	if (e == NULL || e->cpu >= r->tables.machine.ncpus)
		return false;
	ev->time_ns = e->time_ns;
	ev->epid = e->epid;
	ev->next_epid = e->next_epid;
	ev->cpu = e->cpu;
	ev->size = e->size;
	ev->data = record_take(pl, e->size);
	return ev->data != NULL;
}

static bool
set_fault(struct record *r, struct record_payload *pl, struct record_event *ev)
{
	const struct record_e_fault *e = record_take(pl, sizeof(*e));

	if (e == NULL || e->cpu >= r->tables.machine.ncpus)
		return false;
	ev->time_ns = e->time_ns;
	ev->cpu = e->cpu;
	ev->fault.epid = e->epid;
	ev->fault.action = e->action;
	ev->fault.fault = e->fault;
	ev->fault.offset = e->offset;
	ev->fault.value = e->value;
	return true;
}

static bool
set_agg(struct record_payload *pl, struct record_event *ev)
{
	const struct record_e_agg *e = record_take(pl, sizeof(*e));

	if (e == NULL || e->result > 0)
		return false;
	ev->agg = e->agg;
	ev->is_turn = e->is_turn != 0;
	ev->result = e->result;
	return true;
}

static bool
set_entry(
    const struct record *r, struct record_payload *pl, struct record_event *ev)
{
	const struct record_e_entry *e = record_take(pl, sizeof(*e));
	const struct record_agg *agg;

	if (e == NULL)
		return false;
	agg = record_agg(r, e->agg);
	if (agg == NULL || agg->key_size != e->key_size ||
	    agg->val_size != e->val_size)
		return false;
	ev->agg = e->agg;
	ev->size = e->key_size;
	ev->val_size = e->val_size;
	ev->data = record_take(pl, (size_t)RECORD_PADDED(e->key_size));
	ev->val = record_take(pl, e->val_size);
	return ev->data != NULL && ev->val != NULL;
}

static bool
set_drop(struct record *r, struct record_payload *pl, struct record_event *ev)
{
	const struct record_e_drop *e = record_take(pl, sizeof(*e));

	if (e == NULL || e->cpu >= r->tables.machine.ncpus)
		return false;
	ev->cpu = e->cpu;
	ev->drop.kind = e->kind;
	ev->drop.idle = e->idle;
	ev->drop.total = e->total;
	ev->drop.lost = e->lost;
	ev->drop.most = e->most;
	return true;
}

static bool
set_clock(struct record_payload *pl, struct record_event *ev)
{
	const struct record_e_clock *e = record_take(pl, sizeof(*e));

	if (e == NULL)
		return false;
	ev->time_ns = e->time_ns;
	return true;
}

static bool
set_end(struct record_payload *pl, struct record_event *ev)
{
	const struct record_e_end *e = record_take(pl, sizeof(*e));

	if (e == NULL)
		return false;
	ev->result = e->status;
	return true;
}

/*
 * Fill in an event of that type; false: it is not valid, or unknown.  There are
 * millions of records: members that they do not have are not cleared.
 */
static bool
set_event(struct record *r, unsigned type, struct record_payload *pl,
    struct record_event *ev)
{
	if (type == RECORD_DATA) {
		ev->kind = RECORD_DATA;
		return set_data(r, pl, ev);
	}
	*ev = (struct record_event){ .kind = (enum record_event_kind)type };
	switch (ev->kind) {
	case RECORD_DATA:
		break;
	case RECORD_FAULT:
		return set_fault(r, pl, ev);
	case RECORD_DRAINED:
	case RECORD_REPORT:
	case RECORD_STOPPED:
		return true;
	case RECORD_AGG_BEGIN:
	case RECORD_AGG_END:
		return set_agg(pl, ev);
	case RECORD_AGG_ENTRY:
		return set_entry(r, pl, ev);
	case RECORD_DROP:
		return set_drop(r, pl, ev);
	case RECORD_CLOCK:
		return set_clock(pl, ev);
	case RECORD_NOTICE:
		ev->text = record_take_string(pl);
		return ev->text != NULL;
	case RECORD_END:
		return set_end(pl, ev);
	}
	return false;
}

static void
set_clocks(struct record *r, struct record_payload *pl)
{
	const struct record_e_clocks *e = record_take(pl, sizeof(*e));

	if (e == NULL)
		return;
	r->next_seq = e->seq;
	r->clock_ns = e->time_ns;
	r->clock_wall_ns = e->wall_ns;
	r->has_clocks = true;
}

/* The next event of the present block; false at its end. */
static bool
event_of_block(struct record *r, struct record_event *ev)
{
	struct record_item item;
	struct record_payload pl;

	for (;;) {
		r->peeked_pos = r->block.pos;
		if (!record_next_item(r, &item, &pl))
			return false;
		if (item.type == RECORD_CLOCKS) {
			set_clocks(r, &pl);
			continue;
		}
		if (set_event(r, item.type, &pl, ev)) {
			ev->seq = r->next_seq++;
			ev->wall_ns = wall_of(r, ev->time_ns);
			return true;
		}
		r->next_seq++;
		if (!r->is_newer)
			record_note_damage(r,
			    "an event of the block at offset %llu is not "
			    "valid",
			    (unsigned long long)r->block.at);
	}
}

static int
read_event(struct record *r, struct record_event *ev, struct err *err)
{
	for (;;) {
		int rc;

		if (r->block.type == RECORD_BLOCK_EVENTS &&
		    event_of_block(r, ev))
			return 1;
		rc = record_next_block(r, err);
		if (rc != 1)
			return rc;
		if (r->block.type == RECORD_BLOCK_TABLES)
			record_read_tables(r);
	}
}

int
record_peek(struct record *r, struct record_event *ev, struct err *err)
{
	if (!r->has_peeked) {
		r->peeked_rc = read_event(r, &r->peeked, err);
		r->has_peeked = true;
	}
	*ev = r->peeked;
	return r->peeked_rc;
}

int
record_next(struct record *r, struct record_event *ev, struct err *err)
{
	int rc =
	    r->has_peeked ? record_peek(r, ev, err) : read_event(r, ev, err);

	if (rc != 1)
		return rc;
	r->has_peeked = false;
	r->seq = ev->seq;
	r->is_complete |= ev->kind == RECORD_END;
	if (ev->time_ns != 0) {
		r->time_ns = ev->time_ns;
		r->wall_ns = ev->wall_ns;
	}
	return 1;
}

bool
record_take_entry(struct record *r, uint32_t agg, uint32_t key_size,
    uint32_t val_size, const char **key, const void **val)
{
	struct record_block *b = &r->block;
	uint64_t key_at, val_at, end;
	struct {
		struct record_item item;
		struct record_e_entry e;
	} head;

	if (r->has_peeked || b->type != RECORD_BLOCK_EVENTS ||
	    b->len - b->pos < sizeof(head))
		return false;
	memcpy(&head, b->raw + b->pos, sizeof(head));
	key_at = b->pos + sizeof(head);
	val_at = key_at + RECORD_PADDED(key_size);
	end = val_at + RECORD_PADDED(val_size);
	if (head.item.type != RECORD_AGG_ENTRY || head.e.agg != agg ||
	    head.e.key_size != key_size || head.e.val_size != val_size ||
	    head.item.len != val_at + val_size - b->pos - sizeof(head.item) ||
	    end > b->len)
		return false;
	*key = b->raw + key_at;
	*val = b->raw + val_at;
	b->pos = (size_t)end;
	r->seq = r->next_seq++;
	return true;
}

bool
record_is_complete(const struct record *r)
{
	return r->is_complete;
}
