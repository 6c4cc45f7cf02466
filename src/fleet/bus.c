/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libnats, which is loaded when a fleet is first wanted.
 *
 * `lock` guards the queue and its numbers; libnats' threads take it in
 * on_letter(), with no other lock of ours.
 */
#include "fleet/bus.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/vec.h"
#include "fleet/nats_lib.h"

#define QUEUE_MAX ((size_t)64 << 20) /* bytes that wait here */
#define LETTER_COST 512	   /* of a letter in libnats, besides its data */
#define SEND_MAX (8 << 20) /* bytes that wait for the server */
#define SUBSCRIPTIONS_MAX 8
#define COMPACT 4096 /* letters taken from the queue's beginning */
#define SERVERS_MAX 64
#define CONNECT_MS 5000
#define RECONNECT_MS 250

struct fl_bus {
	natsConnection *nc;
	natsSubscription *subs[SUBSCRIPTIONS_MAX];
	size_t nsubs;
	int fd;
	natsMsg *taken; /* the letter that fl_bus_take() gave */
	atomic_bool
	    is_forbidden; /* on_error() sets it; nothing pairs with it */

	size_t queue_max;

	pthread_mutex_t lock;
	VEC(natsMsg *) queue;
	size_t first; /* of the queue */
	size_t bytes; /* of the queue */
	uint64_t ndropped;
};

/* ---- connecting ---------------------------------------------------------- */

/* libnats ignores a setting that lacks its other half, or crashes. */
CHECKED static int
check_pairs(const struct fl_bus_opts *opts, struct err *err)
{
	const struct {
		const char *what, *has, *needs, *needed;
	} pairs[] = {
		{ "password", opts->password, "user", opts->user },
		{ "nkey", opts->nkey, "nkey_file", opts->nkey_file },
		{ "nkey_file", opts->nkey_file, "nkey", opts->nkey },
		{ "cert", opts->cert, "key", opts->key },
		{ "key", opts->key, "cert", opts->cert },
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		if (pairs[i].has != NULL && pairs[i].needed == NULL)
			return err_set(err, -EINVAL, "%s is set without %s",
			    pairs[i].what, pairs[i].needs);
	}
	return 0;
}

/* libnats does not say which file it cannot read, and why. */
CHECKED static int
check_opts(const struct fl_bus_opts *opts, struct err *err)
{
	const char *const files[] = { opts->creds, opts->nkey_file, opts->ca,
		opts->cert, opts->key };
	int rc = opts->url != NULL ?
	    check_pairs(opts, err) :
	    err_set(err, -EINVAL,
		"no server is set: url = nats://HOST in the configuration");

	for (size_t i = 0; rc == 0 && i < sizeof(files) / sizeof(files[0]);
	     i++) {
		if (files[i] != NULL && access(files[i], R_OK) != 0)
			rc = err_set(err, -errno, "cannot read %s: %s",
			    files[i], strerror(errno));
	}
	return rc;
}

static natsStatus
set_identity(natsOptions *o, const struct fl_bus_opts *opts)
{
	natsStatus s = NATS_OK;

	if (opts->user != NULL)
		s = fl_nats.natsOptions_SetUserInfo(o, opts->user,
		    opts->password != NULL ? opts->password : "");
	if (s == NATS_OK && opts->token != NULL)
		s = fl_nats.natsOptions_SetToken(o, opts->token);
	if (s == NATS_OK && opts->creds != NULL)
		s = fl_nats.natsOptions_SetUserCredentialsFromFiles(
		    o, opts->creds, NULL);
	if (s == NATS_OK && opts->nkey != NULL)
		s = fl_nats.natsOptions_SetNKeyFromSeed(
		    o, opts->nkey, opts->nkey_file);
	return s;
}

/* libnats 3.4 takes tls:// for nats://, and would send a password in clear. */
static bool
wants_tls(const struct fl_bus_opts *opts)
{
	const char *p = opts->url;

	while (p != NULL && strncmp(p, "tls://", 6) != 0) {
		p = strchr(p, ',');
		p = p != NULL ? p + 1 : NULL;
	}
	return p != NULL || opts->ca != NULL || opts->cert != NULL;
}

