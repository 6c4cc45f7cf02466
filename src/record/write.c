/* SPDX-License-Identifier: BSD-2-Clause */
/* Items of a recording, in blocks that are given to the file. */
#include "record/write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "record/format.h"
#include "record/pack.h"
#include "record/write_impl.h"

/* The size from which a block is given to the file. */
#define BLOCK (1U << 20)

struct record_writer {
	struct record_file *file;
	struct record_batch batch;
	struct record_packer *packer;
	struct strbuf item; /* being made */
	uint64_t seq;	    /* number of the last event */
	uint64_t since_ns;  /* time of the batch's first item */
	uint64_t nlarge;    /* events that no block can hold */
};

void
record_batch_fini(struct record_batch *b)
{
	strbuf_fini(&b->program);
	strbuf_fini(&b->tables);
	strbuf_fini(&b->events);
}

int
record_create(const char *path, struct record_writer **outp, struct err *err)
{
	struct record_writer *w = mem_alloc(sizeof(*w));
	int rc = record_file_create(path, &w->file, err);

	if (rc != 0) {
		free(w);
		return rc;
	}
	w->packer = record_packer_create();
	*outp = w;
	return 0;
}

static bool
is_empty(const struct record_writer *w)
{
	return w->batch.program.len == 0 && w->batch.tables.len == 0 &&
	    w->batch.events.len == 0;
}

void
record_flush(struct record_writer *w)
{
	if (!is_empty(w))
		record_file_give(w->file, &w->batch);
	w->since_ns = 0;
}

void
record_sync(struct record_writer *w)
{
	record_flush(w);
	record_file_wait(w->file);
}

void
record_flush_old(struct record_writer *w)
{
	uint64_t now = now_ns();

	if (is_empty(w))
		return;
	if (w->since_ns == 0)
		w->since_ns = now;
	else if (now - w->since_ns >= RECORD_FLUSH_NS)
		record_flush(w);
}

int
record_finish(struct record_writer *w, struct err *err)
{
	uint64_t nlarge = w->nlarge;
	int rc;

	record_flush(w);
	rc = record_file_close(w->file, err);
	record_batch_fini(&w->batch);
	record_packer_destroy(w->packer);
	strbuf_fini(&w->item);
	free(w);
	if (rc == 0 && nlarge != 0)
		rc = err_set(err, -EMSGSIZE,
		    "%llu records are not in the recording, since each is "
		    "larger than %u MB",
		    (unsigned long long)nlarge, RECORD_RAW_MAX >> 20);
	return rc;
}

char *
record_write_failure(struct record_writer *w)
{
	return record_file_failure(w->file);
}

/* ---- items -------------------------------------------------------------- */

static void
pad(struct strbuf *sb)
{
	static const char zeroes[8];

	strbuf_add(sb, zeroes, (8 - sb->len % 8) % 8);
}

/* Begin an item whose payload is appended; returns where it begins. */
static size_t
item_begin(struct strbuf *sb, unsigned type, const void *head, size_t len)
{
	struct record_item item = { .type = (uint16_t)type };
	size_t start = sb->len;

	strbuf_add(sb, &item, sizeof(item));
	strbuf_add(sb, head, len);
	return start;
}

static void
item_end(struct strbuf *sb, size_t start)
{
	uint32_t len = (uint32_t)(sb->len - start - sizeof(struct record_item));

	memcpy(sb->s + start + offsetof(struct record_item, len), &len,
	    sizeof(len));
	pad(sb);
}

/* The string, with its NUL. */
static void
add_string(struct strbuf *sb, const char *s)
{
	strbuf_add(sb, s != NULL ? s : "", s != NULL ? strlen(s) + 1 : 1);
}

/* Tables may be larger than a block, but not too large for a reader. */
static void
table_end(struct record_writer *w, size_t start)
{
	item_end(&w->batch.tables, start);
	if (w->batch.tables.len >= BLOCK)
		record_flush(w);
}

/* A table's item that ends with two strings. */
static void
put_pair(struct record_writer *w, enum record_table_item item, const void *head,
    size_t size, const char *a, const char *b)
{
	struct strbuf *sb = &w->batch.tables;
	size_t start = item_begin(sb, item, head, size);

	add_string(sb, a);
	add_string(sb, b);
	table_end(w, start);
}

void
record_put_machine(struct record_writer *w, const struct record_machine *m)
{
	struct record_t_machine t = { .time_ns = m->time_ns,
		.wall_ns = m->wall_ns,
		.target = m->target,
		.ncpus = m->ncpus,
		.flags = m->is_in_process };
	struct strbuf *sb = &w->batch.tables;
	size_t start = item_begin(sb, RECORD_T_MACHINE, &t, sizeof(t));

	add_string(sb, m->host);
	add_string(sb, m->release);
	add_string(sb, m->arch);
	add_string(sb, m->dtrace);
	add_string(sb, m->command);
	table_end(w, start);
}

