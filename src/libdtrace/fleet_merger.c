/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Mergers, as the console knows them: hosts send their data to a merger, which
 * sends one recording.  What hosts say of themselves comes from them.
 *
 *	host --TRACING, ALIVE, ENDED--------------> console
 *	    \--parts--> merger --parts, accounts----^
 *
 * A merger's blocks count when the accounts behind them are there, which say
 * how much of each host they have.  So of a merger that is lost it is known
 * what each host has to send again, and nothing counts twice: its hosts then
 * send their beginnings and what the merger lacks, and are read directly.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "fleet/account.h"
#include "libdtrace/fleet.h"

/* Bytes of blocks that wait for their accounts, and of accounts. */
#define WAITING_MAX ((size_t)64 << 20)
/* The longest time for a merger's first answer: a loaded one is not lost. */
#define ANSWER_S 3U
/* Hosts of a merger that the console asks at a time to begin anew, and the time
 * between two such turns: a thousand hosts must not come at once. */
#define DIRECT_HOSTS 64
#define DIRECT_NS UINT64_C(500000000)
/* A host that has not begun is asked again after this time. */
#define AGAIN_NS UINT64_C(3000000000)
/* The longest time for hosts to begin, from when the last of them left its
 * merger or was asked first. */
#define BEGIN_NS UINT64_C(10000000000)

void
dt_fleet_name_mergers(struct dt_hdl *h)
{
	struct dt_fleet *f = h->fleet;

	VEC_FOREACH(&f->conf.mergers, name) {
		struct fleet_merger *m = mem_alloc(sizeof(*m));

		m->name = mem_strdup(*name);
		m->number = -1;
		m->heard_ns = now_ns();
		VEC_PUSH(&f->mergers, m);
	}
}

/* Free what the merger sent and the merge does not have. */
static void
forget_waiting(struct fleet_merger *m)
{
	strbuf_fini(&m->blocks);
	strbuf_fini(&m->accounts);
	strbuf_fini(&m->start);
	strbuf_fini(&m->stream.block);
}

void
dt_fleet_free_mergers(struct dt_fleet *f)
{
	VEC_FOREACH(&f->mergers, mp) {
		forget_waiting(*mp);
		free((*mp)->name);
		free(*mp);
	}
	VEC_FREE(&f->mergers);
}

/* The merger of this name, or NULL: the request does not name it. */
static struct fleet_merger *
find_merger(const struct dt_fleet *f, const char *name, size_t len)
{
	VEC_FOREACH(&f->mergers, m) {
		if (strlen((*m)->name) == len &&
		    memcmp((*m)->name, name, len) == 0)
			return *m;
	}
	return NULL;
}

static void
leave_merger(struct dt_fleet *f, struct fleet_host *fh)
{
	if (fh->is_left)
		return;
	fh->is_left = true;
	fh->direct_ns = 0;
	f->left_ns = now_ns();
}

/* Give the merger up.  Blocks without accounts are dropped uncounted: its hosts
 * send these values again. */
static void
lose_merger(struct dt_hdl *h, struct fleet_merger *m, const char *why)
{
	struct dt_fleet *f = h->fleet;

	m->is_lost = true;
	forget_waiting(m);
	if (m->number >= 0)
		tape_merge_lose(f->merge, m->number);
	dt_notice(h, "merger %s is lost: %s: its hosts are read directly",
	    m->name, why);
	VEC_FOREACH(&f->hosts, fh) {
		if ((*fh)->via == m)
			leave_merger(f, *fh);
	}
}

/* ---- what it sends ------------------------------------------------------- */

static void
take_account(
    struct dt_fleet *f, struct fleet_merger *m, const struct fl_account *a)
{
	struct fleet_host *fh = dt_fleet_find_host(f, a->host);