static natsStatus
set_tls(natsOptions *o, const struct fl_bus_opts *opts)
{
	natsStatus s =
	    wants_tls(opts) ? fl_nats.natsOptions_SetSecure(o, true) : NATS_OK;

	if (s == NATS_OK && opts->ca != NULL)
		s = fl_nats.natsOptions_LoadCATrustedCertificates(o, opts->ca);
	if (s == NATS_OK && opts->cert != NULL)
		s = fl_nats.natsOptions_LoadCertificatesChain(
		    o, opts->cert, opts->key);
	return s;
}

/* The servers between commas. */
static natsStatus
set_servers(natsOptions *o, const char *url)
{
	const char *servers[SERVERS_MAX];
	char *copy = mem_strdup(url), *p = copy;
	natsStatus s;
	int n = 0;

	while (p != NULL && n < SERVERS_MAX)
		servers[n++] = strsep(&p, ",");
	s = p == NULL ? fl_nats.natsOptions_SetServers(o, servers, n) :
			NATS_INVALID_ARG;
	free(copy);
	return s;
}

static natsStatus
set_times(natsOptions *o)
{
	natsStatus s = fl_nats.natsOptions_SetTimeout(o, CONNECT_MS);

	if (s == NATS_OK)
		s = fl_nats.natsOptions_SetMaxReconnect(o, INT32_MAX);
	if (s == NATS_OK)
		s = fl_nats.natsOptions_SetReconnectWait(o, RECONNECT_MS);
	if (s == NATS_OK)
		s = fl_nats.natsOptions_SetReconnectBufSize(o, SEND_MAX);
	if (s == NATS_OK)
		s = fl_nats.natsOptions_SetWriteDeadline(o, 2000);
	return s;
}

static natsStatus
set_options(natsOptions *o, const struct fl_bus_opts *opts)
{
	natsStatus s = set_servers(o, opts->url);

	if (s == NATS_OK)
		s = fl_nats.natsOptions_SetName(o, opts->name);
	if (s == NATS_OK)
		s = set_times(o);
	if (s == NATS_OK)
		s = set_identity(o, opts);
	return s == NATS_OK ? set_tls(o, opts) : s;
}

/* The user's next step after such an error of connecting; NULL: libnats's own
 * text says it. */
static const char *
hint(natsStatus s)
{
	if (s == NATS_NO_SERVER || s == NATS_TIMEOUT)
		return "does nats-server run there, and does the network let "
		       "this host reach it?";
	if (s == NATS_CONNECTION_AUTH_FAILED)
		return "the server takes another user, password, token, NKey "
		       "or file of credentials";
	if (s == NATS_SECURE_CONNECTION_WANTED)
		return "the server has no TLS, which tls://, ca or cert ask "
		       "for";
	/* TLS 1.3 has begun when the server looks at the certificate */
	if (s == NATS_PROTOCOL_ERROR || s == NATS_IO_ERROR ||
	    s == NATS_CONNECTION_CLOSED)
		return "the server closes the connection: it may want another "
		       "client's certificate (cert, key)";
	return NULL;
}

/* libnats begins its text with a file's name and a line: "(NAME:1905): ". */
static const char *
without_place(const char *text)
{
	const char *end = strstr(text, "): ");

	return *text == '(' && end != NULL ? end + 3 : text;
}

/* A URL may hold a password: it is not told. */
CHECKED static int
cannot_connect(natsStatus s, struct err *err)
{
	natsStatus last;
	const char *why = fl_nats.nats_GetLastError(&last), *help = hint(s);

	if (why == NULL || *why == '\0')
		why = fl_nats.natsStatus_GetText(s);
	return err_set(err, -ECONNREFUSED,
	    "cannot connect to the NATS server: %s%s%s", without_place(why),
	    help != NULL ? ": " : "", help != NULL ? help : "");
}

