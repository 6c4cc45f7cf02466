/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The record loop: take records from the substrate, find each one's clause by
 * its EPID, and print each datum as its action requires.
 *
 * One record is one line of default output:
 *
 *	CPU     ID                    FUNCTION:NAME
 *	  0     36                       read:entry        42  bash ...
 *
 * With option quiet only the data are printed.  Data recorded by one
 * source-level action (a printf and its arguments, the operands of normalize())
 * are adjacent and have the same group number.
 *
 * A record's bytes may come from shared memory that a traced process can
 * scribble on: sizes are taken from the plan, and a record shorter than its
 * clause's layout is not read.
 */
#include "consume/consume_impl.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "consume/ksyms.h"
#include "consume/oformat.h"

/* Sub-kinds of TRACEMEM: doc/reference/records.md section 5. */
#define TRACEMEM_DYNAMIC 2
#define TRACEMEM_SIZE 3
#define TRACEMEM_SSIZE 4

#define INDENT_STEP 2

#define MESSAGES_MAX 32768 /* bytes of messages that wait */

/* ------------------------------------------------------------------------ */

void
consumer_error(struct consumer *c, int error)
{
	if (c->error == 0 && error < 0)
		c->error = error;
}

/* Messages that wait are older than what `buf` contains. */
static void
write_messages(struct consumer *c)
{
	if (c->messages.len != 0)
		fwrite(c->messages.s, 1, c->messages.len, c->err);
	strbuf_reset(&c->messages);
}

void
consumer_emit(struct consumer *c)
{
	write_messages(c);
	if (c->buf.len != 0 && c->error == 0) {
		errno = 0;
		if (c->out == NULL)
			hooks_text(c, NULL, 0);
		else if (fwrite_unlocked(c->buf.s, 1, c->buf.len, c->out) !=
		    c->buf.len)
			consumer_error(c, errno ? -errno : -EIO);
	}
	strbuf_reset(&c->buf);
}

void
consumer_flush(struct consumer *c)
{
	bool has_text = c->buf.len != 0;

	if (c->opts.oformat != NULL && c->opts.oformat->flush != NULL &&
	    c->error == 0)
		c->opts.oformat->flush(c);
	consumer_emit(c);
	if (c->out == NULL || c->error != 0 ||
	    (!has_text && c->opts.hooks == NULL))
		return;
	errno = 0;
	if (fflush_unlocked(c->out) != 0)
		consumer_error(c, errno ? -errno : -EIO);
}

static bool
is_terminal(FILE *to)
{
	return to != NULL && isatty(fileno(to));
}

/* Does option controls want escapes in the output, or else `otherwise`? */
static bool
wants_escapes(const struct consumer *c, bool otherwise)
{
	return c->opts.controls == CONTROLS_AUTO ?
	    otherwise :
	    c->opts.controls == CONTROLS_ESCAPE;
}

bool
consumer_has_escapes(const struct consumer *c, FILE *to)
{
	if (c->opts.controls != CONTROLS_AUTO)
		return wants_escapes(c, false);
	return to == c->out ? c->out_is_terminal : is_terminal(to);
}

/*
 * The file may be a program's, which closes it when it likes: it is looked at
 * when it is given, and not when an option changes.
 */
static void
settle_escapes(struct consumer *c)
{
	c->has_escapes =
	    c->opts.oformat == NULL && wants_escapes(c, c->out_is_terminal);
}

void
consumer_turn_out(struct consumer *c, FILE *to)
{
	c->out = to;
	c->out_is_terminal = is_terminal(to);
	settle_escapes(c);
}

/* Messages name probes and files: text of the traced system. */
static void
add_message(struct consumer *c, const struct strbuf *msg)
{
	strbuf_adds(&c->messages, "dtrace: ");
	if (consumer_has_escapes(c, c->err))
		out_visible(&c->messages, msg->s, msg->len);
	else
		strbuf_add(&c->messages, msg->s, msg->len);
	strbuf_addc(&c->messages, '\n');
}

void
consumer_warn_later(struct consumer *c, const struct strbuf *msg)
{
	if (c->buf.len != 0)
		consumer_flush(c);
	add_message(c, msg);
	if (c->messages.len >= MESSAGES_MAX)
		write_messages(c);
}