	/* data that came of a host that is lost by now count, too */
	if (fh == NULL || fh->number >= 0 || (fh->via != NULL && fh->via != m))
		return;
	fh->via = m;
	if (a->next > fh->merged)
		fh->merged = a->next;
	if (a->lost > fh->stream.nlost)
		fh->stream.nlost = a->lost;
	fh->has_whole_end |= (a->flags & FL_ACCOUNT_ENDED) != 0;
	if ((a->flags & FL_ACCOUNT_LEFT) != 0)
		leave_merger(f, fh);
}

/* Its number in the merge; -1: it is lost, or the console ends: *rcp. */
static int
open_merger(struct dt_hdl *h, struct fleet_merger *m, int *rcp)
{
	struct dt_fleet *f = h->fleet;
	struct err err = { 0 };
	struct record *r;
	int rc = record_open_fed(f->space, m->start.s, m->start.len, &r, &err);

	strbuf_fini(&m->start);
	if (rc == 0)
		rc = dt_fleet_join(h, r, m->name, &err);
	/* with records, it would pass for the host whose records are printed */
	if (rc >= 0 && !dt_fleet_is_without_records(h->plan)) {
		tape_merge_lose(f->merge, rc);
		rc = err_set(&err, -EINVAL, "the script makes records");
	}
	if (rc < 0 && err.code != 0)
		lose_merger(h, m, err_text(&err));
	else if (rc < 0)
		*rcp = -1;
	err_clear(&err);
	return rc < 0 ? -1 : rc;
}

/* Count the blocks: 0, or -1. */
static int
feed(struct dt_hdl *h, struct fleet_merger *m)
{
	int rc = 0;

	if (m->number >= 0) {
		if (m->blocks.len != 0 &&
		    !tape_merge_feed(h->fleet->merge, m->number, m->blocks.s,
			m->blocks.len, dt_fleet_wall(h->fleet)))
			lose_merger(
			    h, m, "it sends more than this console can keep");
		return 0;
	}
	if (m->start.len + m->blocks.len > WAITING_MAX) {
		lose_merger(h, m, "its recording does not begin");
		return 0;
	}
	strbuf_add(&m->start, m->blocks.s, m->blocks.len);
	if (record_has_start(m->start.s, m->start.len))
		m->number = open_merger(h, m, &rc);
	return rc;
}

static int
take_accounts(struct dt_hdl *h, struct fleet_merger *m)
{
	struct fl_account a;
	size_t at = 0;
	int rc = m->blocks.len != 0 ? feed(h, m) : 0;

	if (rc != 0 || m->is_lost)
		return rc;
	while (fl_account_next(m->accounts.s, m->accounts.len, &at, &a))
		take_account(h->fleet, m, &a);
	strbuf_reset(&m->blocks);
	strbuf_reset(&m->accounts);
	return 0;
}

static int
take_merged(struct dt_hdl *h, struct fleet_merger *m, const struct fl_msg *msg)
{
	fl_stream_sent(&m->stream, msg->number);
	strbuf_add(&m->accounts, msg->data, msg->len);
	if (m->stream.nlost != 0 || msg->value >> 1 != m->next_accounts++)
		lose_merger(h, m, "parts of its data did not come");
	else if (m->accounts.len > WAITING_MAX)
		lose_merger(h, m, "its accounts do not end");
	return m->is_lost || (msg->value & 1) != 0 ? 0 : take_accounts(h, m);
}

static void
take_block(struct dt_hdl *h, struct fleet_merger *m)
{
	const struct strbuf *block = &m->stream.block;

	if (m->blocks.len + block->len > WAITING_MAX)
		lose_merger(h, m, "it sends no accounts");
	else
		strbuf_add(&m->blocks, block->s, block->len);
}

static int
take_message(struct dt_hdl *h, struct fleet_merger *m, const struct fl_msg *msg)
{
	char *text;

	m->heard_ns = now_ns();
	m->has_answered = true;
	if (msg->kind == FL_MERGED)
		return take_merged(h, m, msg);
	if (msg->kind == FL_PART && fl_stream_add(&m->stream, msg))
		take_block(h, m);
	if (msg->kind == FL_REFUSED) {
		text = fl_msg_text(msg);
		lose_merger(h, m, text);
		free(text);
	}
	return 0;
}

