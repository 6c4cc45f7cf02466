/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A script's data on their way: the recording is cut into its blocks, and each
 * block into parts that a message takes.
 *
 * The script is never made to wait for the network: a part that the server does
 * not take is lost, and its number tells the console so.
 */
#include "dtraced/agent.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "dtraced/pipes.h"
#include "fleet/detached.h"
#include "record/format.h"
#include "record/record.h"

#define TURN_MAX (4U << 20) /* bytes to read from one script in a turn */
#define ALIVE_NS UINT64_C(1000000000)
#define DETACHED_ALIVE 10	       /* turns of ALIVE_NS */
#define GRACE_NS UINT64_C(10000000000) /* to end */

struct run *
run_create(const char *id, const char *host)
{
	struct run *r = mem_alloc(sizeof(*r));

	memcpy(r->id, id, sizeof(r->id));
	r->subject = fl_subject_from(host, id);
	r->script = (struct script){ .pid = -1,
		.pidfd = -1,
		.data_fd = -1,
		.told_fd = -1,
		.state_fd = -1 };
	r->began_ns = r->beat_ns = now_ns();
	return r;
}

void
run_take_request(struct run *r, struct fl_request *rq, const char *host)
{
	r->request = rq;
	/* a list has blocks alone */
	r->has_header = (rq->flags & FL_WANTS_LIST) != 0;
	route_init(r, host);
}

void
run_destroy(struct run *r)
{
	route_fini(r);
	pipe_close(&r->script.data_fd);
	pipe_close(&r->script.told_fd);
	pipe_close(&r->script.state_fd);
	pipe_close(&r->script.pidfd);
	strbuf_fini(&r->data);
	strbuf_fini(&r->told);
	strbuf_fini(&r->why);
	strbuf_fini(&r->start);
	if (r->budget != NULL)
		fl_budget_destroy(r->budget);
	fl_request_destroy(r->request);
	free(r->end);
	free(r->subject);
	free(r);
}

/* ---- sending ------------------------------------------------------------- */

static int
send_to(struct fl_bus *bus, const char *subject, const struct fl_msg *msg)
{
	struct strbuf sb = { 0 };
	int rc;

	fl_msg_encode(msg, &sb);
	rc = fl_bus_send(bus, subject, sb.s, sb.len);
	strbuf_fini(&sb);
	return rc;
}

static int
send_msg(struct run *r, struct fl_bus *bus, const struct fl_msg *msg)
{
	return send_to(bus, r->subject, msg);
}

static void
send_state(
    struct run *r, struct fl_bus *bus, enum fl_kind kind, const char *text)
{
	struct fl_msg msg = { .kind = kind,
		.number = r->nparts,
		.value = r->nlost,
		.text = text,
		.text_len = text != NULL ? strlen(text) : 0 };

	/* the next message has the same numbers */
	(void)send_msg(r, bus, &msg);
}

/* Tell the merger how many parts it should have.  The text of the end goes to
 * the console only. */
static void
tell_merger(struct run *r, struct fl_bus *bus)
{
	struct fl_msg msg = { .kind = FL_ENDED, .number = r->nparts };

	if (route_merger(r) != NULL)
		(void)send_to(bus, route_subject(r), &msg);
}

void
run_tell(struct run *r, struct fl_bus *bus, enum fl_kind kind, const char *text)
{
	if (kind == FL_ALIVE)
		text = route_merger(r);
	if (kind == FL_ENDED)
		tell_merger(r, bus);
	send_state(r, bus, kind, text);
}

uint64_t
run_send_parts(struct fl_bus *bus, enum fl_kind kind, const char *subject,
    const char *bytes, size_t size, uint64_t *number)
{
	uint64_t nlost = 0;

	for (size_t at = 0; at < size; at += FL_DATA_MAX) {
		struct fl_msg msg = { .kind = kind,
			.number = (*number)++,
			.value = FL_PART_VALUE(size, at),
			.data = bytes + at,
			.len =
			    size - at < FL_DATA_MAX ? size - at : FL_DATA_MAX };

		nlost += send_to(bus, subject, &msg) != 0;
	}
	return nlost;
}

/*
 * Send the recording's beginning to a stream that keeps it: a console that
 * attaches later may find that the run's own stream has dropped it.
 */
