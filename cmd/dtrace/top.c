/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --top: take snapshots of the aggregations, show them, and obey keys.
 *
 * While the screen is open, nothing else may write to the terminal.  Commands
 * of -c and of system() write to the file of -o, or to nobody, and read
 * nothing.  Messages on standard error are kept in memory; the last one is on
 * the screen, and all are printed when the terminal is as it was.
 */
#include "dtrace/top.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "dtrace/message.h"
#include "dtrace/screen.h"
#include "dtrace/signals.h"
#include "dtrace/top_impl.h"
#include "libdtrace/api.h"

static int
refuse(const char *why, const char *hint)
{
	fprintf(stderr, "dtrace: --top: %s\n", why);
	if (hint != NULL)
		fprintf(stderr, "    hint: %s\n", hint);
	return EXIT_FAILURE;
}

static int
refuse_err(struct err *err)
{
	int status = refuse(err_text(err), NULL);

	err_clear(err);
	return status;
}

/* ---- before tracing ----------------------------------------------------- */

static int
open_none(void)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		perror("dtrace: /dev/null");
	return fd;
}

int
top_prepare(struct dtrace_cmd *c)
{
	struct err err = { 0 };
	int64_t format;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return refuse("it shows a view on a terminal, and standard "
			      "input or output is none",
		    "without --top, aggregations are printed at the end");
	if (dt_getopt(c->dtp, "oformat", &format) == 0 && format != 0)
		return refuse("a view has no other form: option oformat does "
			      "not go with it",
		    NULL);
	if (screen_load(&err) != 0)
		return refuse_err(&err);
	c->top = mem_alloc(sizeof(*c->top));
	c->top->c = c;
	c->top->messages_fd = c->top->error_fd = -1;
	c->top->commands_fd =
	    c->output != NULL ? dup(fileno(c->file)) : open_none();
	if (c->top->commands_fd < 0)
		return EXIT_FAILURE;
	dt_proc_set_output(c->dtp, c->top->commands_fd);
	return GO_ON;
}

static int
on_event(const dtrace_event_t *ev, void *arg)
{
	return top_take_event(arg, ev);
}

static void
set_message(struct top *t, const char *text)
{
	free(t->message);
	t->message = mem_strndup(text, strcspn(text, "\n"));
}

/* Messages of the library may lack the newline. */
static void
tell(const char *text)
{
	size_t len = strlen(text);

	fprintf(stderr, "dtrace: %s%s", text,
	    len > 0 && text[len - 1] == '\n' ? "" : "\n");
}

static int
on_drop(const dtrace_dropdata_t *data, void *arg)
{
	struct top *t = arg;

	t->ndrops += data->dtdda_drops;
	tell(data->dtdda_msg);
	return DTRACE_HANDLE_OK;
}

static int
on_error(const dtrace_errdata_t *data, void *arg)
{
	struct top *t = arg;

	t->nfaults++;
	tell(data->dteda_msg);
	return DTRACE_HANDLE_OK;
}

int
top_open(struct dtrace_cmd *c)
{
	struct top *t = c->top;

	t->h = api_guest(c->dtp);
	if (dtrace_aggregate_keep(t->h, DTRACE_A_KEEPDELTA) != 0 ||
	    dtrace_handle_event(t->h, on_event, t) != 0 ||
	    dtrace_handle_drop(t->h, on_drop, t) != 0 ||
	    dtrace_handle_err(t->h, on_error, t) != 0)
		return refuse(dtrace_errmsg(t->h, dtrace_errno(t->h)), NULL);
	return GO_ON;
}

void
top_close(struct dtrace_cmd *c)
{
	struct top *t = c->top;

	if (t == NULL)
		return;
	dtrace_close(t->h);
	top_forget_rows(t);
	VEC_FREE(&t->rows);
	VEC_FOREACH(&t->aggs, a)
		free(a->name);
	VEC_FREE(&t->aggs);
	free(t->message);
	if (t->commands_fd >= 0)
		close(t->commands_fd);
	free(t);
	c->top = NULL;
}

/* ---- messages ----------------------------------------------------------- */

