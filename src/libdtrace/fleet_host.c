/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The hosts of a fleet, as its console knows them.
 *
 *	TRYING -> TRACING -> ENDED
 *	   |         |
 *	   +---------+-> REFUSED: the host says why
 *	   +---------+-> LOST: it is silent, or cannot be read
 *
 * Messages of hosts are hostile.  A host can be reported as lost, or print
 * nonsense in its own name.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "libdtrace/fleet.h"

#define HOSTS_MAX 65536
#define BLOCK_KEEP 4096
/* Bytes of letters that are taken before their data are merged. */
#define LETTERS_MAX ((size_t)16 << 20)

bool
dt_fleet_is_there(const struct fleet_host *fh)
{
	return fh->state == FLEET_TRYING || fh->state == FLEET_TRACING;
}

/* Names whose hashes are equal are in one chain; 0 is no key of a map. */
static uint32_t
name_key(const char *name)
{
	return (uint32_t)hash_bytes(name, strlen(name)) | 1;
}

struct fleet_host *
dt_fleet_find_host(struct dt_fleet *f, const char *name)
{
	const uint32_t *first = idmap_get(&f->named, name_key(name));
	struct fleet_host *fh = first != NULL ? f->hosts.v[*first] : NULL;

	while (fh != NULL && strcmp(fh->name, name) != 0)
		fh = fh->older;
	return fh;
}

static struct fleet_host *
add_host(struct dt_fleet *f, const char *name)
{
	uint32_t key = name_key(name);
	const uint32_t *older = idmap_get(&f->named, key);
	struct fleet_host *fh;

	if (f->hosts.n == HOSTS_MAX)
		return NULL;
	fh = mem_alloc(sizeof(*fh));
	fh->name = mem_strdup(name);
	fh->number = -1;
	fh->is_counted = f->attach != NULL;
	fh->older = older != NULL ? f->hosts.v[*older] : NULL;
	idmap_put(&f->named, key, (uint32_t)f->hosts.n);
	VEC_PUSH(&f->hosts, fh);
	return fh;
}

size_t
dt_fleet_count(const struct dt_fleet *f, enum fleet_state state)
{
	size_t n = 0;

	VEC_FOREACH(&f->hosts, fh)
		n += (*fh)->state == state;
	return n;
}

static void
end_host(struct dt_hdl *h, struct fleet_host *fh, enum fleet_state state)
{
	fh->state = state;
	if (state != FLEET_LOST)
		return;
	h->fleet->has_lost = true;
	if (fh->number >= 0)
		tape_merge_lose(h->fleet->merge, fh->number);
}

void
dt_fleet_lose_host(struct dt_hdl *h, struct fleet_host *fh, const char *why)
{
	dt_notice(h, "%s is lost: %s", fh->name, why);
	end_host(h, fh, FLEET_LOST);
}

static void
refuse_host(struct dt_hdl *h, struct fleet_host *fh, char *why)
{
	free(fh->why);
	fh->why = why;
	end_host(h, fh, FLEET_REFUSED);
	if (h->fleet->has_told_hosts)
		dt_notice(h, "%s: refused: %s", fh->name, why);
}

/* ---- the program --------------------------------------------------------- */

/* The first host that begins brings the program as it was compiled there. */
static int
take_program(struct dt_hdl *h, const struct record *r)
{
	struct dt_fleet *f = h->fleet;
	const struct record_machine *m = record_machine(r);

	f->merge = dt_fleet_take_program(h, &f->program, r);
	if (f->merge == NULL)
		return -1;
	dt_set_run(h,
	    &(struct consume_run){ .product = m->dtrace,
		.host = "fleet",
		.kernel = m->release,
		.start_ns = now_ns(),
		.wall_ns = clock_read_ns(CLOCK_REALTIME) });
	return 0;
}

int
dt_fleet_join(
    struct dt_hdl *h, struct record *r, const char *name, struct err *err)
{
	struct dt_fleet *f = h->fleet;