void
record_put_program(struct record_writer *w, const void *dof, size_t len)
{
	strbuf_add(&w->batch.program, dof, len);
	record_flush(w);
}

void
record_put_clause(
    struct record_writer *w, uint32_t n, const struct record_clause *c)
{
	struct record_t_clause t = { n, c->size, c->epid_base, c->nepids };

	table_end(
	    w, item_begin(&w->batch.tables, RECORD_T_CLAUSE, &t, sizeof(t)));
}

void
record_put_agg(struct record_writer *w, uint32_t id, const struct record_agg *a)
{
	struct record_t_agg t = { a->arg, id, a->kind, a->key_size,
		a->val_size };

	put_pair(w, RECORD_T_AGG, &t, sizeof(t), a->name, a->remark);
}

static void
add_arg(struct strbuf *sb, const struct record_arg *arg)
{
	strbuf_addc(sb, (char)arg->mapping);
	strbuf_addc(sb,
	    (char)((arg->is_userland ? RECORD_ARG_USERLAND : 0) |
		(arg->xlate != NULL ? RECORD_ARG_XLATE : 0)));
	add_string(sb, arg->native);
	add_string(sb, arg->xlate);
}

void
record_put_probe(
    struct record_writer *w, uint32_t n, const struct record_probe *p)
{
	struct record_t_probe t = { n, p->id, p->kind, p->nargs };
	struct strbuf *sb = &w->batch.tables;
	size_t start = item_begin(sb, RECORD_T_PROBE, &t, sizeof(t));

	add_string(sb, p->prov);
	add_string(sb, p->mod);
	add_string(sb, p->func);
	add_string(sb, p->name);
	for (uint32_t i = 0; i < p->nargs; i++)
		add_arg(sb, &p->args[i]);
	table_end(w, start);
}

void
record_put_enabling(
    struct record_writer *w, uint32_t epid, const struct record_enabling *e)
{
	struct record_t_enabling t = { epid, e->clause, e->probe, 0 };

	table_end(
	    w, item_begin(&w->batch.tables, RECORD_T_ENABLING, &t, sizeof(t)));
}

void
record_put_string(struct record_writer *w, uint32_t id, const char *s)
{
	struct record_t_string t = { id, 0 };
	size_t start =
	    item_begin(&w->batch.tables, RECORD_T_STRING, &t, sizeof(t));

	add_string(&w->batch.tables, s);
	table_end(w, start);
}

void
record_put_source(
    struct record_writer *w, const struct record_program_source *s)
{
	struct record_t_source t = { .nprobes = s->nprobes,
		.flags = (s->name != NULL ? RECORD_SOURCE_HAS_NAME : 0) |
		    (s->text != NULL ? RECORD_SOURCE_HAS_TEXT : 0) };

	put_pair(w, RECORD_T_SOURCE, &t, sizeof(t), s->name, s->text);
}

void
record_put_label(struct record_writer *w, const struct record_label *l)
{
	struct record_t_label t = { 0 };

	put_pair(w, RECORD_T_LABEL, &t, sizeof(t), l->name, l->value);
}

void
record_put_process(struct record_writer *w, const struct record_process *p)
{
	struct record_t_process t = { p->pid };

	put_pair(w, RECORD_T_PROCESS, &t, sizeof(t), p->name, p->path);
}

void
record_put_mapping(struct record_writer *w, const struct record_mapping *m)
{
	struct record_t_mapping t = { .pid = m->pid,
		.seq = w->seq,
		.start = m->start,
		.end = m->end,
		.offset = m->offset,
		.vaddr = m->vaddr };

	put_pair(w, RECORD_T_MAPPING, &t, sizeof(t), m->path, m->build_id);
}

void
record_put_build_id(
    struct record_writer *w, const char *module, const char *build_id)
{
	struct record_t_build_id t = { .seq = w->seq };

	put_pair(w, RECORD_T_BUILD_ID, &t, sizeof(t), module, build_id);
}

void
record_put_name(struct record_writer *w, enum record_name_kind kind,
    uint64_t pid, uint64_t addr, const struct record_name *name)
{
	struct record_t_name t = { .pid = pid,
		.addr = addr,
		.seq = w->seq,
		.offset = name->offset,
		.to = name->addr,
		.kind = kind };
	struct strbuf *sb = &w->batch.tables;
	size_t start;

	t.flags = (name->is_found ? RECORD_NAME_FOUND : 0) |
	    (name->module != NULL ? RECORD_NAME_HAS_MODULE : 0) |
	    (name->name != NULL ? RECORD_NAME_HAS_NAME : 0);
	start = item_begin(sb, RECORD_T_NAME, &t, sizeof(t));
	add_string(sb, name->module);
	add_string(sb, name->name);
	table_end(w, start);
}

/* ---- events ------------------------------------------------------------- */

