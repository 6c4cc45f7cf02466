/* SPDX-License-Identifier: BSD-2-Clause */
#include "consume/timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "consume/oformat.h"

#define TRACKS_MAX (1 << 18)
#define DEPTH_MAX 1024

/* ---- pairs of probes ---------------------------------------------------- */

static void
add_function(struct strbuf *sb, const struct dt_probe *p)
{
	strbuf_printf(sb, "%s:%s:%s", p->prov, p->mod, p->func);
}

static bool
is_sched(const struct dt_probe *p, const char *name)
{
	return strcmp(p->name, name) == 0 && strcmp(p->prov, "sched") == 0;
}

static void
note_probe(struct timeline *tl, const struct dt_probe *p)
{
	struct strbuf name = { 0 };

	tl->has_on |= is_sched(p, "on-cpu");
	tl->has_off |= is_sched(p, "off-cpu");
	if (dt_probe_flow(p) == DT_FLOW_RETURN) {
		add_function(&name, p);
		strtab_intern(&tl->returns, name.s);
	}
	strbuf_fini(&name);
}

void
timeline_init(struct timeline *tl, const struct consumer *c,
    const struct timeline_ops *ops)
{
	tl->ops = ops;
	strtab_init(&tl->returns);
	VEC_FOREACH(&c->pl->clauses, pc) {
		for (size_t i = 0; pc->size != 0 && i < pc->probes.n; i++)
			note_probe(tl, pc->probes.v[i]);
	}
}

/* Does the script record returns of the function, too? */
static bool
has_return(const struct consumer *c, const struct dt_probe *p)
{
	struct timeline *tl = c->formatted;
	struct strbuf name = { 0 };
	bool found;

	for (; tl->nlate < c->pl->late.n; tl->nlate++)
		note_probe(tl, c->pl->late.v[tl->nlate].probe);
	add_function(&name, p);
	found = strtab_find(&tl->returns, name.s) != 0;
	strbuf_fini(&name);
	return found;
}

void
timeline_fini(struct timeline *tl)
{
	strtab_fini(&tl->returns);
	VEC_FOREACH(&tl->tracks, t)
		VEC_FREE(&t->open);
	VEC_FREE(&tl->tracks);
	idmap_fini(&tl->by_tid);
	idmap_fini(&tl->by_cpu);
	idmap_fini(&tl->by_pid);
}

/* ---- tracks ------------------------------------------------------------- */

static uint32_t
new_track(struct timeline *tl, uint32_t pid, uint32_t tid)
{
	VEC_PUSH(&tl->tracks, ((struct tl_track){ .pid = pid, .tid = tid }));
	return (uint32_t)tl->tracks.n - 1;
}

static uint32_t
cpu_track(struct consumer *c, uint32_t cpu)
{
	struct timeline *tl = c->formatted;
	const uint32_t *found = idmap_get(&tl->by_cpu, 1 + cpu);
	uint32_t i;
	struct tl_track *t;

	if (found != NULL)
		return *found - 1;
	i = new_track(tl, 0, cpu);
	idmap_put(&tl->by_cpu, 1 + cpu, i + 1);
	t = &tl->tracks.v[i];
	snprintf(t->name, sizeof(t->name), "CPU %u", cpu);
	found = idmap_get(&tl->by_pid, 1);
	idmap_put(&tl->by_pid, 1, 1);
	tl->ops->track(c, t, found == NULL);
	return i;
}

/* A process is known; tells whether it was not. */
static bool
note_process(struct timeline *tl, uint32_t pid)
{
	bool is_new = idmap_get(&tl->by_pid, 1 + pid) == NULL;

	if (is_new)
		idmap_put(&tl->by_pid, 1 + pid, 1);
	return is_new;
}

/*
 * Numbers of threads are used again: a thread of another process is another
 * track.  A name changes at an exec, and when a thread says so.
 */
static uint32_t
thread_track(struct consumer *c, uint32_t pid, uint32_t tid, const char *name,
    size_t len)
{
	struct timeline *tl = c->formatted;
	const uint32_t *found = idmap_get(&tl->by_tid, 1 + tid);
	uint32_t i = found != NULL ? *found - 1 : 0;
	struct strbuf text = { 0 };
	struct tl_track *t;
	bool is_new = found == NULL || tl->tracks.v[i].pid != pid;

	if (is_new) {
		i = new_track(tl, pid, tid);
		idmap_put(&tl->by_tid, 1 + tid, i + 1);
	}
	t = &tl->tracks.v[i];
	timeline_text(&text, name, len);
	text.s[utf8_cut(text.s,
	    text.len < sizeof(t->name) ? text.len : sizeof(t->name) - 1)] =
	    '\0';
	if (is_new || strcmp(t->name, text.s) != 0) {
		snprintf(t->name, sizeof(t->name), "%s", text.s);
		tl->ops->track(c, t, note_process(tl, pid));
	}
	strbuf_fini(&text);
	return i;
}

