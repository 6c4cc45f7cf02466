/* SPDX-License-Identifier: BSD-2-Clause */
#include "libdtrace/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <microhttpd.h>

#include "base/dynlib.h"
#include "base/mem.h"
#include "sonames.h"

#define CONNECTIONS_MAX 32U
#define CONNECTION_MEMORY                                                      \
	((size_t)32 << 10) /* bytes: a request and its lines */
#define SILENCE_MAX 10U	   /* s, before a client is dropped */

static struct {
#define MHD_FN(name) __typeof__(name) *name;
#include "libdtrace/mhd_fns.def"
#undef MHD_FN
} lib;

/* load() writes this once, under `once`; all threads read it after that. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static char *load_error;

static const struct dynlib_fn functions[] = {
#define MHD_FN(name) { #name, offsetof(__typeof__(lib), name) },
#include "libdtrace/mhd_fns.def"
#undef MHD_FN
};

static void
load(void)
{
	load_error = dynlib_load(SONAME_MICROHTTPD, PACKAGE_MICROHTTPD,
	    functions, sizeof(functions) / sizeof(functions[0]), &lib);
}

struct dt_listen {
	dt_listen_f *f;
	void *arg;
	struct MHD_Daemon *daemon;
	int fd; /* of the daemon's epoll set */
	char *url;
};

/* ---- addresses ---------------------------------------------------------- */

struct listen_at {
	char *host, *port; /* malloced */
};

static void
at_fini(struct listen_at *at)
{
	free(at->host);
	free(at->port);
}

static bool
is_port(const char *s)
{
	size_t n = strspn(s, "0123456789");

	return n > 0 && n <= 5 && s[n] == '\0' && atoi(s) <= UINT16_MAX;
}

/* The host without the brackets that an IPv6 address has before a port. */
static char *
host_of(const char *where, size_t len)
{
	if (len == 0)
		return mem_strdup("127.0.0.1");
	if (where[0] == '[' && len > 2 && where[len - 1] == ']')
		return mem_strndup(where + 1, len - 2);
	return memchr(where, ':', len) == NULL ? mem_strndup(where, len) : NULL;
}

static bool
parse(const char *where, struct listen_at *at)
{
	const char *colon = strrchr(where, ':');

	*at = (struct listen_at){ 0 };
	if (colon != NULL && is_port(colon + 1))
		at->host = host_of(where, (size_t)(colon - where));
	if (at->host == NULL)
		return false;
	at->port = mem_strdup(colon + 1);
	return true;
}

bool
dt_listen_is_address(const char *where)
{
	struct listen_at at;
	bool is = parse(where, &at);

	at_fini(&at);
	return is;
}

/* A listening socket at the address; or -errno with *err. */
CHECKED static int
listen_on(const struct addrinfo *ai, struct err *err)
{
	int one = 1, rc;
	int fd = socket(ai->ai_family,
	    ai->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, ai->ai_protocol);

	if (fd < 0)
		return err_set(err, -errno, "%s", strerror(errno));
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) == 0 &&
	    bind(fd, ai->ai_addr, ai->ai_addrlen) == 0 &&
	    listen(fd, CONNECTIONS_MAX) == 0)
		return fd;
	rc = err_set(err, -errno, "%s", strerror(errno));
	close(fd);
	return rc;
}

CHECKED static int
open_socket(const char *where, struct err *err)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
		.ai_flags = AI_PASSIVE | AI_NUMERICSERV };
	struct addrinfo *all;
	struct listen_at at;
	int rc, code = EAI_NONAME;

	if (parse(where, &at))
		code = getaddrinfo(at.host, at.port, &hints, &all);
	at_fini(&at);
	if (code != 0)
		return err_set(err, -EADDRNOTAVAIL, "no address of %s: %s",
		    where, gai_strerror(code));
	rc = listen_on(all, err);
	freeaddrinfo(all);
	if (rc < 0)
		err_prefix(err, "%s", where);
	return rc;
}

static char *
url_of(int fd)
{
	struct sockaddr_storage ss = { 0 };
	socklen_t len = sizeof(ss);
	char host[NI_MAXHOST] = "", port[NI_MAXSERV] = "";
	bool is_v6;

	if (getsockname(fd, (struct sockaddr *)&ss, &len) == 0)
		getnameinfo((struct sockaddr *)&ss, len, host, sizeof(host),
		    port, sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV);
	is_v6 = ss.ss_family == AF_INET6;
	return mem_printf("http://%s%s%s:%s/metrics", is_v6 ? "[" : "", host,
	    is_v6 ? "]" : "", port);
}

/* ---- requests ----------------------------------------------------------- */

#define TYPE_TEXT "text/plain; charset=utf-8"
#define TYPE_METRICS "text/plain; version=0.0.4; charset=utf-8"