/* From now on standard error is a file in memory. */
static void
divert(struct top *t)
{
	int none = open_none();

	t->messages_fd = memfd_create("dtrace messages", MFD_CLOEXEC);
	t->error_fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	if (t->messages_fd >= 0 && t->error_fd >= 0)
		dup2(t->messages_fd, STDERR_FILENO);
	dup2(t->commands_fd, STDOUT_FILENO);
	if (none >= 0) {
		dup2(none, STDIN_FILENO);
		close(none);
	}
}

/* Note the last line of what has been written since the last call. */
static void
read_messages(struct top *t)
{
	char text[1024];
	off_t end;
	ssize_t n;
	size_t len;
	char *line;

	fflush(stderr);
	end = lseek(t->messages_fd, 0, SEEK_END);
	if (t->messages_fd < 0 || end <= t->nread)
		return;
	n = pread(t->messages_fd, text, sizeof(text) - 1,
	    end > (off_t)sizeof(text) - 1 ? end - (off_t)sizeof(text) + 1 : 0);
	t->nread = end;
	len = n > 0 ? (size_t)n : 0;
	len -= len > 0 && text[len - 1] == '\n';
	text[len] = '\0';
	line = strrchr(text, '\n');
	set_message(t, line != NULL ? line + 1 : text);
}

static void
print_messages(struct top *t)
{
	char text[4096];
	ssize_t n;

	for (off_t at = 0;
	     (n = pread(t->messages_fd, text, sizeof(text), at)) > 0; at += n)
		fwrite(text, 1, (size_t)n, stderr);
	close(t->messages_fd);
	t->messages_fd = -1;
}

static void
restore_files(struct top *t, int in, int out)
{
	fflush(stderr);
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	if (t->messages_fd >= 0 && t->error_fd >= 0) {
		dup2(t->error_fd, STDERR_FILENO);
		print_messages(t);
	}
	if (t->error_fd >= 0)
		close(t->error_fd);
}

/* ---- snapshots ---------------------------------------------------------- */

/*
 * A snapshot is taken while paused, too: it empties the buffers of keys, and
 * the first rates after a pause are those of a period.
 */
static int
take_snapshot(struct top *t)
{
	uint64_t now = now_ns();

	if (dtrace_aggregate_snap(t->h) != 0)
		return -1;
	t->span_s = (double)(now - t->snapped) / 1e9;
	t->snapped = now;
	t->due = now + t->period;
	if (t->is_paused)
		return 0;
	if (top_take_rows(t, t->shown) != 0)
		return -1;
	if (t->shown == 0 && t->aggs.n != 0) {
		t->shown = t->aggs.v[0].id;
		return top_take_rows(t, t->shown);
	}
	return 0;
}

/* ---- keys --------------------------------------------------------------- */

static int
show_agg(struct top *t, size_t i)
{
	if (i >= t->aggs.n)
		return 0;
	t->shown = t->aggs.v[i].id;
	t->first = 0;
	/* while paused, the rows of all are there */
	return t->is_paused ? 0 : top_take_rows(t, t->shown);
}

static int
show_beside(struct top *t, size_t step)
{
	size_t i = 0;

	while (i < t->aggs.n && t->aggs.v[i].id != t->shown)
		i++;
	return t->aggs.n != 0 ? show_agg(t, (i + step) % t->aggs.n) : 0;
}

static int
toggle_pause(struct top *t)
{
	t->is_paused = !t->is_paused;
	return t->is_paused ? top_take_rows(t, 0) : 0;
}

static void
scroll(struct top *t, size_t back, size_t on)
{
	t->first = t->first > back ? t->first - back : 0;
	t->first += on; /* top_draw() limits it */
}

static int
obey(struct top *t, enum screen_key key)
{
	if (t->has_help) {
		t->has_help = false;
		return 0;
	}
	switch ((int)key) {
	case 'q':
	case 'Q':
		dt_interrupt(t->c->dtp);
		break;
	case '?':
	case 'h':
		t->has_help = true;
		break;
	case ' ':
	case 'p':
		return toggle_pause(t);
	case '\t':
	case SCREEN_RIGHT:
		return show_beside(t, 1);
	case SCREEN_BACK_TAB:
	case SCREEN_LEFT:
		return show_beside(t, t->aggs.n - 1);
	case 's':
		t->order = (t->order + 1) % TOP_NORDERS;
		break;
	case 'r':
		t->is_reverse = !t->is_reverse;
		break;
	case SCREEN_UP:
		scroll(t, 1, 0);
		break;
	case SCREEN_DOWN:
		scroll(t, 0, 1);
		break;
	case SCREEN_PAGE_UP:
		scroll(t, top_page(), 0);
		break;
	case SCREEN_PAGE_DOWN:
		scroll(t, 0, top_page());
		break;
	case SCREEN_HOME:
		t->first = 0;
		break;
	case SCREEN_END:
		t->first = SIZE_MAX / 2;
		break;
	default:
		if (key >= '1' && key <= '9')
			return show_agg(t, (size_t)key - '1');
		break;
	}
	return 0;
}