/*
 * An item that is no record is made in w->item, and then packed with its
 * padding.
 */
static struct strbuf *
new_item(struct record_writer *w)
{
	strbuf_reset(&w->item);
	return &w->item;
}

static void
pack_item(struct record_writer *w)
{
	record_pack_item(&w->batch.events, w->item.s, w->item.len);
	w->batch.raw += w->item.len;
}

static void
put_clocks(struct record_writer *w)
{
	struct record_e_clocks e = { .seq = w->seq + 1,
		.time_ns = now_ns(),
		.wall_ns = clock_read_ns(CLOCK_REALTIME) };
	struct strbuf *sb = new_item(w);

	item_end(sb, item_begin(sb, RECORD_CLOCKS, &e, sizeof(e)));
	pack_item(w);
}

/* Have room in the present block for an event of so many bytes.  False: it is
 * not written. */
static bool
begin_event(struct record_writer *w, uint64_t len)
{
	if (record_file_failed(w->file))
		return false;
	if (len > RECORD_RAW_MAX - 1024) {
		w->nlarge++;
		return false;
	}
	if (w->batch.raw != 0 && w->batch.raw + len > BLOCK)
		record_flush(w);
	if (w->batch.raw == 0) {
		record_pack_begin(w->packer);
		put_clocks(w);
	}
	w->seq++;
	return true;
}

static void
put_plain(
    struct record_writer *w, unsigned type, const void *payload, size_t len)
{
	struct strbuf *sb;

	if (!begin_event(w, len))
		return;
	sb = new_item(w);
	item_end(sb, item_begin(sb, type, payload, len));
	pack_item(w);
}

void
record_put_data(struct record_writer *w, const struct record_event *ev)
{
	struct record_e_data e = { ev->time_ns, ev->epid, ev->next_epid,
		ev->cpu, ev->size };
	uint64_t len = sizeof(struct record_item) + sizeof(e) +
	    RECORD_PADDED((uint64_t)ev->size);

	if (!begin_event(w, len))
		return;
	record_pack_data(w->packer, &w->batch.events, &e, ev->data);
	w->batch.raw += (size_t)len;
}

static void
put_fault(struct record_writer *w, const struct record_event *ev)
{
	struct record_e_fault e = { .time_ns = ev->time_ns,
		.value = ev->fault.value,
		.cpu = ev->cpu,
		.epid = ev->fault.epid,
		.action = ev->fault.action,
		.fault = ev->fault.fault,
		.offset = ev->fault.offset };

	put_plain(w, RECORD_FAULT, &e, sizeof(e));
}

static void
put_entry(struct record_writer *w, const struct record_event *ev)
{
	struct record_e_entry e = { ev->agg, ev->size, ev->val_size, 0 };
	struct strbuf *sb;
	size_t start;

	if (!begin_event(w, sizeof(e) + (uint64_t)ev->size + ev->val_size))
		return;
	sb = new_item(w);
	start = item_begin(sb, RECORD_AGG_ENTRY, &e, sizeof(e));
	strbuf_add(sb, ev->data, ev->size);
	pad(sb);
	strbuf_add(sb, ev->val, ev->val_size);
	item_end(sb, start);
	pack_item(w);
}

static void
put_drop(struct record_writer *w, const struct record_event *ev)
{
	struct record_e_drop e = { .total = ev->drop.total,
		.lost = ev->drop.lost,
		.most = ev->drop.most,
		.kind = ev->drop.kind,
		.cpu = ev->cpu,
		.idle = ev->drop.idle };

	put_plain(w, RECORD_DROP, &e, sizeof(e));
}

void
record_put_event(struct record_writer *w, const struct record_event *ev)
{
	struct record_e_agg agg = { ev->agg, ev->is_turn, ev->result, 0 };
	struct record_e_clock clock = { ev->time_ns };
	struct record_e_end end = { ev->result, 0 };

	switch (ev->kind) {
	case RECORD_DATA:
		record_put_data(w, ev);
		break;
	case RECORD_FAULT:
		put_fault(w, ev);
		break;
	case RECORD_DRAINED:
	case RECORD_REPORT:
	case RECORD_STOPPED:
		put_plain(w, ev->kind, "", 0);
		break;
	case RECORD_AGG_BEGIN:
	case RECORD_AGG_END:
		put_plain(w, ev->kind, &agg, sizeof(agg));
		break;
	case RECORD_AGG_ENTRY:
		put_entry(w, ev);
		break;
	case RECORD_DROP:
		put_drop(w, ev);
		break;
	case RECORD_CLOCK:
		put_plain(w, ev->kind, &clock, sizeof(clock));
		break;
	case RECORD_NOTICE:
		put_plain(w, ev->kind, ev->text, strlen(ev->text) + 1);
		break;
	case RECORD_END:
		put_plain(w, ev->kind, &end, sizeof(end));
		break;
	}
}