/* Print a message after the output that preceded it. */
void
consumer_warn(struct consumer *c, const char *fmt, ...)
{
	struct strbuf sb = { 0 };
	va_list ap;

	consumer_flush(c);
	va_start(ap, fmt);
	strbuf_vprintf(&sb, fmt, ap);
	va_end(ap);
	if (c->opts.hooks != NULL)
		consumer_answer(
		    c, c->opts.hooks->fault(c->opts.hooks_arg, NULL, sb.s));
	else
		add_message(c, &sb);
	write_messages(c);
	strbuf_fini(&sb);
}

/* ------------------------------------------------------------------------ */

struct datum
chew_datum(const struct chew *ch, size_t i)
{
	const struct plan_rec *rec = &ch->pc->recs.v[i];

	return (struct datum){ .rec = rec,
		.data = ch->rec->data + rec->offset,
		.time_ns = ch->rec->time_ns };
}

struct datum
chew_firing(const struct chew *ch, int firing)
{
	for (size_t i = 0; i < ch->pc->recs.n; i++) {
		if (dif_action_firing(ch->pc->recs.v[i].src) == firing)
			return chew_datum(ch, i);
	}
	return (struct datum){ 0 };
}

/* printf(): the act's data are its arguments. */
static void
chew_printf(const struct chew *ch, const struct clause_act *act)
{
	struct consumer *c = ch->c;
	size_t n = 0;

	if (act->pf == NULL)
		return;
	for (size_t k = act->first; k < act->end; k++)
		if (ch->pc->recs.v[k].size != 0)
			c->args[n++] = chew_datum(ch, k);
	printf_render(c, act->pf, c->args, n, NULL);
}

struct strbuf
chew_text(const struct chew *ch, const struct clause_act *act)
{
	/* it is a command, a name, or a value */
	struct out_aside aside =
	    out_aside_begin(ch->c, (struct strbuf){ 0 }, false);

	chew_printf(ch, act);
	return out_aside_end(ch->c, &aside);
}

bool
datum_is_tracemem_size(const struct plan_rec *rec)
{
	return rec->action == DT_ACT_TRACEMEM &&
	    (rec->arg == TRACEMEM_SIZE || rec->arg == TRACEMEM_SSIZE);
}

/*
 * Bytes of a tracemem to show.  A dynamic size limits them (the next datum in
 * Solaris' style, the one before in illumos'); a negative size shows none.
 */
size_t
datum_tracemem_size(const struct chew *ch, size_t i)
{
	const struct plan_rec *recs = ch->pc->recs.v;
	uint64_t size = recs[i].size, dynamic = size;
	struct datum d;

	if (recs[i].arg == TRACEMEM_DYNAMIC && i + 1 < ch->pc->recs.n &&
	    datum_is_tracemem_size(&recs[i + 1])) {
		d = chew_datum(ch, i + 1);
		dynamic = datum_uint(&d);
		if (recs[i + 1].arg == TRACEMEM_SSIZE && datum_int(&d) < 0)
			dynamic = 0;
	} else if (i > 0 && recs[i - 1].action == DT_ACT_TRACEMEM_DYNSIZE) {
		d = chew_datum(ch, i - 1);
		dynamic = datum_int(&d) < 0 ? 0 : datum_uint(&d);
	}
	return (size_t)(dynamic < size ? dynamic : size);
}

static void
chew_tracemem(const struct chew *ch, size_t i)
{
	struct datum d = chew_datum(ch, i);

	if (!datum_is_tracemem_size(d.rec))
		out_dump(&ch->c->buf, d.data, datum_tracemem_size(ch, i));
}

/* The type of a print(); NULL: it is another action, or the type is unknown. */
static struct ctf_type *
print_type(const struct chew *ch, const struct dif_action *src)
{
	struct ctf_type *t;

	if (src->fmt == NULL || src->type != NULL)
		return src->fmt != NULL ? src->type : NULL;
	t = ctf_lookup_text(ch->c->opts.types, src->fmt);
	return t != NULL && !ctf_resolve(t)->is_incomplete ? t : NULL;
}

static void
chew_value(const struct chew *ch, const struct datum *d)
{
	struct ctf_type *t = print_type(ch, d->rec->src);

	if (t != NULL)
		datum_print(ch->c, d, t);
	else
		out_trace(ch->c, d);
}