	if (f->merge == NULL && take_program(h, r) != 0) {
		record_close(r);
		return -1;
	}
	return dt_fleet_add_host(&f->program, f->merge, r, name, err);
}

static int
open_host(struct dt_hdl *h, struct fleet_host *fh)
{
	struct dt_fleet *f = h->fleet;
	struct err err = { 0 };
	struct record *r;
	int rc =
	    record_open_fed(f->space, fh->start.s, fh->start.len, &r, &err);

	strbuf_fini(&fh->start);
	if (rc == 0)
		rc = dt_fleet_join(h, r, fh->name, &err);
	if (rc >= 0)
		fh->number = rc;
	else if (err.code != 0)
		dt_fleet_lose_host(h, fh, err_text(&err));
	else
		return -1;
	err_clear(&err);
	return 0;
}

/* ---- letters ------------------------------------------------------------- */

static void
take_list(struct dt_hdl *h, struct fleet_host *fh)
{
	const struct strbuf *block = &fh->stream.block;
	const char *why =
	    dt_fleet_list_take(h->fleet->list, fh, block->s, block->len);

	if (why != NULL)
		dt_fleet_lose_host(h, fh, why);
}

static int
take_block(struct dt_hdl *h, struct fleet_host *fh)
{
	const struct strbuf *block = &fh->stream.block;

	if (h->fleet->list != NULL) {
		take_list(h, fh);
		return 0;
	}
	if (fh->number >= 0) {
		if (!tape_merge_feed(h->fleet->merge, fh->number, block->s,
			block->len, dt_fleet_wall(h->fleet)))
			dt_fleet_lose_host(
			    h, fh, "it sends more than this console can keep");
		return 0;
	}
	if (fh->start.len + block->len > FLEET_START_MAX) {
		dt_fleet_lose_host(h, fh, "its recording does not begin");
		return 0;
	}
	strbuf_add(&fh->start, block->s, block->len);
	return record_has_start(fh->start.s, fh->start.len) ? open_host(h, fh) :
							      0;
}

/* A thousand hosts do not keep their largest blocks. */
static int
take_part(struct dt_hdl *h, struct fleet_host *fh, const struct fl_msg *msg)
{
	int rc;

	/* a host that has left its merger sends parts before its beginning;
	 * `via` keeps them out until that is here */
	if (fh->via != NULL || !fl_stream_add(&fh->stream, msg))
		return 0;
	rc = take_block(h, fh);
	if (fh->stream.block.cap > BLOCK_KEEP)
		strbuf_fini(&fh->stream.block);
	return rc;
}

static void
take_text(
    struct dt_hdl *h, const struct fleet_host *fh, const struct fl_msg *msg)
{
	char *text = fl_msg_text(msg);

	dt_notice(h, "%s: %s", fh->name, text);
	free(text);
}

static void
take_end(struct dt_hdl *h, struct fleet_host *fh, const struct fl_msg *msg)
{
	int status = 0;

	if (fh->via != NULL)
		fh->sent = msg->number;
	else if (h->fleet->detach == NULL)
		fl_stream_sent(&fh->stream, msg->number);
	fh->has_failed = msg->text_len != 0;
	if (msg->text_len != 0)
		take_text(h, fh, msg);
	if (msg->text_len != 0 &&
	    (h->fleet->list != NULL ||
		(fh->number >= 0 &&
		    !tape_merge_has_ended(
			h->fleet->merge, fh->number, &status))))
		h->fleet->has_lost = true;
	end_host(h, fh, FLEET_ENDED);
}

/* A console that detaches hears who runs the script, and no data. */
static bool
is_for_others(const struct dt_fleet *f, const struct fl_msg *msg)
{
	return f->detach != NULL &&
	    (msg->kind == FL_PART || msg->kind == FL_ALIVE);
}