/* ---- the loop ----------------------------------------------------------- */

static int
wait_ms(const struct top *t)
{
	uint64_t now = now_ns();

	return t->due > now ? (int)((t->due - now + 999999) / 1000000) : 0;
}

/* Returns 1 if there is something to draw, 0, or -1. */
static int
take_input(struct top *t, const struct pollfd *fds)
{
	enum screen_key key;
	int rc = 0;

	if ((fds[2].revents & POLLIN) != 0) {
		screen_resize();
		rc = 1;
	}
	if ((fds[1].revents & (POLLHUP | POLLERR | POLLNVAL)) != 0)
		dt_interrupt(t->c->dtp); /* the terminal is gone */
	else if ((fds[1].revents & POLLIN) != 0) {
		while ((key = screen_key()) != SCREEN_NONE) {
			if (obey(t, key) != 0)
				return -1;
			rc = 1;
		}
	}
	return rc;
}

/*
 * One turn: wait, work, and draw if there is something new.  Returns the status
 * of the work.
 */
static dtrace_workstatus_t
turn(struct top *t, int terminal)
{
	struct pollfd fds[] = { { .fd = dtrace_ctlfd(t->h), .events = POLLIN },
		{ .fd = terminal, .events = POLLIN },
		{ .fd = screen_resize_fd(), .events = POLLIN } };
	dtrace_workstatus_t work;
	int news;

	if (poll(fds, 3, wait_ms(t)) < 0 && errno != EINTR)
		return DTRACE_WORKSTATUS_ERROR;
	news = take_input(t, fds);
	if (news < 0)
		return DTRACE_WORKSTATUS_ERROR;
	if ((fds[0].revents & POLLIN) != 0)
		dtrace_sleep(t->h);
	work = dtrace_work(t->h, NULL, NULL, NULL, NULL);
	if (work != DTRACE_WORKSTATUS_OKAY)
		return work;
	message_notices(t->c);
	if (now_ns() >= t->due) {
		if (take_snapshot(t) != 0)
			return DTRACE_WORKSTATUS_ERROR;
		news = 1;
	}
	read_messages(t);
	if (news != 0)
		top_draw(t);
	return work;
}

static int
show(struct top *t, int in)
{
	dtrace_workstatus_t work = DTRACE_WORKSTATUS_OKAY;
	int64_t period = 0;

	dt_getopt(t->c->dtp, "aggrate", &period);
	t->period = (uint64_t)period;
	t->began = t->snapped = now_ns();
	t->due = t->began + t->period;
	top_draw(t);
	while (work == DTRACE_WORKSTATUS_OKAY)
		work = turn(t, in);
	return work == DTRACE_WORKSTATUS_DONE ? 0 : -1;
}

static int
run_on(struct top *t, int in, int out)
{
	struct err err = { 0 };
	int rc;

	if (in < 0 || out < 0)
		return refuse(strerror(errno), NULL);
	if (screen_open(in, out, &err) != 0)
		return refuse_err(&err);
	divert(t);
	dt_proc_continue(t->c->dtp);
	rc = show(t, in);
	screen_close();
	restore_files(t, in, out);
	if (rc != 0)
		return message_fail_to(t->c, "processing aborted");
	message_notices(t->c);
	return dt_exit_status(t->c->dtp);
}

int
top_run(struct dtrace_cmd *c)
{
	int in, out, status;

	if (dt_naggs(c->dtp) == 0)
		return refuse("it shows aggregations, and the script has none",
		    "a statement such as @[execname] = count() makes one");
	in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	status = run_on(c->top, in, out);
	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	return status;
}