void
chew_action(const struct chew *ch, const struct clause_act *act)
{
	struct datum d = chew_datum(ch, act->first);

	switch (act->shows) {
	case DIF_SHOWS_FORMAT:
		chew_printf(ch, act);
		break;
	case DIF_SHOWS_EFFECT:
		chew_effect(ch, act);
		break;
	case DIF_SHOWS_SYMBOL:
		out_symbol(ch->c, &d);
		break;
	case DIF_SHOWS_STACK:
		out_stack(ch->c, &d, (int)ch->c->opts.stackindent);
		break;
	case DIF_SHOWS_VALUE:
		chew_value(ch, &d);
		break;
	case DIF_SHOWS_MEMORY:
		chew_tracemem(ch, act->first);
		break;
	case DIF_SHOWS_REF:
		out_ref(ch->c, &d);
		break;
	case DIF_SHOWS_PACKET:
		out_pcap(ch->c, ch->rec, &d);
		break;
	case DIF_SHOWS_NOTHING: /* tags: see chew_record() */
		break;
	}
}

/* ------------------------------------------------------------------------ */

/* A stack or an address can be the first argument of a printf(). */
static enum dif_shows
act_shows(const struct plan_rec *rec)
{
	enum dif_shows shows = dif_act(rec->action)->shows;

	if ((shows == DIF_SHOWS_STACK || shows == DIF_SHOWS_SYMBOL) &&
	    rec->src->fmt != NULL)
		return DIF_SHOWS_FORMAT;
	return shows;
}

/* Do all data of one source-level action print as one? */
static bool
is_group(enum dif_shows shows)
{
	return shows == DIF_SHOWS_FORMAT || shows == DIF_SHOWS_EFFECT;
}

static struct pf_format *
act_format(struct consumer *c, const struct plan_rec *rec)
{
	struct pf_format *pf;
	const char *tag;
	struct err err = { 0 };

	if (rec->src == NULL || rec->src->fmt == NULL)
		return NULL;
	pf = pf_parse(rec->src->fmt, &tag, &err);
	if (pf == NULL) {
		consumer_warn(c, "cannot print: %s", err_text(&err));
		err_clear(&err);
	}
	return pf;
}

/* Compute once what all records of a clause need. */
static void
acts_make(
    struct consumer *c, const struct plan_clause *pc, struct clause_acts *ca)
{
	const struct plan_rec *recs = pc->recs.v;

	for (size_t i = 0; i < pc->recs.n;) {
		struct clause_act act = {
			.first = i,
			.end = i + 1,
			.shows = act_shows(&recs[i]),
			.effect = dif_act(recs[i].action)->effect,
		};

		if (is_group(act.shows)) {
			while (act.end < pc->recs.n &&
			    recs[act.end].group == recs[i].group)
				act.end++;
			act.pf = act_format(c, &recs[i]);
		}
		if (dif_action_firing(recs[i].src) >= 0)
			; /* nothing shows it */
		else if (DT_ACT_IS_SPEC(recs[i].action))
			VEC_PUSH(&ca->specs, &recs[i]);
		else
			VEC_PUSH(&ca->acts, act);
		ca->has_exit |= act.effect == DIF_EFFECT_EXIT;
		/* a picture of threads wants fewer data */
		ca->is_firing |=
		    dif_action_firing(recs[i].src) > DIF_FIRING_EXECNAME;
		i = act.end;
	}
	ca->is_made = true;
}

static void
acts_destroy(struct consumer *c)
{
	for (size_t i = 0; i < c->pl->clauses.n; i++) {
		VEC_FOREACH(&c->acts[i].acts, act)
			pf_destroy(act->pf);
		VEC_FREE(&c->acts[i].acts);
		VEC_FREE(&c->acts[i].specs);
	}
	free(c->acts);
}

static const struct clause_acts *
clause_acts(struct consumer *c, const struct plan_clause *pc)
{
	struct clause_acts *ca = &c->acts[pc - c->pl->clauses.v];

	if (!ca->is_made)
		acts_make(c, pc, ca);
	return ca;
}

/* ------------------------------------------------------------------------ */

static void
print_heading(struct consumer *c)
{
	if (c->has_heading)
		return;
	c->has_heading = true;
	if (c->opts.flowindent)
		strbuf_printf(&c->buf, "%3s %-41s\n", "CPU", "FUNCTION");
	else
		strbuf_printf(
		    &c->buf, "%3s %6s %32s\n", "CPU", "ID", "FUNCTION:NAME");
}