static int
take_message(struct dt_hdl *h, struct fleet_host *fh, const struct fl_msg *msg)
{
	if (is_for_others(h->fleet, msg))
		return 0;
	switch (msg->kind) {
	case FL_TRACING:
		if (fh->state == FLEET_TRYING)
			fh->state = FLEET_TRACING;
		break;
	case FL_REFUSED:
		refuse_host(h, fh, fl_msg_text(msg));
		break;
	case FL_TOLD:
		take_text(h, fh, msg);
		break;
	case FL_PART:
		return take_part(h, fh, msg);
	case FL_START:
		return dt_fleet_take_beginning(h, fh, msg);
	case FL_ALIVE:
		dt_fleet_take_sent(h, fh, msg);
		break;
	case FL_ENDED:
		take_end(h, fh, msg);
		break;
	case FL_TRYING:
	case FL_HERE:
	case FL_MERGED:
	case FL_BEAT:
	case FL_STOP:
	case FL_DIRECT:
		break;
	}
	return 0;
}

/*
 * A detached run that is taken up again, as its agent was restarted: what the
 * host sends now is another recording.
 */
static struct fleet_host *
begin_again(struct dt_hdl *h, struct fleet_host *fh)
{
	struct dt_fleet *f = h->fleet;
	struct fleet_host *again = add_host(f, fh->name);

	if (again == NULL)
		return fh;
	dt_notice(h,
	    "%s begins again: its agent was restarted, and %.1f seconds are "
	    "missing",
	    fh->name, (double)(dt_fleet_wall(f) - fh->kept_ns) / 1e9);
	end_host(h, fh, FLEET_LOST);
	return again;
}

/* ---- beginnings that are kept for longer --------------------------------- */

static void
take_start(struct fleet_host *fh, const struct fl_msg *msg)
{
	if (msg->kind == FL_PART) {
		if (fl_stream_add(&fh->stream, msg))
			strbuf_add(&fh->start, fh->stream.block.s,
			    fh->stream.block.len);
		return;
	}
	/* an agent that was restarted has several: the last one counts */
	fl_stream_fini(&fh->stream);
	fh->stream = (struct fl_stream){ .next = msg->number };
	if (msg->kind == FL_TRYING)
		strbuf_reset(&fh->start);
	fh->state = msg->kind == FL_ALIVE ? FLEET_TRACING : FLEET_TRYING;
}

bool
dt_fleet_take_start(
    struct dt_hdl *h, const struct fl_letter *letter, const char *only)
{
	struct dt_fleet *f = h->fleet;
	char *name = fl_subject_host(letter->subject);
	bool is_meant =
	    name != NULL && (only == NULL || strcmp(only, name) == 0);
	struct fleet_host *fh = is_meant ? dt_fleet_find_host(f, name) : NULL;
	struct fl_msg msg = { .kind = FL_HERE };

	if (is_meant && fl_msg_decode(letter->data, letter->len, &msg) &&
	    (msg.kind == FL_TRYING || msg.kind == FL_PART ||
		msg.kind == FL_ALIVE)) {
		if (fh == NULL)
			fh = add_host(f, name);
		if (fh != NULL && fh->start.len <= FL_BLOCK_MAX)
			take_start(fh, &msg);
	}
	free(name);
	return fh != NULL && msg.kind == FL_ALIVE;
}

static int
open_start(struct dt_hdl *h, struct fleet_host *fh)
{
	fh->heard_ns = now_ns();
	fh->kept_ns = dt_fleet_wall(h->fleet);
	if (fh->state == FLEET_TRACING &&
	    record_has_start(fh->start.s, fh->start.len))
		return open_host(h, fh);
	dt_fleet_lose_host(h, fh, "its beginning cannot be read");
	return 0;
}

int
dt_fleet_open_starts(struct dt_hdl *h)
{
	int rc = 0;

	for (size_t i = 0; i < h->fleet->hosts.n && rc == 0; i++) {
		struct fleet_host *fh = h->fleet->hosts.v[i];

		if (dt_fleet_is_there(fh) && fh->number < 0)
			rc = open_start(h, fh);
	}
	return rc;
}

/*
 * A host of which no beginning came: it is behind the first letter that is
 * kept.  NULL: there are too many hosts.  *rcp is -1 with a message.
 */
