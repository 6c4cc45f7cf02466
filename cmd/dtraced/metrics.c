/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The metrics process.  It reads the directory when inotify reports any
 * change.  A file whose inode, size, times or mode differ is a new script.  If
 * there is no directory, the process looks for it every five seconds.
 */
#include "dtraced/metrics.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "dtraced/ending.h"
#include "fleet/metrics.h"
#include "fleet/owner.h"

#define METRICS_DIR "/etc/dtrace/metrics.d"
#define SCRIPTS_MAX 64
#define TURN_MS 200 /* a signal is noticed so late */
#define WATCH_NS UINT64_C(5000000000)
/* A new file is looked at when its writer has closed it.  A link has no writer,
 * and is looked at after this time. */
#define CREATED_NS UINT64_C(1000000000)
#define CPU_PERCENT 2
#define CPU_PERCENT_MAX 6400
#define CHANGES                                                                \
	(IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM |            \
	    IN_DELETE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF |            \
	    IN_ONLYDIR)

/* ---- the document -------------------------------------------------------- */

static void
add_own(struct strbuf *out, const struct metrics *m)
{
	strbuf_adds(out,
	    "# HELP dtrace_script_up 1 while the D script traces, else 0.\n"
	    "# TYPE dtrace_script_up gauge\n");
	VEC_FOREACH(&m->scripts, ms) {
		if (!(*ms)->is_leaving)
			strbuf_printf(out,
			    "dtrace_script_up{script=\"%s\"} %d\n", (*ms)->file,
			    (*ms)->traces);
	}
	strbuf_adds(out,
	    "# HELP dtrace_script_starts_total How often the D script was "
	    "started.\n"
	    "# TYPE dtrace_script_starts_total counter\n");
	VEC_FOREACH(&m->scripts, ms) {
		if (!(*ms)->is_leaving)
			strbuf_printf(out,
			    "dtrace_script_starts_total{script=\"%s\"} %llu\n",
			    (*ms)->file, (unsigned long long)(*ms)->nstarts);
	}
}

/* A dt_listen_f. */
static bool
serve(void *arg, struct strbuf *out)
{
	const struct metrics *m = arg;

	if (m->scripts.n != 0)
		add_own(out, m);
	VEC_FOREACH(&m->scripts, ms) {
		if (!(*ms)->is_leaving && (*ms)->document.len != 0)
			fl_metrics_add(out, (*ms)->document.s,
			    (*ms)->document.len, (*ms)->name);
	}
	return true;
}

/* ---- the directory ------------------------------------------------------- */

static bool
is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
	    a->st_size == b->st_size && a->st_mode == b->st_mode &&
	    a->st_uid == b->st_uid && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	    a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
	    a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
	    a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* Report a refused file once, and again only if it was removed meanwhile. */
static void
refuse(struct metrics *m, const char *file, const char *why)
{
	VEC_FOREACH(&m->told, name) {
		if (strcmp(*name, file) == 0)
			return;
	}
	VEC_PUSH(&m->told, mem_strdup(file));
	fl_journal_refusal(m->world.journal, file, why, now_ns());
}

static void
refuse_clash(struct metrics *m, const char *file, const char *other)
{
	char *why = mem_printf("its metrics could have the names of those of "
			       "%s: rename one",
	    other);

	refuse(m, file, why);
	free(why);
}

static const struct metric *
find_script(const struct metrics *m, const char *file)
{
	VEC_FOREACH(&m->scripts, ms) {
		if (!(*ms)->is_leaving && strcmp((*ms)->file, file) == 0)
			return *ms;
	}
	return NULL;
}

/* The owner of metrics whose names could be this script's, too; or NULL. */
static const char *
find_clash(const struct metrics *m, const char *name)
{
	if (fl_metrics_clash(name, FL_METRICS_OWN))
		return "dtraced itself";
	VEC_FOREACH(&m->scripts, ms) {
		if (!(*ms)->is_leaving && fl_metrics_clash(name, (*ms)->name))
			return (*ms)->file;
	}
	return NULL;
}

/* Count the scripts, but not those that end: a changed file keeps its place. */
static size_t
count_scripts(const struct metrics *m)
{
	size_t n = 0;

	VEC_FOREACH(&m->scripts, ms)
		n += !(*ms)->is_leaving;
	return n;
}

/* A name that no other script has: run it, or tell why not. */
static void
add_script(struct metrics *m, const char *file, const struct stat *st)
{
	char *name = fl_metrics_name(file);
	const char *other = name != NULL ? find_clash(m, name) : NULL;

	if (name == NULL)
		refuse(m, file,
		    "the name of a script is a letter, then letters, digits, "
		    "- and _, then .d");
	else if (other != NULL)
		refuse_clash(m, file, other);
	else if (count_scripts(m) >= SCRIPTS_MAX)
		refuse(m, file, "there are 64 scripts, and no more can be");
	else
		VEC_PUSH(
		    &m->scripts, metric_create(&m->world, m->dir, file, st));
	free(name);
}