static void
send_start(struct run *r, struct fl_bus *bus)
{
	char *subject = mem_printf("%s" FL_SUBJECT_START, r->subject);
	struct fl_msg msg = { .kind = FL_TRYING };
	uint64_t number = 0;

	/* without it, that console reports that the host cannot be read */
	(void)send_to(bus, subject, &msg);
	(void)run_send_parts(
	    bus, FL_PART, subject, r->start.s, r->start.len, &number);
	msg = (struct fl_msg){ .kind = FL_ALIVE, .number = r->nparts };
	(void)send_to(bus, subject, &msg);
	free(subject);
}

static bool
is_detached(const struct run *r)
{
	return r->request->detached != NULL;
}

static void
note_start(struct run *r, struct fl_bus *bus, const char *block, size_t size)
{
	bool is_whole;

	if (!is_detached(r) || r->has_start)
		return;
	strbuf_add(&r->start, block, size);
	is_whole = record_has_start(r->start.s, r->start.len);
	r->has_start = is_whole || r->start.len > FL_BLOCK_MAX;
	if (is_whole && r->start.len <= FL_BLOCK_MAX)
		send_start(r, bus);
	if (r->has_start)
		strbuf_fini(&r->start);
}

static void
send_block(struct run *r, struct fl_bus *bus, const char *block, size_t size)
{
	uint64_t number = r->nparts;

	r->nlost += run_send_parts(
	    bus, FL_PART, route_subject(r), block, size, &r->nparts);
	route_keep(r, number, block, size);
	note_start(r, bus, block, size);
}

/* Bytes of the block at the beginning of the data; 0: its header is not there.
 */
static uint64_t
block_size(const struct run *r)
{
	struct record_bhdr h;

	if (!r->has_header)
		return sizeof(struct record_fhdr);
	if (r->data.len < sizeof(h))
		return 0;
	memcpy(&h, r->data.s, sizeof(h));
	return sizeof(h) + (uint64_t)h.stored;
}

static void
forget_data(struct run *r, size_t n)
{
	memmove(r->data.s, r->data.s + n, r->data.len - n);
	r->data.len -= n;
}

/* Skip a block that consoles refuse.  It counts as a part that was lost. */
static void
skip_block(struct run *r, uint64_t size)
{
	r->skip = size;
	r->nparts++;
	r->nlost++;
}

static void
send_blocks(struct run *r, struct fl_bus *bus)
{
	while (route_is_known(r, bus)) {
		uint64_t size;
		size_t n =
		    r->skip < r->data.len ? (size_t)r->skip : r->data.len;

		if (n != 0)
			forget_data(r, n);
		r->skip -= n;
		size = block_size(r);
		if (r->skip != 0 || size == 0)
			return;
		if (size > FL_BLOCK_MAX) {
			skip_block(r, size);
			continue;
		}
		if (r->data.len < size)
			return;
		send_block(r, bus, r->data.s, (size_t)size);
		r->has_header = true;
		forget_data(r, (size_t)size);
	}
}

/* ---- reading ------------------------------------------------------------- */

static void
tell_line(struct run *r, struct fl_bus *bus, const char *line)
{
	static const char prefix[] = "dtrace: ";

	if (strncmp(line, prefix, sizeof(prefix) - 1) == 0)
		line += sizeof(prefix) - 1;
	if (*line != '\0')
		run_tell(r, bus, FL_TOLD, line);
}

static void
read_told(struct run *r, struct fl_bus *bus)
{
	char *line;

	while (pipe_read_some(&r->script.told_fd, &r->told)) {
		while ((line = pipe_take_line(&r->told)) != NULL) {
			tell_line(r, bus, line);
			free(line);
		}
	}
}

static void
read_state(struct run *r, struct fl_bus *bus)
{
	while (pipe_read_some(&r->script.state_fd, &r->why))
		;
	if (r->traces || r->why.len == 0 || r->why.s[0] != SCRIPT_TRACES)
		return;
	r->traces = true;
	run_tell(r, bus, FL_TRACING, NULL);
}