static struct fleet_host *
find_unknown(struct dt_hdl *h, const char *name, int *rcp)
{
	struct dt_fleet *f = h->fleet;
	struct fleet_host *fh;

	dt_fleet_read_starts(h, UINT64_MAX, name);
	fh = dt_fleet_find_host(f, name);
	if (fh != NULL) {
		*rcp = open_start(h, fh);
		return fh;
	}
	fh = add_host(f, name);
	if (fh != NULL)
		dt_fleet_lose_host(h, fh, "its beginning is no longer kept");
	return fh;
}

static bool
begins(const struct fl_msg *msg)
{
	return msg->kind == FL_TRYING || msg->kind == FL_REFUSED;
}

int
dt_fleet_take_letter(struct dt_hdl *h, const struct fl_letter *letter)
{
	struct dt_fleet *f = h->fleet;
	char *name = fl_subject_host(letter->subject);
	struct fleet_host *fh =
	    name != NULL ? dt_fleet_find_host(f, name) : NULL;
	struct fl_msg msg;
	int rc = 0;

	if (name != NULL && fl_msg_decode(letter->data, letter->len, &msg)) {
		if (fh == NULL && begins(&msg))
			fh = add_host(f, name);
		else if (fh == NULL && f->attach != NULL && msg.kind == FL_PART)
			fh = find_unknown(h, name, &rc);
		else if (fh != NULL && f->attach != NULL &&
		    msg.kind == FL_TRYING)
			fh = begin_again(h, fh);
		if (fh != NULL) {
			fh->heard_ns = now_ns();
			fh->kept_ns = dt_fleet_wall(f);
		}
		if (fh != NULL && dt_fleet_is_there(fh) && rc == 0)
			rc = take_message(h, fh, &msg);
	}
	free(name);
	return rc;
}

int
dt_fleet_letters(struct dt_hdl *h)
{
	struct fl_letter letter;
	size_t size = 0;

	if (h->fleet->attach != NULL)
		return dt_fleet_attach_letters(h);
	for (int n = 0; n < FL_LETTERS && size < LETTERS_MAX; n++) {
		if (!fl_bus_take(h->fleet->bus, &letter))
			break;
		size += letter.len;
		if ((fl_subject_is_merged(letter.subject) ?
			    dt_fleet_take_merged(h, &letter) :
			    dt_fleet_take_letter(h, &letter)) != 0)
			return -1;
	}
	return 0;
}

/* ---- telling ------------------------------------------------------------- */

/*
 * A detached run says seldom that it is alive, and what it says while the
 * server is away comes later.
 */
static bool
is_silent(const struct dt_fleet *f, const struct fleet_host *fh, uint64_t now)
{
	if (f->attach == NULL)
		return fl_is_silent(now, fh->heard_ns, f->cut_ns, f->is_cut);
	return !f->is_cut && now - fh->heard_ns > FL_CUT_NS &&
	    now - f->cut_ns > FL_CUT_NS;
}

static void
look_at(struct dt_hdl *h, struct fleet_host *fh, uint64_t now)
{
	struct dt_fleet *f = h->fleet;
	const char *text;
	char why[64];

	if (fh->stream.nlost > fh->ntold) {
		dt_notice(h, "%s: %llu parts of its data are lost", fh->name,
		    (unsigned long long)(fh->stream.nlost - fh->ntold));
		fh->ntold = fh->stream.nlost;
		f->has_lost = true;
	}
	while (fh->number >= 0 &&
	    (text = tape_merge_damage(f->merge, fh->number)) != NULL) {
		dt_notice(h, "%s: its data are damaged: %s", fh->name, text);
		f->has_lost = true;
	}
	if (!dt_fleet_is_there(fh) || !is_silent(f, fh, now))
		return;
	snprintf(why, sizeof(why), "nothing was heard of it for %u seconds",
	    (unsigned)((now - fh->heard_ns) / 1000000000));
	dt_fleet_lose_host(h, fh, why);
}