/* End scripts whose file was removed or replaced, which frees their names. */
static void
dismiss_changed(struct metrics *m, int dir_fd)
{
	VEC_FOREACH(&m->scripts, ms) {
		struct stat st;

		if (dir_fd < 0 ||
		    fstatat(dir_fd, (*ms)->file, &st, AT_SYMLINK_NOFOLLOW) !=
			0 ||
		    !is_same_file(&st, &(*ms)->st))
			(*ms)->is_leaving = true;
	}
}

static void
take_file(struct metrics *m, int dir_fd, const char *file)
{
	struct stat st;

	if (find_script(m, file) == NULL &&
	    fstatat(dir_fd, file, &st, AT_SYMLINK_NOFOLLOW) == 0)
		add_script(m, file, &st);
}

/* Files that are no scripts (README, editors' copies) are passed over. */
static int
is_script(const struct dirent *d)
{
	size_t n = strlen(d->d_name);

	return d->d_name[0] != '.' && n > 2 &&
	    strcmp(d->d_name + n - 2, ".d") == 0;
}

/* Forget refused names whose files are gone. */
static void
forget_told(struct metrics *m, struct dirent *const *list, int n)
{
	size_t kept = 0;

	for (size_t i = 0; i < m->told.n; i++) {
		bool is_there = false;

		for (int k = 0; k < n; k++)
			is_there |= strcmp(list[k]->d_name, m->told.v[i]) == 0;
		if (is_there)
			m->told.v[kept++] = m->told.v[i];
		else
			free(m->told.v[i]);
	}
	m->told.n = kept;
}

CHECKED static int
open_dir(const struct metrics *m, struct err *err)
{
	int fd = open(m->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc;
	struct stat st;

	if (fd < 0)
		return err_set(err, -errno, "%s: %s", m->dir, strerror(errno));
	rc = fstat(fd, &st) != 0 ?
	    err_set(err, -errno, "%s: %s", m->dir, strerror(errno)) :
	    fl_owner_check(m->dir, "the directory", &st, err);
	if (rc == 0)
		return fd;
	close(fd);
	return rc;
}

/* Tell once that the directory cannot be used; its scripts then leave. */
static void
tell_dir(struct metrics *m, struct err *err)
{
	if (!m->has_told_dir)
		fl_journal_refusal(
		    m->world.journal, m->dir, err_text(err), now_ns());
	m->has_told_dir = true;
	err_clear(err);
}

static void
take_files(struct metrics *m, int dir_fd)
{
	struct dirent **list = NULL;
	int n = scandirat(dir_fd, ".", &list, is_script, alphasort);

	forget_told(m, list, n);
	for (int i = 0; i < n; i++) {
		take_file(m, dir_fd, list[i]->d_name);
		free(list[i]);
	}
	free(list);
}

static void
look_at_dir(struct metrics *m)
{
	struct err err = { 0 };
	int fd = open_dir(m, &err);

	dismiss_changed(m, fd);
	if (fd >= 0) {
		m->has_told_dir = false;
		take_files(m, fd);
		close(fd);
	} else {
		tell_dir(m, &err);
	}
}

/* ---- changes ------------------------------------------------------------- */

/* A directory that is gone is no longer watched. */
static void
take_change(struct metrics *m, uint32_t mask, uint64_t now)
{
	if ((mask & (IN_IGNORED | IN_MOVE_SELF)) != 0)
		m->watch = -1;
	m->look_ns = (mask & IN_CREATE) != 0 ? now + CREATED_NS : now;
}

static void
read_changes(struct metrics *m, uint64_t now)
{
	char buf[4096]
	    __attribute__((aligned(__alignof__(struct inotify_event))));
	ssize_t n;

	while ((n = read(m->notify_fd, buf, sizeof(buf))) > 0) {
		const struct inotify_event *ev;

		for (ssize_t at = 0; at < n;
		     at += (ssize_t)(sizeof(*ev) + ev->len)) {
			ev = (const void *)(buf + at);
			take_change(m, ev->mask, now);
		}
	}
}

static void
notice_changes(struct metrics *m)
{
	uint64_t now = now_ns();

	read_changes(m, now);
	if (m->watch < 0 && now >= m->watch_ns) {
		m->watch = inotify_add_watch(m->notify_fd, m->dir, CHANGES);
		m->watch_ns = now + WATCH_NS;
		m->look_ns = now;
	}
	if (m->look_ns != 0 && now >= m->look_ns) {
		m->look_ns = 0;
		look_at_dir(m);
	}
}

/* ---- work ---------------------------------------------------------------- */

static void
wait_for_work(const struct metrics *m)
{
	size_t n = 0;
	struct pollfd *fds = mem_alloc((2 + 4 * m->scripts.n) * sizeof(*fds));

	fds[n++] = (struct pollfd){ dt_listen_fd(m->listen), POLLIN, 0 };
	fds[n++] = (struct pollfd){ m->notify_fd, POLLIN, 0 };
	VEC_FOREACH(&m->scripts, ms) {
		const struct script *s = &(*ms)->script;

		fds[n++] = (struct pollfd){ s->data_fd, POLLIN, 0 };
		fds[n++] = (struct pollfd){ s->told_fd, POLLIN, 0 };
		fds[n++] = (struct pollfd){ s->state_fd, POLLIN, 0 };
		fds[n++] = (struct pollfd){ s->told_fd < 0 ? s->pidfd : -1,
			POLLIN, 0 };
	}
	poll(fds, n, TURN_MS);
	free(fds);
}

/* The kernel measures programs while scripts run. */
static void
measure(struct metrics *m)
{
	struct err err = { 0 };
	bool runs = false;

	VEC_FOREACH(&m->scripts, ms)
		runs |= metric_runs(*ms);
	if (runs && m->stats_fd < 0)
		m->stats_fd = fl_budget_enable(&err);
	err_clear(&err);
	if (!runs && m->stats_fd >= 0) {
		close(m->stats_fd);
		m->stats_fd = -1;
	}
}

static void
work_scripts(struct metrics *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->scripts.n; i++) {
		struct metric *ms = m->scripts.v[i];

		if (ms->is_leaving)
			metric_stop(ms, NULL);
		metric_work(ms, &m->world);
		if (ms->is_leaving && !metric_runs(ms))
			metric_destroy(ms);
		else
			m->scripts.v[n++] = ms;
	}
	m->scripts.n = n;
	measure(m);
}

