/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The processes of -c and -p.
 *
 * An argument of -p is a list of ids and names.  If the options name several
 * processes, one that cannot be traced is reported, and the others are traced.
 */
#include "dtrace/targets.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/privilege.h"
#include "dtrace/message.h"
#include "dtrace/named.h"
#include "dtrace/progress.h"

/* A word of -p: one process by id, or all of a name. */
struct target_word {
	char *text;
	bool is_name;
	struct named_pids found;
};

struct target_words {
	VEC(struct target_word) v;
	size_t nprocs;
};

static bool
is_number(const char *text)
{
	return *text != '\0' && text[strspn(text, "0123456789")] == '\0';
}

/* Find the processes of a word.  Returns GO_ON or an exit status. */
static int
find_word(struct target_word *w)
{
	long pid;

	w->is_name = !is_number(w->text);
	if (w->is_name) {
		named_find(w->text, &w->found);
		if (w->found.pids.n != 0)
			return GO_ON;
		fprintf(stderr,
		    "dtrace: -p: no process is called '%s'\n"
		    "    hint: -p takes ids and names of processes, separated "
		    "by commas; ps -e lists them\n",
		    w->text);
		return EXIT_FAILURE;
	}
	errno = 0;
	pid = strtol(w->text, NULL, 10);
	if (errno != 0 || pid <= 0 || pid > INT_MAX) {
		fprintf(stderr, "dtrace: invalid pid: %s\n", w->text);
		return EXIT_FAILURE;
	}
	VEC_PUSH(&w->found.pids, (pid_t)pid);
	return GO_ON;
}

static int
split_words(const char *arg, struct target_words *words)
{
	int status = GO_ON;

	for (const char *at = arg; status == GO_ON && at != NULL;) {
		const char *comma;
		size_t len;

		at += strspn(at, " "); /* "1, 2" */
		comma = strchr(at, ',');
		len = comma != NULL ? (size_t)(comma - at) : strlen(at);
		if (len == 0) {
			fprintf(stderr,
			    "dtrace: -p: an id or a name is missing in '%s'\n",
			    arg);
			return EXIT_FAILURE;
		}
		VEC_PUSH(&words->v,
		    (struct target_word){ .text = mem_strndup(at, len) });
		status = find_word(&words->v.v[words->v.n - 1]);
		words->nprocs += words->v.v[words->v.n - 1].found.pids.n;
		at = comma != NULL ? comma + 1 : NULL;
	}
	return status;
}

static void
free_words(struct target_words *words)
{
	VEC_FOREACH(&words->v, w) {
		free(w->text);
		VEC_FREE(&w->found.pids);
	}
	VEC_FREE(&words->v);
}

/*
 * May this user look into the process?  Who may trace the kernel sees all
 * processes there.
 */
static bool
is_permitted(pid_t pid)
{
	char *path = mem_printf("/proc/%d/maps", (int)pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool is_denied = fd < 0 && (errno == EACCES || errno == EPERM);

	if (fd >= 0)
		close(fd);
	free(path);
	return !is_denied || dt_privilege_has(DT_PRIV_KERNEL);
}

/* One process of several. */
static bool
grab_one(struct dtrace_cmd *c, pid_t pid)
{
	if (is_permitted(pid) && dt_proc_grab(c->dtp, pid) == 0)
		return true;
	progress_hide();
	if (is_permitted(pid))
		fprintf(stderr, "dtrace: %s\n", dt_errmsg(c->dtp));
	else
		fprintf(stderr,
		    "dtrace: cannot trace process %d: it belongs to another "
		    "user\n",
		    (int)pid);
	return false;
}

/* "-p nginx is 12, 34", for targets_tell(). */
static void
note_name(struct dtrace_cmd *c, const struct target_word *w,
    const struct named_pids *got)
{
	const char *before = " is process ";

	strbuf_printf(&c->named, "dtrace: -p %s", w->text);
	VEC_FOREACH(&got->pids, pid) {
		strbuf_printf(&c->named, "%s%d", before, (int)*pid);
		before = ", ";
	}
	strbuf_addc(&c->named, '\n');
}

/* Returns the number of processes, of which none is an error. */
static size_t
grab_words(struct dtrace_cmd *c, const struct target_words *words)
{
	size_t n = 0;

	VEC_FOREACH(&words->v, w) {
		struct named_pids got = { 0 };

		VEC_FOREACH(&w->found.pids, pid) {
			if (grab_one(c, *pid))
				VEC_PUSH(&got.pids, *pid);
		}
		if (w->is_name && got.pids.n != 0)
			note_name(c, w, &got);
		n += got.pids.n;
		VEC_FREE(&got.pids);
	}
	return n;
}

/* Grab the process that is the only one: that it cannot be is an error. */
static int
grab_only(struct dtrace_cmd *c, const struct target_word *w)
{
	if (dt_proc_grab(c->dtp, w->found.pids.v[0]) != 0)
		return message_fail(c);
	if (w->is_name)
		note_name(c, w, &w->found);
	return GO_ON;
}

static int
grab(struct dtrace_cmd *c, const char *arg, size_t *nopen)
{
	struct target_words words = { 0 };
	int status = split_words(arg, &words);

	if (status != GO_ON)
		goto out;
	if (c->targets.n == 1 && words.nprocs == 1) {
		status = grab_only(c, &words.v.v[0]);
		*nopen += status == GO_ON;
	} else {
		*nopen += grab_words(c, &words);
	}
out:
	free_words(&words);
	return status;
}

static int
create(struct dtrace_cmd *c, const char *command, size_t *nopen)
{
	if (dt_proc_create(c->dtp, command) != 0)
		return message_fail(c);
	++*nopen;
	return GO_ON;
}

int
targets_open(struct dtrace_cmd *c)
{
	size_t nopen = 0;

	VEC_FOREACH(&c->targets, t) {
		int status = t->command == NULL ? grab(c, t->pid, &nopen) :
						  create(c, t->command, &nopen);

		if (status != GO_ON)
			return status;
		message_notices(c);
	}
	if (c->targets.n == 0 || nopen != 0)
		return GO_ON;
	fputs("dtrace: no process of -p can be traced\n", stderr);
	return EXIT_FAILURE;
}

void
targets_tell(struct dtrace_cmd *c)
{
	if (!c->is_quiet && c->named.len != 0)
		fputs(c->named.s, stderr);
}
