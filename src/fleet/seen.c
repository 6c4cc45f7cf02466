/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Remember requests, in memory and in a file.
 *
 * The file is a log: each line is an event, in the form
 *
 *	accepted ID EXPIRES-NS
 *	ended ID
 *
 * A line is on disk before its request is accepted.  The log is written anew,
 * without what has expired, when it is opened and when it has LINES_MAX lines.
 * A crash may cut off the last line: its request was not accepted then.
 */
#include "fleet/seen.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "fleet/request.h"

#define LOG "accepted-requests"
#define LOG_NEW LOG ".new"
#define ID_TEXT (2 * FL_ID_SIZE)
#define LINE_MAX 80
#define LINES_MAX ((size_t)3 * FL_SEEN_MAX)
#define FILE_MAX (LINES_MAX * LINE_MAX)

struct seen_id {
	uint8_t id[FL_ID_SIZE];
	uint64_t expires_ns;
	bool has_ended;
};

#define NSLOTS (2 * FL_SEEN_MAX) /* a power of two */

struct fl_seen {
	VEC(struct seen_id) ids;
	uint32_t slots[NSLOTS]; /* by hash: index in ids plus 1, or 0 */
	int dir;		/* locked by this agent; -1: only in memory */
	int log;		/* opened to append; -1: only in memory */
	size_t nlines;
};

/* The slot of an id, or the free one where it belongs. */
static uint32_t *
find_slot(struct fl_seen *s, const uint8_t id[FL_ID_SIZE])
{
	size_t at = (size_t)hash_bytes(id, FL_ID_SIZE) % NSLOTS;

	while (s->slots[at] != 0 &&
	    memcmp(s->ids.v[s->slots[at] - 1].id, id, FL_ID_SIZE) != 0)
		at = (at + 1) % NSLOTS;
	return &s->slots[at];
}

static struct seen_id *
find(struct fl_seen *s, const uint8_t id[FL_ID_SIZE])
{
	uint32_t slot = *find_slot(s, id);

	return slot != 0 ? &s->ids.v[slot - 1] : NULL;
}

/* Add an id that is not in the table; the table has room for it. */
static void
remember(struct fl_seen *s, const struct seen_id *e)
{
	VEC_PUSH(&s->ids, *e);
	*find_slot(s, e->id) = (uint32_t)s->ids.n;
}

static void
forget_expired(struct fl_seen *s, uint64_t now_ns)
{
	size_t n = s->ids.n;

	memset(s->slots, 0, sizeof(s->slots));
	s->ids.n = 0;
	for (size_t i = 0; i < n; i++) {
		struct seen_id e = s->ids.v[i];

		if (e.expires_ns > now_ns)
			remember(s, &e);
	}
}

/* ---- lines -------------------------------------------------------------- */

static void
format_id(const uint8_t id[FL_ID_SIZE], char text[ID_TEXT + 1])
{
	for (size_t i = 0; i < FL_ID_SIZE; i++)
		snprintf(text + 2 * i, 3, "%02x", id[i]);
}

static bool
parse_id(const char *text, uint8_t id[FL_ID_SIZE])
{
	char again[ID_TEXT + 1];

	for (size_t i = 0; i < FL_ID_SIZE; i++) {
		if (sscanf(text + 2 * i, "%2hhx", &id[i]) != 1)
			return false;
	}
	format_id(id, again);
	return memcmp(again, text, ID_TEXT) == 0;
}

static void
add_accepted(struct strbuf *out, const struct seen_id *e)
{
	char id[ID_TEXT + 1];

	format_id(e->id, id);
	strbuf_printf(out, "accepted %s %" PRIu64 "\n", id, e->expires_ns);
}

static void
add_ended(struct strbuf *out, const uint8_t id[FL_ID_SIZE])
{
	char text[ID_TEXT + 1];

	format_id(id, text);
	strbuf_printf(out, "ended %s\n", text);
}

static bool
read_accepted(struct fl_seen *s, const char *id, const char *expires)
{
	struct seen_id e = { 0 };
	char *end;

	e.expires_ns = strtoull(expires, &end, 10);
	if (*end != '\0' || !parse_id(id, e.id) || find(s, e.id) != NULL ||
	    s->ids.n == FL_SEEN_MAX)
		return false;
	remember(s, &e);
	return true;
}

static bool
read_ended(struct fl_seen *s, const char *text)
{
	uint8_t id[FL_ID_SIZE];
	struct seen_id *e = parse_id(text, id) ? find(s, id) : NULL;

	if (e == NULL)
		return false;
	e->has_ended = true;
	return true;
}

static bool
read_line(struct fl_seen *s, const char *line)
{
	char word[16], id[ID_TEXT + 1], expires[24];
	int n = sscanf(line, "%15s %32s %23s", word, id, expires);

	s->nlines++;
	if (n < 2 || strlen(id) != ID_TEXT)
		return false;
	if (n == 3 && strcmp(word, "accepted") == 0)
		return read_accepted(s, id, expires);
	return n == 2 && strcmp(word, "ended") == 0 && read_ended(s, id);
}

/* ---- the file ----------------------------------------------------------- */

static int
read_log(struct fl_seen *s, char *text, size_t len, struct err *err)
{
	char *end;

	for (char *line = text;
	     (end = memchr(line, '\n', len - (size_t)(line - text))) != NULL;
	     line = end + 1) {
		*end = '\0';
		if (!read_line(s, line))
			return err_set(err, -EINVAL,
			    "line %zu of the file '" LOG "' is damaged: "
			    "requests of before could be replayed; remove the "
			    "file when %llu s have passed since the agent's "
			    "end",
			    s->nlines, FL_LIFE_NS / FL_SECOND_NS);
	}
	return 0;
}

