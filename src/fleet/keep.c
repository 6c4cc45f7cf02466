/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JetStream, by libnats.
 *
 * A reader is a pull consumer that the server forgets when nobody asks it any
 * more; where it was is known here alone, so a server that is restarted gets a
 * new consumer, which begins behind the last letter that was taken.
 */
#include "fleet/keep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "fleet/nats_lib.h"

#define BATCH 256		     /* letters that the server sends at once */
#define AGAIN_NS UINT64_C(500000000) /* wait before a new consumer is made */
/* after which a consumer without letters is replaced */
#define STALE_NS UINT64_C(3000000000)
#define INACTIVE_NS INT64_C(30000000000)

struct fl_keep {
	jsCtx *js;
};

/* Set the error of the last call, which did `what`.  `code` tells a server
 * without JetStream from one without the stream. */
CHECKED static int
fail(natsStatus s, jsErrCode code, const char *what, struct err *err)
{
	natsStatus last;
	const char *why = fl_nats.nats_GetLastError(&last);

	if (s == NATS_NO_RESPONDERS || code == JSNotEnabledErr ||
	    code == JSNotEnabledForAccountErr)
		return err_set(err, -ENOSYS,
		    "the NATS server keeps nothing: start it with JetStream "
		    "(nats-server -js -sd FOLDER)");
	if (why == NULL || *why == '\0')
		why = fl_nats.natsStatus_GetText(s);
	return err_set(err,
	    code == JSStreamNotFoundErr || s == NATS_NOT_FOUND ? -ENOENT : -EIO,
	    "the NATS server cannot %s: %s", what, why);
}

int
fl_keep_open(struct fl_bus *bus, struct fl_keep **outp, struct err *err)
{
	struct fl_keep *k;
	jsOptions opts;
	natsStatus s;
	int rc;

	if (fl_nats_load(err) != 0)
		return err->code;
	k = mem_alloc(sizeof(*k));
	fl_nats.jsOptions_Init(&opts);
	opts.Wait = FL_KEEP_MS;
	s = fl_nats.natsConnection_JetStream(
	    &k->js, fl_bus_connection(bus), &opts);
	if (s == NATS_OK) {
		*outp = k;
		return 0;
	}
	rc = fail(s, 0, "be asked", err);
	free(k);
	return rc;
}

void
fl_keep_close(struct fl_keep *k)
{
	if (k == NULL)
		return;
	fl_nats.jsCtx_Destroy(k->js);
	free(k);
}

/* ---- streams ------------------------------------------------------------- */

static void
fill(jsStreamConfig *c, const struct fl_keep_form *form)
{
	fl_nats.jsStreamConfig_Init(c);
	c->Name = form->name;
	c->Subjects = (const char **)(uintptr_t)form->subjects;
	while (c->SubjectsLen < FL_KEEP_SUBJECTS &&
	    form->subjects[c->SubjectsLen] != NULL)
		c->SubjectsLen++;
	c->Storage = js_FileStorage;
	c->MaxBytes = (int64_t)form->max_bytes;
	c->MaxAge = (int64_t)form->max_age_ns;
	c->Discard = form->is_full_at_end ? js_DiscardNew : js_DiscardOld;
	if (form->keeps_last)
		c->MaxMsgsPerSubject = 1;
}

int
fl_keep_make(
    struct fl_keep *k, const struct fl_keep_form *form, struct err *err)
{
	struct fl_keep_state state;
	jsStreamConfig c;
	jsErrCode code = 0;
	natsStatus s;
	int rc = fl_keep_look(k, form->name, &state, err);

	if (rc != -ENOENT)
		return rc;
	err_clear(err);
	fill(&c, form);
	s = fl_nats.js_AddStream(NULL, k->js, &c, NULL, &code);
	return s == NATS_OK ? 0 : fail(s, code, "make a stream", err);
}

int
fl_keep_remove(struct fl_keep *k, const char *stream, struct err *err)
{
	jsErrCode code = 0;
	natsStatus s = fl_nats.js_DeleteStream(k->js, stream, NULL, &code);

	return s == NATS_OK || code == JSStreamNotFoundErr ?
	    0 :
	    fail(s, code, "remove a stream", err);
}

int
fl_keep_forget(
    struct fl_keep *k, const char *stream, const char *subject, struct err *err)
{
	jsErrCode code = 0;
	jsOptions opts;
	natsStatus s;

	fl_nats.jsOptions_Init(&opts);
	opts.Wait = FL_KEEP_MS;
	opts.Stream.Purge.Subject = subject;
	s = fl_nats.js_PurgeStream(k->js, stream, &opts, &code);
	return s == NATS_OK ? 0 : fail(s, code, "forget a request", err);
}

int
fl_keep_put(struct fl_keep *k, const char *subject, const void *data,
    size_t len, struct err *err)
{
	jsErrCode code = 0;
	natsStatus s = fl_nats.js_Publish(
	    NULL, k->js, subject, data, (int)len, NULL, &code);

	return s == NATS_OK ? 0 : fail(s, code, "keep the request", err);
}

int
fl_keep_look(struct fl_keep *k, const char *stream, struct fl_keep_state *out,
    struct err *err)
{
	jsStreamInfo *info = NULL;
	jsErrCode code = 0;
	natsStatus s =
	    fl_nats.js_GetStreamInfo(&info, k->js, stream, NULL, &code);

	if (s != NATS_OK)
		return fail(s, code, "tell what it keeps", err);
	*out = (struct fl_keep_state){ .n = info->State.Msgs,
		.bytes = info->State.Bytes,
		.first = info->State.FirstSeq,
		.last = info->State.LastSeq };
	fl_nats.jsStreamInfo_Destroy(info);
	return 0;
}