int
dt_fleet_take_merged(struct dt_hdl *h, const struct fl_letter *letter)
{
	char *name = fl_subject_host(letter->subject);
	struct fleet_merger *m =
	    name != NULL ? find_merger(h->fleet, name, strlen(name)) : NULL;
	struct fl_msg msg;

	free(name);
	if (m == NULL || m->is_lost ||
	    !fl_msg_decode(letter->data, letter->len, &msg))
		return 0;
	return take_message(h, m, &msg);
}

/* ---- hosts --------------------------------------------------------------- */

void
dt_fleet_take_sent(
    struct dt_hdl *h, struct fleet_host *fh, const struct fl_msg *msg)
{
	struct dt_fleet *f = h->fleet;
	struct fleet_merger *m =
	    fh->number < 0 ? find_merger(f, msg->text, msg->text_len) : NULL;

	if (m != NULL)
		fh->via = m;
	if (fh->via == NULL)
		fl_stream_sent(&fh->stream, msg->number);
	else if (msg->number > fh->sent)
		fh->sent = msg->number;
	if (fh->via != NULL && fh->via->is_lost)
		leave_merger(f, fh);
}

/* It sends its beginning, and then what no merger has accounted for. */
int
dt_fleet_take_beginning(
    struct dt_hdl *h, struct fleet_host *fh, const struct fl_msg *msg)
{
	struct err err = { 0 };
	struct record *r;
	int rc;

	if (!fh->is_left || fh->number >= 0)
		return 0;
	if (msg->number == 0) {
		fl_stream_fini(&fh->begin);
		fh->begin = (struct fl_stream){ 0 };
	}
	if (!fl_stream_add(&fh->begin, msg))
		return 0;
	rc = record_open_tables(
	    h->fleet->space, fh->begin.block.s, fh->begin.block.len, &r, &err);
	fl_stream_fini(&fh->begin);
	fh->begin = (struct fl_stream){ 0 };
	if (rc == 0)
		rc = dt_fleet_join(h, r, fh->name, &err);
	fh->via = NULL;
	/* the first part is the header of the file, which is with the tables */
	fh->stream.next = fh->merged != 0 ? fh->merged : 1;
	if (rc >= 0)
		fh->number = rc;
	else if (err.code != 0)
		dt_fleet_lose_host(h, fh, err_text(&err));
	rc = rc < 0 && err.code == 0 ? -1 : 0;
	err_clear(&err);
	return rc;
}

static bool
must_ask(
    const struct fleet_host *fh, const struct fleet_merger *m, uint64_t now)
{
	return fh->via == m && fh->is_left && fh->number < 0 &&
	    dt_fleet_is_there(fh) && now >= fh->direct_ns;
}

/*
 * Ask some hosts of the merger to send here: those behind the last ones, so
 * that hosts that do not begin keep no others waiting.
 */
static void
ask_hosts(struct dt_hdl *h, struct fleet_merger *m, uint64_t now)
{
	struct dt_fleet *f = h->fleet;
	struct strbuf data = { 0 }, sb = { 0 };
	struct fl_msg msg = {
		.kind = FL_DIRECT, .text = m->name, .text_len = strlen(m->name)
	};
	struct fl_account a = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < f->hosts.n && n < DIRECT_HOSTS; i++) {
		struct fleet_host *fh = f->hosts.v[m->asked++ % f->hosts.n];

		if (!must_ask(fh, m, now))
			continue;
		if (fh->direct_ns == 0)
			f->left_ns = now;
		fh->direct_ns = now + AGAIN_NS;
		snprintf(a.host, sizeof(a.host), "%s", fh->name);
		a.next = fh->merged;
		fl_account_add(&data, &a);
		n++;
	}
	if (n != 0) {
		msg.data = data.s;
		msg.len = data.len;
		fl_msg_encode(&msg, &sb);
		/* those that do not begin are asked again */
		(void)fl_bus_send(f->bus, f->run_subject, sb.s, sb.len);
	}
	strbuf_fini(&sb);
	strbuf_fini(&data);
}