/* A file that is not there is empty. */
static int
load(struct fl_seen *s, struct err *err)
{
	int fd = openat(s->dir, LOG, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct stat st;
	char *text = NULL;
	int rc = 0;

	if (fd < 0)
		return errno == ENOENT ?
		    0 :
		    err_set(err, -errno, "%s: %s", LOG, strerror(errno));
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) ||
	    (size_t)st.st_size > FILE_MAX ||
	    (text = mem_read_file(fd, (size_t)st.st_size)) == NULL)
		rc = err_set(err, -EINVAL, "the file '" LOG "' is not ours");
	if (rc == 0)
		rc = read_log(s, text, (size_t)st.st_size, err);
	free(text);
	close(fd);
	return rc;
}

static int
write_all(int fd, const struct strbuf *sb)
{
	size_t at = 0;

	while (at < sb->len) {
		ssize_t n = write(fd, sb->s + at, sb->len - at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		at += (size_t)n;
	}
	return fdatasync(fd);
}

static int
fail_log(struct err *err)
{
	return err_set(err, -EIO,
	    "accepted requests cannot be written down: %s", strerror(errno));
}

/* Write the log anew and open it to append. */
static int
rewrite(struct fl_seen *s, struct err *err)
{
	struct strbuf sb = { 0 };
	int fd = openat(s->dir, LOG_NEW,
	    O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW,
	    0600);
	int rc = 0;

	if (fd < 0)
		return fail_log(err);
	s->nlines = 0;
	VEC_FOREACH(&s->ids, e) {
		add_accepted(&sb, e);
		if (e->has_ended)
			add_ended(&sb, e->id);
		s->nlines += 1 + e->has_ended;
	}
	if (write_all(fd, &sb) != 0 ||
	    renameat(s->dir, LOG_NEW, s->dir, LOG) != 0 || fsync(s->dir) != 0)
		rc = fail_log(err);
	strbuf_fini(&sb);
	if (rc != 0) {
		close(fd);
		return rc;
	}
	if (s->log >= 0)
		close(s->log);
	s->log = fd;
	return 0;
}

/*
 * Append to the log.  What was written in part is removed: a line behind it
 * would be damaged.
 */
static int
append(struct fl_seen *s, const struct strbuf *line, struct err *err)
{
	struct stat st;

	if (s->log < 0)
		return 0;
	if (s->nlines >= LINES_MAX && rewrite(s, err) != 0)
		return err->code;
	if (fstat(s->log, &st) != 0)
		return fail_log(err);
	if (write_all(s->log, line) != 0) {
		int rc = fail_log(err);

		if (ftruncate(s->log, st.st_size) != 0)
			rc = fail_log(err);
		return rc;
	}
	s->nlines++;
	return 0;
}

/* ---- the interface ------------------------------------------------------ */

static int
open_dir(struct fl_seen *s, const char *dir, uint64_t now_ns, struct err *err)
{
	int rc;

	s->dir = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->dir < 0)
		return err_set(err, -errno, "%s", strerror(errno));
	if (flock(s->dir, LOCK_EX | LOCK_NB) != 0)
		return err_set(err, -EBUSY, "another agent uses the folder");
	rc = load(s, err);
	forget_expired(s, now_ns);
	return rc == 0 ? rewrite(s, err) : rc;
}

struct fl_seen *
fl_seen_open(const char *dir, uint64_t now_ns, struct err *err)
{
	struct fl_seen *s = mem_alloc(sizeof(*s));

	s->dir = s->log = -1;
	if (dir == NULL || open_dir(s, dir, now_ns, err) == 0)
		return s;
	err_prefix(err, "%s", dir);
	fl_seen_close(s);
	return NULL;
}

void
fl_seen_close(struct fl_seen *s)
{
	if (s == NULL)
		return;
	if (s->log >= 0)
		close(s->log);
	if (s->dir >= 0)
		close(s->dir);
	VEC_FREE(&s->ids);
	free(s);
}

int
fl_seen_add(struct fl_seen *s, const uint8_t id[FL_ID_SIZE],
    uint64_t expires_ns, uint64_t now_ns, struct err *err)
{
	struct seen_id e = { .expires_ns = expires_ns };
	struct strbuf line = { 0 };
	int rc;

	if (find(s, id) != NULL)
		return err_set(err, -EALREADY,
		    "the request is a replay: it was accepted before");
	if (s->ids.n == FL_SEEN_MAX)
		forget_expired(s, now_ns);
	if (s->ids.n == FL_SEEN_MAX)
		return err_set(err, -EBUSY,
		    "%d requests were accepted that have not expired: try again "
		    "later",
		    FL_SEEN_MAX);
	memcpy(e.id, id, FL_ID_SIZE);
	add_accepted(&line, &e);
	rc = append(s, &line, err);
	strbuf_fini(&line);
	if (rc == 0)
		remember(s, &e);
	return rc;
}

int
fl_seen_resume(struct fl_seen *s, const uint8_t id[FL_ID_SIZE], struct err *err)
{
	struct seen_id *e = find(s, id);

	if (e == NULL)
		return err_set(
		    err, -EALREADY, "the run was never accepted on this host");
	if (e->has_ended)
		return err_set(err, -EALREADY, "the run has ended");
	return 0;
}

int
fl_seen_end(struct fl_seen *s, const uint8_t id[FL_ID_SIZE], struct err *err)
{
	struct seen_id *e = find(s, id);
	struct strbuf line = { 0 };
	int rc;

	if (e == NULL || e->has_ended)
		return 0;
	add_ended(&line, id);
	rc = append(s, &line, err);
	strbuf_fini(&line);
	if (rc == 0)
		e->has_ended = true;
	return rc;
}