static void
look_at_bus(struct dt_hdl *h, uint64_t now)
{
	struct dt_fleet *f = h->fleet;
	uint64_t ndropped = fl_bus_ndropped(f->bus);
	bool is_cut = !fl_bus_is_connected(f->bus);

	if (is_cut != f->is_cut)
		dt_notice(h, "the connection to the NATS server is %s",
		    is_cut ? "lost" : "back");
	f->is_cut = is_cut;
	/* a console that was stopped has not heard what came meanwhile */
	if (is_cut || now - f->looked_ns > FLEET_PAUSE_NS)
		f->cut_ns = now;
	f->looked_ns = now;
	if (ndropped > f->ndropped)
		dt_notice(h,
		    "%llu messages came faster than they are printed, and are "
		    "lost",
		    (unsigned long long)(ndropped - f->ndropped));
	f->has_lost |= ndropped > f->ndropped;
	f->ndropped = ndropped;
}

void
dt_fleet_look(struct dt_hdl *h)
{
	uint64_t now = now_ns();

	look_at_bus(h, now);
	dt_fleet_look_at_mergers(h, now);
	VEC_FOREACH(&h->fleet->hosts, fh)
		look_at(h, *fh, now);
	if (!h->fleet->has_told_hosts)
		return;
	VEC_FOREACH(&h->fleet->hosts, fh) {
		if ((*fh)->is_counted || (*fh)->state != FLEET_TRACING)
			continue;
		(*fh)->is_counted = true;
		dt_notice(h, "%s traces, too", (*fh)->name);
	}
}

/* Hosts by the reasons for which they were refused. */
struct fleet_whys {
	VEC(struct fleet_why {
		const char *why;
		struct strbuf names;
	})
	list;
	struct idmap known; /* hash of a reason: its index */
};

static struct fleet_why *
find_why(struct fleet_whys *rs, const char *why)
{
	uint32_t key = name_key(why);
	const uint32_t *known = idmap_get(&rs->known, key);

	if (known != NULL && strcmp(rs->list.v[*known].why, why) == 0)
		return &rs->list.v[*known];
	/* another reason with this hash is reported with each host */
	if (known == NULL)
		idmap_put(&rs->known, key, (uint32_t)rs->list.n);
	VEC_PUSH(&rs->list, ((struct fleet_why){ .why = why }));
	return &rs->list.v[rs->list.n - 1];
}

/* "; web1, web2: refused: why": the hosts that give this reason. */
static void
add_whys(struct fleet_whys *rs, struct strbuf *sb)
{
	VEC_FOREACH(&rs->list, r) {
		strbuf_printf(sb, "; %s: refused: %s", r->names.s, r->why);
		strbuf_fini(&r->names);
	}
	VEC_FREE(&rs->list);
	idmap_fini(&rs->known);
}

static void
add_name(struct fleet_why *r, const char *name)
{
	strbuf_printf(&r->names, "%s%s", r->names.len != 0 ? ", " : "", name);
}

char *
dt_fleet_hosts_text(struct dt_hdl *h)
{
	struct dt_fleet *f = h->fleet;
	struct fleet_whys rs = { 0 };
	struct strbuf sb = { 0 };
	size_t n =
	    dt_fleet_count(f, FLEET_TRACING) + dt_fleet_count(f, FLEET_ENDED);

	f->has_told_hosts = true;
	strbuf_printf(&sb, "%zu of %zu host%s", n, f->hosts.n,
	    f->hosts.n == 1 ? "" : "s");
	for (size_t i = 0; i < f->hosts.n; i++) {
		struct fleet_host *fh = f->hosts.v[i];

		fh->is_counted = fh->state != FLEET_TRYING;
		if (fh->state == FLEET_TRYING)
			strbuf_printf(&sb, "; %s: not yet", fh->name);
		else if (fh->state == FLEET_REFUSED)
			add_name(find_why(&rs, fh->why), fh->name);
	}
	add_whys(&rs, &sb);
	return strbuf_steal(&sb);
}