/* The last data of the record say whose it is (whose.c), if it has them. */
static uint32_t
track_of(const struct chew *ch)
{
	struct datum pid = chew_firing(ch, DIF_FIRING_PID);
	struct datum tid = chew_firing(ch, DIF_FIRING_TID);
	struct datum name = chew_firing(ch, DIF_FIRING_EXECNAME);
	const char *s;
	size_t len;

	if (pid.data == NULL || tid.data == NULL || name.data == NULL)
		return cpu_track(ch->c, ch->rec->cpu);
	/* a process may have written the record */
	if (((struct timeline *)ch->c->formatted)->tracks.n >= TRACKS_MAX ||
	    (uint32_t)datum_uint(&pid) == 0 ||
	    (uint32_t)datum_uint(&tid) == 0 ||
	    (uint32_t)datum_uint(&tid) == UINT32_MAX ||
	    (uint32_t)datum_uint(&pid) == UINT32_MAX)
		return cpu_track(ch->c, ch->rec->cpu);
	s = datum_text(ch->c->pl, &name, &len);
	return thread_track(ch->c, (uint32_t)datum_uint(&pid),
	    (uint32_t)datum_uint(&tid), s, len);
}

/* ---- slices ------------------------------------------------------------- */

static void
tell(struct consumer *c, struct tl_event *ev)
{
	struct timeline *tl = c->formatted;
	struct tl_track *t = &tl->tracks.v[ev->track];

	if (ev->time_ns < t->last_ns)
		ev->time_ns = t->last_ns;
	t->last_ns = ev->time_ns;
	tl->ops->event(c, ev);
}

static bool
is_of_function(const struct dt_probe *entry, const struct dt_probe *p)
{
	return strcmp(entry->func, p->func) == 0 &&
	    strcmp(entry->mod, p->mod) == 0 &&
	    strcmp(entry->prov, p->prov) == 0;
}

/* How many slices does a return end?  0: its entry was not traced. */
static size_t
depth_of_return(const struct tl_track *t, const struct dt_probe *p)
{
	for (size_t i = t->open.n; i > 0; i--) {
		if (is_of_function(t->open.v[i - 1].entry, p))
			return t->open.n - i + 1;
	}
	return 0;
}

static void
end_slice(struct consumer *c, struct tl_event *ev, bool is_own)
{
	struct timeline *tl = c->formatted;
	struct tl_track *t = &tl->tracks.v[ev->track];
	struct tl_event end = *ev;

	end.kind = TL_END;
	end.probe = t->open.v[--t->open.n].entry;
	end.name =
	    t->pid == 0 && is_sched(end.probe, "on-cpu") ? t->running : NULL;
	if (!is_own)
		end.actions = NULL;
	tell(c, &end);
}

/*
 * A system call that has no return (rt_sigreturn), or whose return was lost,
 * ends at the next: calls of one thread do not nest.
 */
static void
end_syscalls(struct consumer *c, struct tl_event *ev)
{
	struct timeline *tl = c->formatted;
	struct tl_track *t = &tl->tracks.v[ev->track];
	size_t n = t->open.n;

	if (strcmp(ev->probe->prov, "syscall") != 0)
		return;
	while (n > 0 && strcmp(t->open.v[n - 1].entry->prov, "syscall") != 0)
		n--;
	while (n > 0 && t->open.n >= n)
		end_slice(c, ev, false);
}

/* Callers that the function left without a return end with it. */
static void
firing(struct consumer *c, struct tl_event *ev, uint32_t epid, bool is_more)
{
	struct timeline *tl = c->formatted;
	struct tl_track *t = &tl->tracks.v[ev->track];
	enum dt_flow flow = is_more ? DT_FLOW_NONE : dt_probe_flow(ev->probe);
	size_t depth =
	    flow == DT_FLOW_RETURN ? depth_of_return(t, ev->probe) : 0;

	if (flow == DT_FLOW_ENTRY)
		end_syscalls(c, ev);
	if (flow == DT_FLOW_ENTRY && t->open.n < DEPTH_MAX &&
	    has_return(c, ev->probe)) {
		ev->kind = TL_BEGIN;
		VEC_PUSH(&t->open, ((struct tl_slice){ ev->probe, epid }));
	} else if (depth > 0) {
		for (; depth > 1; depth--)
			end_slice(c, ev, false);
		end_slice(c, ev, true);
		return;
	}
	tell(c, ev);
}

/* ---- scheduling --------------------------------------------------------- */

static void
begin_slice(struct consumer *c, struct tl_event *ev, uint32_t epid)
{
	struct timeline *tl = c->formatted;
	struct tl_track *t = &tl->tracks.v[ev->track];

	if (t->open.n >= DEPTH_MAX)
		return;
	ev->kind = TL_BEGIN;
	VEC_PUSH(&t->open, ((struct tl_slice){ ev->probe, epid }));
	tell(c, ev);
}

/* End what runs on the CPU. */
static void
cpu_leaves(struct consumer *c, const struct tl_event *ev, bool is_own)
{
	struct timeline *tl = c->formatted;
	struct tl_event end = *ev;
	size_t n;

	end.track = cpu_track(c, ev->cpu);
	for (n = tl->tracks.v[end.track].open.n; n > 0; n--)
		end_slice(c, &end, is_own);
}