static void
print_probe(const struct chew *ch)
{
	struct strbuf *sb = &ch->c->buf;
	size_t flen = strlen(ch->probe->func), nlen = strlen(ch->probe->name);
	size_t len = flen + 1 + nlen, start = sb->len;
	size_t columns = utf8_columns(ch->probe->func, flen) + 1 + nlen;
	size_t pad = columns < 32 ? 32 - columns : 0;
	char *p = out_room(sb, len + pad + 3 + 6 + 3 + OUT_NUMBER);

	p = out_number_at(p, ch->rec->cpu, false, 3);
	*p++ = ' ';
	p = out_number_at(p, ch->probe->id, false, 6);
	*p++ = ' ';
	memset(p, ' ', pad);
	p += pad;
	memcpy(p, ch->probe->func, flen);
	p += flen;
	*p++ = ':';
	memcpy(p, ch->probe->name, nlen);
	p += nlen;
	*p++ = ' ';
	sb->len = (size_t)(p - sb->s);
	out_guard(ch->c, start);
}

/*
 * The change that a record makes to the indentation.  Several clauses of one
 * probe belong to one call: only the first entry indents, only the last return
 * unindents.
 */
static enum dt_flow
flow_kind(const struct consumer *c, const struct chew *ch, uint32_t last_epid,
    uint32_t next_epid)
{
	enum dt_flow flow = dt_probe_flow(ch->probe);
	uint32_t other = flow == DT_FLOW_ENTRY ? last_epid : next_epid;
	const struct dt_probe *probe = NULL;

	if (flow == DT_FLOW_NONE || other == 0 || other == ch->rec->epid)
		return flow;
	if (plan_by_epid(c->pl, other, &probe) != NULL && probe == ch->probe)
		return DT_FLOW_NONE;
	return flow;
}

static const char *
flow_prefix(const struct chew *ch, enum dt_flow flow)
{
	bool is_syscall = strcmp(ch->probe->prov, "syscall") == 0;

	switch (flow) {
	case DT_FLOW_ENTRY:
		return is_syscall ? " => " : " -> ";
	case DT_FLOW_RETURN:
		return is_syscall ? " <= " : " <- ";
	case DT_FLOW_NONE:
		break;
	}
	return "| ";
}

static struct cpu_flow *
cpu_flow(struct consumer *c, uint32_t cpu)
{
	VEC_RESERVE(&c->flows, (size_t)cpu + 1);
	return &c->flows.v[cpu];
}

struct flow_place
event_flow_place(const struct chew *ch)
{
	struct cpu_flow *cf = cpu_flow(ch->c, ch->rec->cpu);
	struct flow_place at = { .kind = flow_kind(ch->c, ch, cf->last_epid,
				     ch->rec->next_epid) };

	if (at.kind == DT_FLOW_RETURN && cf->indent > 0)
		cf->indent -= INDENT_STEP;
	at.indent = cf->indent;
	at.prefix = flow_prefix(ch, at.kind);
	if (at.kind == DT_FLOW_ENTRY)
		cf->indent += INDENT_STEP;
	cf->last_epid = ch->rec->epid;
	return at;
}

static void
print_flow(const struct chew *ch)
{
	struct flow_place at = event_flow_place(ch);
	struct strbuf name = { 0 };

	out_pad(&name, (size_t)at.indent);
	strbuf_adds(&name, at.prefix);
	strbuf_adds(&name, ch->probe->func);
	if (at.kind == DT_FLOW_NONE)
		strbuf_printf(&name, ":%s", ch->probe->name);
	strbuf_printf(&ch->c->buf, "%3u ", ch->rec->cpu);
	out_data(ch->c, name.s, name.len, 41, true);
	strbuf_addc(&ch->c->buf, ' ');
	strbuf_fini(&name);
}

/* ------------------------------------------------------------------------ */

static bool
not_valid(const struct chew *ch)
{
	consumer_warn(ch->c,
	    "dropped a record that is not valid "
	    "(EPID %u, %u bytes)",
	    ch->rec->epid, ch->rec->size);
	return false;
}

/* Find the clause and probe of a record; false: the record is not read. */
static bool
chew_find(struct chew *ch)
{
	struct consumer *c = ch->c;
	const struct dt_record *rec = ch->rec;

	if (rec->epid != c->last_epid) {
		c->last_pc = plan_by_epid(c->pl, rec->epid, &c->last_probe);
		c->last_acts =
		    c->last_pc != NULL ? clause_acts(c, c->last_pc) : NULL;
		c->last_epid = rec->epid;
	}
	ch->pc = c->last_pc;
	ch->probe = c->last_probe;
	ch->acts = c->last_acts;
	return (ch->pc != NULL && rec->size >= ch->pc->size) || not_valid(ch);
}