static enum MHD_Result
answer(struct MHD_Connection *conn, unsigned code, const char *type,
    const char *text, size_t len)
{
	struct MHD_Response *r = lib.MHD_create_response_from_buffer(
	    len, (void *)(uintptr_t)text, MHD_RESPMEM_MUST_COPY);
	enum MHD_Result rc = MHD_NO;

	if (r == NULL)
		return MHD_NO;
	if (lib.MHD_add_response_header(r, "Content-Type", type) == MHD_YES &&
	    (code != MHD_HTTP_METHOD_NOT_ALLOWED ||
		lib.MHD_add_response_header(r, "Allow", "GET, HEAD") ==
		    MHD_YES))
		rc = lib.MHD_queue_response(conn, code, r);
	lib.MHD_destroy_response(r);
	return rc;
}

static enum MHD_Result
answer_text(struct MHD_Connection *conn, unsigned code, const char *text)
{
	return answer(conn, code, TYPE_TEXT, text, strlen(text));
}

static enum MHD_Result
answer_metrics(const struct dt_listen *l, struct MHD_Connection *conn)
{
	struct strbuf text = { 0 };
	enum MHD_Result rc;

	if (l->f(l->arg, &text))
		rc = answer(conn, MHD_HTTP_OK, TYPE_METRICS,
		    text.s != NULL ? text.s : "", text.len);
	else
		rc = answer_text(conn, MHD_HTTP_SERVICE_UNAVAILABLE,
		    "Tracing has not begun.\n");
	strbuf_fini(&text);
	return rc;
}

/*
 * libmicrohttpd calls this when it has a request's head, and again for its
 * body, which is ignored.  `*seen` belongs to the request.
 */
static enum MHD_Result
take_request(void *arg, struct MHD_Connection *conn, const char *url,
    const char *method, const char *version, const char *data, size_t *len,
    void **seen)
{
	struct dt_listen *l = arg;

	(void)version;
	(void)data;
	if (*seen == NULL) {
		*seen = l;
		return MHD_YES;
	}
	if (*len != 0) {
		*len = 0;
		return MHD_YES;
	}
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 &&
	    strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
		return answer_text(conn, MHD_HTTP_METHOD_NOT_ALLOWED,
		    "Metrics can only be read.\n");
	if (strcmp(url, "/metrics") == 0)
		return answer_metrics(l, conn);
	if (strcmp(url, "/") == 0)
		return answer_text(
		    conn, MHD_HTTP_OK, "The metrics are at /metrics.\n");
	return answer_text(conn, MHD_HTTP_NOT_FOUND,
	    "There is nothing here; the metrics are at /metrics.\n");
}

/* ---- life --------------------------------------------------------------- */

/* The daemon owns the socket. */
CHECKED static int
start(struct dt_listen *l, int fd, struct err *err)
{
	const union MHD_DaemonInfo *info;

	l->daemon = lib.MHD_start_daemon(MHD_USE_EPOLL, 0, NULL, NULL,
	    take_request, l, MHD_OPTION_LISTEN_SOCKET, fd,
	    MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS_MAX,
	    MHD_OPTION_CONNECTION_MEMORY_LIMIT, CONNECTION_MEMORY,
	    MHD_OPTION_CONNECTION_TIMEOUT, SILENCE_MAX, MHD_OPTION_END);
	if (l->daemon == NULL) {
		close(fd);
		return err_set(err, -EIO, "libmicrohttpd cannot start: %s",
		    strerror(errno));
	}
	info = lib.MHD_get_daemon_info(l->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	if (info == NULL || info->epoll_fd < 0)
		return err_set(
		    err, -ENOSYS, "this libmicrohttpd has no epoll set");
	l->fd = info->epoll_fd;
	return 0;
}

struct dt_listen *
dt_listen_open(const char *where, dt_listen_f *f, void *arg, struct err *err)
{
	struct dt_listen *l;
	int fd;

	pthread_once(&once, load);
	if (load_error != NULL) {
		(void)err_set(err, -ENOENT, "%s", load_error);
		return NULL;
	}
	fd = open_socket(where, err);
	if (fd < 0)
		return NULL;
	l = mem_alloc(sizeof(*l));
	l->f = f;
	l->arg = arg;
	l->url = url_of(fd);
	if (start(l, fd, err) == 0)
		return l;
	dt_listen_close(l);
	return NULL;
}

void
dt_listen_close(struct dt_listen *l)
{
	if (l == NULL)
		return;
	if (l->daemon != NULL)
		lib.MHD_stop_daemon(l->daemon);
	free(l->url);
	free(l);
}

int
dt_listen_fd(const struct dt_listen *l)
{
	return l->fd;
}

void
dt_listen_work(struct dt_listen *l)
{
	(void)lib.MHD_run(l->daemon);
}

const char *
dt_listen_url(const struct dt_listen *l)
{
	return l->url;
}