void
run_read(struct run *r, struct fl_bus *bus)
{
	size_t n = 0;

	read_state(r, bus);
	while (n < TURN_MAX && pipe_read_some(&r->script.data_fd, &r->data)) {
		n += r->data.len;
		send_blocks(r, bus);
	}
	/* blocks may have waited for more data, which do not come */
	if (r->script.data_fd < 0)
		send_blocks(r, bus);
	read_told(r, bus);
}

/* ---- the end ------------------------------------------------------------- */

void
run_end(struct run *r, char *why)
{
	if (r->kill_ns != 0) {
		free(why);
		return;
	}
	r->kill_ns = now_ns() + GRACE_NS;
	r->end = why;
	kill(r->script.pid, SIGTERM);
}

/* End the script if it costs more than the policy permits. */
static void
look_at_cost(struct run *r, uint64_t now)
{
	struct strbuf why = { 0 };

	if (r->budget == NULL ||
	    fl_budget_poll(r->budget, now, &r->cost) != FL_BUDGET_OVER)
		return;
	fl_budget_reason(r->budget, &why);
	run_end(r, strbuf_steal(&why));
}

/* End the script if its console is silent or its permitted time is over. */
static void
look_at_console(struct run *r, const struct fl_bus *bus, uint64_t now)
{
	bool is_cut = !fl_bus_is_connected(bus);

	if (is_cut)
		r->cut_ns = now;
	if (fl_is_silent(now, r->beat_ns, r->cut_ns, is_cut))
		run_end(r,
		    mem_printf("the console was not heard for %u seconds",
			(unsigned)((now - r->beat_ns) / 1000000000)));
	if (now > r->until_ns)
		run_end(r,
		    mem_strdup("the policy permits its author no longer run"));
}

/* End a detached run when its request expires. */
static void
look_at_life(struct run *r)
{
	if (clock_read_ns(CLOCK_REALTIME) >= r->request->expires_ns)
		run_end(r, mem_strdup("its time is over"));
}

/*
 * Is FL_ALIVE due?  Seldom for a detached run: the server stores each message.
 */
static bool
must_say_alive(struct run *r)
{
	return r->nlooks++ % DETACHED_ALIVE == 0 || !is_detached(r);
}

static void
look_at_times(struct run *r, struct fl_bus *bus, uint64_t now)
{
	if (is_detached(r))
		look_at_life(r);
	else
		look_at_console(r, bus, now);
	if (r->kill_ns != 0 && now > r->kill_ns)
		kill(r->script.pid, SIGKILL);
	if (now >= r->alive_ns) {
		r->alive_ns = now + ALIVE_NS;
		look_at_cost(r, now);
		if (must_say_alive(r))
			run_tell(r, bus, FL_ALIVE, NULL);
	}
}

static void
tell_end(struct run *r, struct fl_bus *bus, int status)
{
	char *text = NULL;

	if (!r->traces)
		run_tell(r, bus, FL_REFUSED,
		    r->why.len != 0 ? r->why.s : "the script could not begin");
	else if (WIFSIGNALED(status))
		text = mem_printf(
		    "the script was ended by signal %d", WTERMSIG(status));
	else if (r->end != NULL)
		text = mem_printf("the script was ended: %s", r->end);
	else if (WEXITSTATUS(status) != 0)
		text = mem_strdup("the script failed");
	if (r->traces)
		run_tell(r, bus, FL_ENDED, text);
	free(text);
}

bool
run_look(struct run *r, struct fl_bus *bus)
{
	int status = 0;

	look_at_times(r, bus, now_ns());
	/* first read all that the script has left in the pipes */
	if (r->script.data_fd >= 0 || r->script.told_fd >= 0)
		return true;
	if (waitpid(r->script.pid, &status, WNOHANG) == 0)
		return true;
	tell_end(r, bus, status);
	return false;
}

void
run_journal(const struct run *r, struct fl_journal *j)
{
	const struct fl_run run = { .request = r->request,
		.duration_ns = now_ns() - r->began_ns,
		.drops = r->nlost,
		.cpu_ns = r->cost.kernel_ns + r->cost.runner_ns,
		.end = !r->traces   ? "it could not begin" :
		    r->end != NULL  ? r->end :
		    r->kill_ns != 0 ? "the console ended it" :
				      "it ended by itself" };

	fl_journal_run(j, &run);
}