/* Print one record on one line or, with option quiet, only its data. */
static void
print_record(const struct chew *ch)
{
	struct consumer *c = ch->c;

	if (!c->opts.quiet) {
		print_heading(c);
		if (c->opts.flowindent)
			print_flow(ch);
		else
			print_probe(ch);
	}
	VEC_FOREACH(&ch->acts->acts, act)
		chew_action(ch, act);
	if (!c->opts.quiet)
		out_addc(&c->buf, '\n');
}

/* Show a record whose clause is known. */
static void
chew_show(const struct chew *ch)
{
	struct consumer *c = ch->c;

	if (c->opts.hooks != NULL)
		hooks_record(ch);
	else if (c->opts.oformat != NULL)
		event_record(ch);
	else
		print_record(ch);
	if (c->buf.len >= FLUSH_BYTES)
		consumer_flush(c);
}

void
chew_print(struct consumer *c, const struct dt_record *rec)
{
	struct chew ch = { .c = c, .rec = rec };

	if (chew_find(&ch))
		chew_show(&ch);
}

/*
 * A record of a speculation may have to wait.  A record that only commits or
 * discards a speculation prints nothing itself.
 */
static bool
chew_tags(const struct chew *ch)
{
	bool shows = ch->pc->recs.n > ch->acts->specs.n;

	VEC_FOREACH(&ch->acts->specs, spec) {
		enum dt_act kind = (enum dt_act)(*spec)->action;
		uint64_t tag;

		memcpy(&tag, ch->rec->data + (*spec)->offset, sizeof(tag));
		if (!spec_is_known(ch->c, tag))
			return not_valid(ch);
		if (kind == DT_ACT_SPECULATE)
			shows = !spec_keep(ch->c, ch->rec, tag);
		else
			spec_end(ch->c, tag, kind == DT_ACT_COMMIT);
	}
	return shows;
}

static void
chew_record(struct consumer *c, const struct dt_record *rec)
{
	struct chew ch = { .c = c, .rec = rec };

	if (rec->epid == 0) {
		fault_report(c, rec);
		return;
	}
	if (!chew_find(&ch) || dif_clause_is_aside(ch.pc->clause))
		return;
	if (ch.acts->is_firing && c->opts.book != NULL &&
	    c->opts.book->note != NULL)
		symbol_note_firing(&ch);
	if (ch.acts->specs.n == 0 || chew_tags(&ch))
		chew_show(&ch);
}

static int
take_record(const struct dt_record *rec, void *arg)
{
	struct consumer *c = arg;

	chew_record(c, rec);
	return c->error;
}

static void
consumer_drain(struct consumer *c)
{
	int error = c->ops->drain(c->x, c->opts.temporal, take_record, c);

	if (error < 0)
		consumer_error(c, error);
	specs_age(c);
}

int
consumer_take_error(struct consumer *c)
{
	int error = c->error;

	if (error == -ECANCELED)
		c->error = 0;
	return error;
}

static int
consumer_result(struct consumer *c, int *status)
{
	int error = consumer_take_error(c);

	if (error != 0)
		return error;
	if (c->has_exited)
		*status = c->exit_status;
	return c->has_exited;
}

static void
tell_symbols(struct consumer *c)
{
	int error = ksyms_take_error(c->ksyms);

	if (error != 0)
		consumer_warn(c,
		    "cannot read the kernel's symbols: %s: "
		    "addresses are printed as numbers",
		    strerror(error));
	error = c->opts.usyms != NULL ? usyms_take_error(c->opts.usyms) : 0;
	if (error != 0)
		consumer_warn(c,
		    "cannot read the symbols of processes: %s: "
		    "addresses are printed as numbers",
		    strerror(error));
}

/* The option that would have let stacks be deeper. */
static const char *
limit_name(const struct consumer *c, enum plan_limit limit)
{
	uint32_t n = c->full_stacks[limit];

	if (limit == PLAN_LIMIT_STACK && n == c->opts.recorded_frames)
		return "recordstack of the recording";
	if ((limit == PLAN_LIMIT_USTACK || limit == PLAN_LIMIT_JSTACK) &&
	    n == c->opts.recorded_uframes)
		return "recordustack of the recording";
	return plan_limit_name(limit);
}

/* Tell people; JSON and the API have it with each stack. */
static void
tell_full_stacks(struct consumer *c)
{
	if (oformat_has_losses(c) || c->opts.hooks != NULL)
		return;
	for (enum plan_limit i = 0; i < PLAN_NLIMITS; i++) {
		if (c->full_stacks[i] != 0)
			consumer_warn(c,
			    "some stacks have all %u frames that option %s "
			    "permits, and may be deeper",
			    c->full_stacks[i], limit_name(c, i));
	}
}