/* The server says so of each message, and of each subscription. */
static void
on_error(
    natsConnection *nc, natsSubscription *sub, natsStatus status, void *arg)
{
	struct fl_bus *b = arg;

	(void)nc;
	(void)sub;
	if (status == NATS_NOT_PERMITTED)
		atomic_store(&b->is_forbidden, true);
}

/* libnats connects later only if it has somebody to tell. */
static void
on_connected(natsConnection *nc, void *arg)
{
	(void)nc;
	(void)arg;
}

/*
 * A server that may come is asked once before it is waited for: while libnats
 * waits, it does not say why a server refuses.
 */
static natsStatus
connect_to(struct fl_bus *b, const struct fl_bus_opts *opts)
{
	natsOptions *o = NULL;
	natsStatus s = fl_nats.natsOptions_Create(&o);

	if (s == NATS_OK)
		s = set_options(o, opts);
	if (s == NATS_OK)
		s = fl_nats.natsOptions_SetErrorHandler(o, on_error, b);
	if (s == NATS_OK)
		s = fl_nats.natsConnection_Connect(&b->nc, o);
	if ((s == NATS_NO_SERVER || s == NATS_TIMEOUT) && opts->waits) {
		s = fl_nats.natsOptions_SetRetryOnFailedConnect(
		    o, true, on_connected, NULL);
		if (s == NATS_OK)
			s = fl_nats.natsConnection_Connect(&b->nc, o);
	}
	if (o != NULL)
		fl_nats.natsOptions_Destroy(o);
	/* it goes on trying */
	return s == NATS_NOT_YET_CONNECTED ? NATS_OK : s;
}

int
fl_bus_open(
    const struct fl_bus_opts *opts, struct fl_bus **outp, struct err *err)
{
	struct fl_bus *b;
	natsStatus s;

	if (fl_nats_load(err) != 0)
		return err->code;
	if (check_opts(opts, err) != 0)
		return err->code;
	b = mem_alloc(sizeof(*b));
	b->queue_max = opts->queue_max != 0 ? opts->queue_max : QUEUE_MAX;
	pthread_mutex_init(&b->lock, NULL);
	b->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	s = b->fd >= 0 ? connect_to(b, opts) : NATS_SYS_ERROR;
	if (s != NATS_OK) {
		int rc = cannot_connect(s, err);

		fl_bus_close(b);
		return rc;
	}
	*outp = b;
	return 0;
}

void
fl_bus_close(struct fl_bus *b)
{
	if (b == NULL)
		return;
	for (size_t i = 0; i < b->nsubs; i++)
		fl_nats.natsSubscription_Destroy(b->subs[i]);
	if (b->nc != NULL)
		fl_nats.natsConnection_Destroy(b->nc);
	if (b->taken != NULL)
		fl_nats.natsMsg_Destroy(b->taken);
	for (size_t i = b->first; i < b->queue.n; i++)
		fl_nats.natsMsg_Destroy(b->queue.v[i]);
	VEC_FREE(&b->queue);
	if (b->fd >= 0)
		close(b->fd);
	pthread_mutex_destroy(&b->lock);
	free(b);
}

/* ---- letters ------------------------------------------------------------- */

/* Bytes that a waiting letter takes: empty ones take some, too. */
static size_t
size_of(const natsMsg *msg)
{
	return (size_t)fl_nats.natsMsg_GetDataLength(msg) + LETTER_COST;
}

static void
on_letter(natsConnection *nc, natsSubscription *sub, natsMsg *msg, void *arg)
{
	struct fl_bus *b = arg;
	size_t size = size_of(msg);
	uint64_t one = 1;
	bool keeps;

	(void)nc;
	(void)sub;
	pthread_mutex_lock(&b->lock);
	keeps = size <= FL_LETTER_MAX + LETTER_COST &&
	    b->bytes + size <= b->queue_max;
	if (keeps) {
		VEC_PUSH(&b->queue, msg);
		b->bytes += size;
	} else {
		b->ndropped++;
	}
	pthread_mutex_unlock(&b->lock);
	if (!keeps)
		fl_nats.natsMsg_Destroy(msg);
	/* it fails only if the descriptor is already readable */
	else if (write(b->fd, &one, sizeof(one)) < 0)
		return;
}