/* ---- life ---------------------------------------------------------------- */

/* Setting metrics_cpu: percent of a CPU. */
CHECKED static int
set_budget(struct metrics *m, struct err *err)
{
	const char *text = m->conf.metrics_cpu;
	char *end = NULL;
	unsigned long n = CPU_PERCENT;

	if (text != NULL)
		n = strtoul(text, &end, 10);
	if (text != NULL &&
	    (*text < '0' || *text > '9' || *end != '\0' || n == 0 ||
		n > CPU_PERCENT_MAX))
		return err_set(err, -EINVAL,
		    "metrics_cpu is a whole percentage of a CPU, 1 to %u, not "
		    "'%s'",
		    CPU_PERCENT_MAX, text);
	m->world.permille = n * 10;
	return 0;
}

static void
set_host(struct metrics *m)
{
	struct utsname u = { 0 };

	uname(&u);
	m->world.host = (struct fl_host){
		.name = mem_strdup(
		    m->conf.name != NULL ? m->conf.name : u.nodename),
		.labels = { m->conf.labels.v, m->conf.labels.n }
	};
}

CHECKED static int
begin(struct metrics *m, struct err *err)
{
	int rc = set_budget(m, err);

	if (rc != 0)
		return rc;
	set_host(m);
	m->notify_fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (m->notify_fd < 0)
		return err_set(err, -errno, "inotify: %s", strerror(errno));
	m->listen = dt_listen_open(m->conf.metrics, serve, m, err);
	return m->listen != NULL ? 0 : err_prefix(err, "metrics");
}

static void
finish(struct metrics *m)
{
	VEC_FOREACH(&m->scripts, ms)
		(*ms)->is_leaving = true;
	while (m->scripts.n != 0) {
		work_scripts(m);
		if (m->scripts.n != 0)
			wait_for_work(m);
	}
	VEC_FREE(&m->scripts);
	VEC_FOREACH(&m->told, name)
		free(*name);
	VEC_FREE(&m->told);
	dt_listen_close(m->listen);
	if (m->notify_fd >= 0)
		close(m->notify_fd);
	fl_journal_destroy(m->world.journal);
	free((char *)(uintptr_t)m->world.host.name);
}

int
metrics_serve(const struct fl_conf *conf, fl_journal_f *say, struct err *err)
{
	struct metrics m = { .conf = *conf,
		.dir =
		    conf->metrics_dir != NULL ? conf->metrics_dir : METRICS_DIR,
		.world = { .journal = fl_journal_create(say, NULL) },
		.notify_fd = -1,
		.watch = -1,
		.stats_fd = -1 };
	int rc = begin(&m, err);

	if (rc == 0)
		fl_journal_metrics(
		    m.world.journal, "", dt_listen_url(m.listen), now_ns());
	while (rc == 0 && !ending_is_asked()) {
		notice_changes(&m);
		work_scripts(&m);
		dt_listen_work(m.listen);
		wait_for_work(&m);
	}
	finish(&m);
	return rc;
}