void
consumer_share_heading(struct consumer *a, struct consumer *b)
{
	a->has_heading = b->has_heading = a->has_heading || b->has_heading;
}

int
consumer_work(struct consumer *c, int *status)
{
	consumer_drain(c);
	faults_tell_more(c, false);
	tell_symbols(c);
	consumer_flush(c);
	return consumer_result(c, status);
}

int
consumer_finish(struct consumer *c, int *status)
{
	consumer_drain(c);
	faults_tell_more(c, true);
	if (c->error == 0 && c->opts.hooks == NULL) {
		/* at the end of tracing every dtrace(8) prints a newline */
		if (c->opts.oformat == NULL &&
		    !(c->has_pcap && c->out != c->first_out))
			strbuf_addc(&c->buf, '\n');
		consumer_error(c, aggs_print_rest(c));
	}
	tell_symbols(c);
	tell_full_stacks(c);
	oformat_end(c);
	consumer_flush(c);
	return consumer_result(c, status);
}

int
consumer_end(struct consumer *c, int status)
{
	if (c->opts.oformat != NULL && c->opts.oformat->end != NULL &&
	    c->error == 0)
		c->opts.oformat->end(c, status);
	consumer_flush(c);
	return consumer_take_error(c);
}

static size_t
max_recs(const struct plan *pl)
{
	size_t max = 0;

	VEC_FOREACH(&pl->clauses, pc)
		if (pc->recs.n > max)
			max = pc->recs.n;
	return max;
}

struct consumer *
consumer_create(struct plan *pl, const struct dt_exec_ops *ops,
    struct dt_exec *x, const struct consume_opts *opts, FILE *out, FILE *err)
{
	struct consumer *c = mem_alloc(sizeof(*c));

	c->pl = pl;
	c->ops = ops;
	c->x = x;
	c->opts = *opts;
	c->first_out = out;
	consumer_turn_out(c, out);
	c->err = err;
	c->ksyms = ksyms_create();
	ksyms_set_plain(c->ksyms, opts->noresolve);
	c->acts = mem_alloc(pl->clauses.n * sizeof(*c->acts));
	c->args = mem_alloc(max_recs(pl) * sizeof(*c->args));
	aggs_init(c);
	if (opts->oformat != NULL && opts->oformat->create != NULL)
		c->formatted = opts->oformat->create(c);
	oformat_start(c);
	return c;
}

void
consumer_set_out(struct consumer *c, FILE *out)
{
	if (c->out == c->first_out)
		consumer_turn_out(c, out);
	c->first_out = out;
}

void
consumer_update(struct consumer *c)
{
	ksyms_forget(c->ksyms);
}

void
consumer_set_lookup(struct consumer *c, ksyms_lookup_f *f, void *arg)
{
	ksyms_set_lookup(c->ksyms, f, arg);
}

void
consumer_set_opts(struct consumer *c, const struct consume_opts *opts)
{
	c->opts = *opts;
	settle_escapes(c);
	ksyms_set_plain(c->ksyms, opts->noresolve);
}

void
consumer_destroy(struct consumer *c)
{
	if (c == NULL)
		return;
	if (c->out != c->first_out)
		fclose(c->out);
	if (c->formatted != NULL)
		c->opts.oformat->destroy(c->formatted);
	aggs_fini(c);
	acts_destroy(c);
	specs_fini(c);
	ksyms_destroy(c->ksyms);
	VEC_FREE(&c->flows);
	free(c->seen_stacks);
	free(c->args);
	VEC_FREE(&c->drops_seen);
	VEC_FREE(&c->faults);
	VEC_FREE(&c->hinted);
	VEC_FREE(&c->named_types);
	addrmap_fini(&c->named);
	strbuf_fini(&c->buf);
	strbuf_fini(&c->messages);
	free(c);
}

/* ECMA-48: cursor to the top, erase what is below. */
void
consumer_clear_screen(struct consumer *c)
{
	if (c->opts.oformat == NULL)
		strbuf_adds(&c->buf, "\033[H\033[J");
}

void
consumer_refresh(struct consumer *c)
{
	if (c->opts.oformat == NULL) {
		consumer_clear_screen(c);
		strbuf_addc(&c->buf, '\n');
	}
	if (c->error == 0)
		consumer_error(c, aggs_print_rest(c));
	oformat_write(c);
	consumer_flush(c);
}