/* ---- reading ------------------------------------------------------------- */

struct fl_reader {
	struct fl_keep *k;
	struct fl_reader_opts opts;
	natsSubscription *sub; /* NULL: it is made at the next call */
	natsMsgList list;
	int next;	   /* of the list */
	uint64_t begin_ns; /* a consumer is made then, not before */
	uint64_t heard_ns; /* a letter came, or the consumer was made */
	bool is_at_end;
};

struct fl_reader *
fl_reader_open(struct fl_keep *k, const struct fl_reader_opts *opts)
{
	struct fl_reader *r = mem_alloc(sizeof(*r));

	r->k = k;
	r->opts = *opts;
	if (r->opts.first == 0)
		r->opts.first = 1;
	return r;
}

static void
forget_list(struct fl_reader *r)
{
	fl_nats.natsMsgList_Destroy(&r->list);
	r->list = (natsMsgList){ 0 };
	r->next = 0;
}

static void
drop_consumer(struct fl_reader *r)
{
	if (r->sub != NULL)
		fl_nats.natsSubscription_Destroy(r->sub);
	r->sub = NULL;
	r->is_at_end = false;
	r->begin_ns = now_ns() + AGAIN_NS;
}

void
fl_reader_close(struct fl_reader *r)
{
	if (r == NULL)
		return;
	forget_list(r);
	if (r->sub != NULL)
		fl_nats.natsSubscription_Destroy(r->sub);
	free(r);
}

static void
set_consumer(const struct fl_reader *r, jsConsumerConfig *c)
{
	fl_nats.jsConsumerConfig_Init(c);
	c->AckPolicy = js_AckNone;
	c->FilterSubject = r->opts.filter;
	c->InactiveThreshold = INACTIVE_NS;
	c->MemoryStorage = true;
	if (r->opts.only_last) {
		c->DeliverPolicy = js_DeliverLastPerSubject;
		return;
	}
	c->DeliverPolicy = js_DeliverByStartSequence;
	c->OptStartSeq = r->opts.first;
}

/* Make the consumer, and subscribe to it. */
static bool
begin(struct fl_reader *r)
{
	jsConsumerInfo *info = NULL;
	jsConsumerConfig c;
	jsSubOptions bind;
	natsStatus s;

	if (now_ns() < r->begin_ns)
		return false;
	set_consumer(r, &c);
	s = fl_nats.js_AddConsumer(
	    &info, r->k->js, r->opts.stream, &c, NULL, NULL);
	if (s == NATS_OK) {
		fl_nats.jsSubOptions_Init(&bind);
		bind.Stream = r->opts.stream;
		bind.Consumer = info->Name;
		bind.Config = c; /* the library compares both */
		s = fl_nats.js_PullSubscribe(
		    &r->sub, r->k->js, r->opts.filter, NULL, NULL, &bind, NULL);
		r->is_at_end = info->NumPending == 0;
		fl_nats.jsConsumerInfo_Destroy(info);
	}
	if (s == NATS_OK) {
		r->heard_ns = now_ns();
		return true;
	}
	r->sub = NULL;
	drop_consumer(r);
	return false;
}

/* Nothing came for long: does the consumer not have what the stream has? */
static bool
is_stale(struct fl_reader *r)
{
	struct fl_keep_state state;
	struct err err = { 0 };
	bool is_stale;

	if (now_ns() - r->heard_ns < STALE_NS)
		return false;
	r->heard_ns = now_ns();
	is_stale = fl_keep_look(r->k, r->opts.stream, &state, &err) != 0 ||
	    state.last >= r->opts.first;
	err_clear(&err);
	return is_stale;
}

/* Ask the server for more. */
static bool
fetch(struct fl_reader *r, int timeout_ms)
{
	natsStatus s;

	forget_list(r);
	if (r->sub == NULL && !begin(r))
		return false;
	s = fl_nats.natsSubscription_Fetch(
	    &r->list, r->sub, r->is_at_end ? 1 : BATCH, timeout_ms, NULL);
	if (s == NATS_OK && r->list.Count > 0) {
		r->heard_ns = now_ns();
		return true;
	}
	if ((s != NATS_TIMEOUT && s != NATS_OK) || is_stale(r))
		drop_consumer(r);
	return false;
}

static void
take(struct fl_reader *r, natsMsg *msg, struct fl_kept *out)
{
	jsMsgMetaData *meta = NULL;

	*out = (struct fl_kept){ .letter = { fl_nats.natsMsg_GetSubject(msg),
				     fl_nats.natsMsg_GetData(msg),
				     (size_t)fl_nats.natsMsg_GetDataLength(
					 msg) } };
	if (fl_nats.natsMsg_GetMetaData(&meta, msg) != NATS_OK)
		return;
	out->number = meta->Sequence.Stream;
	out->wall_ns = (uint64_t)meta->Timestamp;
	if (r->opts.filter == NULL && out->number > r->opts.first)
		out->nmissed = out->number - r->opts.first;
	r->opts.first = out->number + 1;
	r->is_at_end = meta->NumPending == 0;
	fl_nats.jsMsgMetaData_Destroy(meta);
}

bool
fl_reader_next(struct fl_reader *r, int timeout_ms, struct fl_kept *out)
{
	if (r->next >= r->list.Count && !fetch(r, timeout_ms))
		return false;
	take(r, r->list.Msgs[r->next++], out);
	return true;
}

bool
fl_reader_is_at_end(const struct fl_reader *r)
{
	return r->is_at_end && r->next >= r->list.Count;
}