/* ---- telling ------------------------------------------------------------- */

static void
tell_damage(struct dt_hdl *h, const struct fleet_merger *m)
{
	struct dt_fleet *f = h->fleet;
	const char *text;

	while (m->number >= 0 &&
	    (text = tape_merge_damage(f->merge, m->number)) != NULL) {
		dt_notice(
		    h, "merger %s: its data are damaged: %s", m->name, text);
		f->has_lost = true;
	}
}

static void
look_at_merger(struct dt_hdl *h, struct fleet_merger *m, uint64_t now)
{
	struct dt_fleet *f = h->fleet;
	char why[128];

	tell_damage(h, m);
	if (m->is_lost)
		return;
	if (!m->has_answered &&
	    now - f->asked_ns > ANSWER_S * UINT64_C(1000000000)) {
		snprintf(why, sizeof(why),
		    "it did not answer within %u seconds (does dtraced "
		    "--merge run there?)",
		    ANSWER_S);
		lose_merger(h, m, why);
	} else if (fl_is_silent(now, m->heard_ns, f->cut_ns, f->is_cut)) {
		snprintf(why, sizeof(why),
		    "nothing was heard of it for %u seconds",
		    (unsigned)((now - m->heard_ns) / 1000000000));
		lose_merger(h, m, why);
	}
}

/* A host that has ended sends nothing again. */
static bool
lacks_parts(const struct fleet_host *fh)
{
	return fh->via != NULL && fh->state == FLEET_ENDED &&
	    fh->merged < fh->sent;
}

static bool
may_come(const struct dt_fleet *f, const struct fleet_host *fh, uint64_t now)
{
	return !fh->via->is_lost &&
	    !fl_is_silent(now, fh->heard_ns, f->cut_ns, f->is_cut);
}

void
dt_fleet_look_at_mergers(struct dt_hdl *h, uint64_t now)
{
	struct dt_fleet *f = h->fleet;

	VEC_FOREACH(&f->mergers, m)
		look_at_merger(h, *m, now);
	if (f->left_ns == 0 || now < f->direct_ns)
		return;
	f->direct_ns = now + DIRECT_NS;
	VEC_FOREACH(&f->mergers, m)
		ask_hosts(h, *m, now);
}

bool
dt_fleet_must_merge(const struct dt_fleet *f)
{
	uint64_t now = now_ns();

	for (size_t i = 0; f->mergers.n != 0 && i < f->hosts.n; i++) {
		if (lacks_parts(f->hosts.v[i]) &&
		    may_come(f, f->hosts.v[i], now))
			return true;
	}
	return false;
}

bool
dt_fleet_must_begin(const struct dt_fleet *f)
{
	/* whether a merger is there must be known */
	VEC_FOREACH(&f->mergers, m) {
		if (!(*m)->has_answered && !(*m)->is_lost)
			return true;
	}
	if (f->left_ns == 0 || now_ns() - f->left_ns > BEGIN_NS)
		return false;
	VEC_FOREACH(&f->hosts, fh) {
		if ((*fh)->is_left && (*fh)->number < 0 &&
		    dt_fleet_is_there(*fh))
			return true;
	}
	return false;
}

void
dt_fleet_settle(struct dt_hdl *h)
{
	struct dt_fleet *f = h->fleet;

	VEC_FOREACH(&f->hosts, fhp) {
		struct fleet_host *fh = *fhp;

		if (lacks_parts(fh)) {
			fh->stream.nlost += fh->sent - fh->merged;
			fh->merged = fh->sent;
		}
		if (fh->via != NULL && fh->has_failed && !fh->has_whole_end)
			f->has_lost = true;
	}
	dt_fleet_look(h);
}