/* A new thread may fire twice when it first runs. */
static void
cpu_takes(struct consumer *c, const struct tl_event *ev, uint32_t epid)
{
	struct timeline *tl = c->formatted;
	struct tl_event begin = *ev;
	const struct tl_track *thread;
	struct tl_track *cpu;
	char running[sizeof(cpu->running)];

	begin.track = cpu_track(c, ev->cpu);
	thread = &tl->tracks.v[ev->track];
	cpu = &tl->tracks.v[begin.track];
	snprintf(running, sizeof(running), "%s %u", thread->name, thread->tid);
	if (cpu->open.n != 0 && strcmp(cpu->running, running) == 0)
		return;
	cpu_leaves(c, ev, false);
	snprintf(cpu->running, sizeof(cpu->running), "%s", running);
	begin.name = cpu->running;
	begin_slice(c, &begin, epid);
}

/* End the wait of a thread; and what was left open above it. */
static void
thread_returns(struct consumer *c, struct tl_event *ev)
{
	struct timeline *tl = c->formatted;
	const struct tl_track *t = &tl->tracks.v[ev->track];
	size_t n = t->open.n;

	while (n > 0 && !is_sched(t->open.v[n - 1].entry, "off-cpu"))
		n--;
	while (n > 0 && tl->tracks.v[ev->track].open.n >= n)
		end_slice(c, ev, tl->tracks.v[ev->track].open.n == n);
}

/* Returns false if the firing is no change of threads that is drawn so. */
static bool
switches(struct consumer *c, struct tl_event *ev, uint32_t epid)
{
	struct timeline *tl = c->formatted;
	bool is_idle = tl->tracks.v[ev->track].pid == 0;

	if (!tl->has_on || !tl->has_off)
		return false;
	if (is_sched(ev->probe, "off-cpu")) {
		cpu_leaves(c, ev, true);
		if (!is_idle)
			begin_slice(c, ev, epid);
		return true;
	}
	if (!is_sched(ev->probe, "on-cpu"))
		return false;
	if (is_idle) {
		cpu_leaves(c, ev, false);
	} else {
		thread_returns(c, ev);
		cpu_takes(c, ev, epid);
	}
	return true;
}

/* ---- records ------------------------------------------------------------ */

/* Has it data, or is it a firing without any? */
static bool
is_shown(const dtrace_event_t *ev)
{
	return ev->dtev_nactions == 0 || oformat_has_data(ev);
}

/*
 * The clauses of one firing come in their order, with rising numbers.  One that
 * only has effects, such as printa(), is no instant.
 */
void
timeline_record(const struct chew *ch, const dtrace_event_t *ev)
{
	struct timeline *tl = ch->c->formatted;
	struct tl_event out = { .kind = TL_INSTANT,
		.time_ns = ch->rec->time_ns,
		.probe = ch->probe,
		.actions = ev,
		.cpu = ch->rec->cpu };
	bool is_instant = dt_probe_flow(ch->probe) == DT_FLOW_NONE;
	struct tl_track *t;
	bool is_more;

	if (is_instant && !is_shown(ev))
		return;
	out.track = track_of(ch);
	t = &tl->tracks.v[out.track];
	is_more = t->last == ch->probe && ch->rec->epid > t->last_epid;
	t->last = ch->probe;
	t->last_epid = ch->rec->epid;
	if (!is_more && switches(ch->c, &out, ch->rec->epid))
		return;
	if (!is_more || is_shown(ev))
		firing(ch->c, &out, ch->rec->epid, is_more);
}

void
timeline_end(struct consumer *c, uint64_t now)
{
	struct timeline *tl = c->formatted;

	for (uint32_t i = 0; i < tl->tracks.n; i++) {
		struct tl_event ev = { .time_ns = now, .track = i };

		while (tl->tracks.v[i].open.n > 0)
			end_slice(c, &ev, false);
	}
}

/* ---- counters ----------------------------------------------------------- */

void
timeline_row(struct consumer *c, const dtrace_event_t *ev)
{
	struct timeline *tl = c->formatted;
	struct strbuf key = { 0 }, name = { 0 };

	strbuf_add(&key, "", 0);
	for (uint32_t i = 0; i < ev->dtev_nkeys; i++) {
		if (i > 0)
			strbuf_adds(&key, ", ");
		timeline_value(&key, &ev->dtev_keys[i]);
	}
	for (uint32_t i = 0; i < ev->dtev_nvalues; i++) {
		const dtrace_aggvalue_t *val = &ev->dtev_values[i];

		strbuf_reset(&name);
		strbuf_printf(&name, "@%s", val->dtav_name);
		tl->ops->counter(c,
		    &(struct tl_counter){ .time_ns = c->rows_ns,
			.name = name.s,
			.key = key.s,
			.val = val });
	}
	strbuf_fini(&key);
	strbuf_fini(&name);
}