int
fl_bus_subscribe(struct fl_bus *b, const char *subject, struct err *err)
{
	natsSubscription *sub = NULL;
	natsStatus s;

	if (b->nsubs == SUBSCRIPTIONS_MAX)
		return err_set(err, -ENOSPC, "too many subscriptions");
	s = fl_nats.natsConnection_Subscribe(
	    &sub, b->nc, subject, on_letter, b);
	if (s != NATS_OK)
		return err_set(err, -EIO, "cannot subscribe to %s: %s", subject,
		    fl_nats.natsStatus_GetText(s));
	/* on_letter() never waits, so little waits before it */
	(void)fl_nats.natsSubscription_SetPendingLimits(
	    sub, -1, (int)b->queue_max);
	b->subs[b->nsubs++] = sub;
	return 0;
}

int
fl_bus_send(struct fl_bus *b, const char *subject, const void *data, size_t len)
{
	if (fl_nats.natsConnection_Buffered(b->nc) > SEND_MAX)
		return -EAGAIN;
	return fl_nats.natsConnection_Publish(b->nc, subject, data, (int)len) ==
		NATS_OK ?
	    0 :
	    -EAGAIN;
}

void
fl_bus_flush(struct fl_bus *b, int timeout_ms)
{
	(void)fl_nats.natsConnection_FlushTimeout(b->nc, timeout_ms);
}

static void
forget_taken(struct fl_bus *b)
{
	if (b->taken != NULL)
		fl_nats.natsMsg_Destroy(b->taken);
	b->taken = NULL;
}

/* Letters may come faster than the queue gets empty: keep it short. */
static void
compact_queue(struct fl_bus *b)
{
	size_t left = b->queue.n - b->first;

	if (b->first < COMPACT || b->first < left)
		return;
	memmove(b->queue.v, b->queue.v + b->first, left * sizeof(*b->queue.v));
	b->queue.n = left;
	b->first = 0;
}

static void
reset_queue(struct fl_bus *b)
{
	uint64_t n;

	b->queue.n = b->first = 0;
	/* it fails only if the descriptor is not readable */
	if (read(b->fd, &n, sizeof(n)) < 0)
		return;
}

bool
fl_bus_take(struct fl_bus *b, struct fl_letter *out)
{
	forget_taken(b);
	pthread_mutex_lock(&b->lock);
	if (b->first < b->queue.n) {
		b->taken = b->queue.v[b->first++];
		b->bytes -= size_of(b->taken);
		compact_queue(b);
	} else {
		reset_queue(b);
	}
	pthread_mutex_unlock(&b->lock);
	if (b->taken == NULL)
		return false;
	*out = (struct fl_letter){ fl_nats.natsMsg_GetSubject(b->taken),
		fl_nats.natsMsg_GetData(b->taken),
		(size_t)fl_nats.natsMsg_GetDataLength(b->taken) };
	return true;
}

int
fl_bus_fd(const struct fl_bus *b)
{
	return b->fd;
}

bool
fl_bus_is_connected(const struct fl_bus *b)
{
	return fl_nats.natsConnection_Status(b->nc) ==
	    NATS_CONN_STATUS_CONNECTED;
}

bool
fl_bus_is_closed(const struct fl_bus *b)
{
	return fl_nats.natsConnection_Status(b->nc) == NATS_CONN_STATUS_CLOSED;
}

bool
fl_bus_is_forbidden(const struct fl_bus *b)
{
	return atomic_load(&b->is_forbidden);
}

void *
fl_bus_connection(struct fl_bus *b)
{
	return b->nc;
}

uint64_t
fl_bus_ndropped(struct fl_bus *b)
{
	uint64_t n;

	pthread_mutex_lock(&b->lock);
	n = b->ndropped;
	pthread_mutex_unlock(&b->lock);
	for (size_t i = 0; i < b->nsubs; i++) {
		int64_t more = 0;

		if (fl_nats.natsSubscription_GetDropped(b->subs[i], &more) ==
		    NATS_OK)
			n += (uint64_t)more;
	}
	return n;
}
