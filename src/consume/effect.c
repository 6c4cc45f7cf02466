/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Actions that do more than show a datum: they print or change aggregations,
 * run commands, redirect the output, set options or end the session.
 *
 * They take effect when their record is consumed, in the order of the records,
 * so that freopen() redirects later output of the same clause.
 */
#include "consume/consume_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "consume/oformat.h"

/* A failure that belongs to one firing, in DTrace's words. */
static void __attribute__((format(printf, 2, 3)))
effect_failed(const struct chew *ch, const char *fmt, ...)
{
	struct strbuf sb = { 0 };
	va_list ap;

	fault_prefix(ch->c, ch->rec->epid, &sb);
	va_start(ap, fmt);
	strbuf_vprintf(&sb, fmt, ap);
	va_end(ap);
	consumer_warn(ch->c, "%s", sb.s);
	strbuf_fini(&sb);
}

/* In a replay, an effect beyond the output is left out: name it. */
static bool
is_left_out(const struct chew *ch, enum left_out what)
{
	static const char *const names[] = { [LEFT_SYSTEM] = "system",
		[LEFT_FREOPEN] = "freopen",
		[LEFT_FTRUNCATE] = "ftruncate" };
	struct consumer *c = ch->c;

	if (!c->opts.is_replay)
		return false;
	if (!c->left_out[what])
		consumer_warn(
		    c, "%s() is not carried out in a replay", names[what]);
	c->left_out[what] = true;
	return true;
}

/*
 * As system(3), except that SIGINT and SIGQUIT are not ignored while the
 * command runs: a signal sent to dtrace would be lost.  `to_stderr`: standard
 * output belongs to the trace alone.  Returns 0 or an errno.
 */
static int
run_command(const char *command, bool to_stderr)
{
	char *argv[] = { (char[]){ "sh" }, (char[]){ "-c" },
		(char *)(uintptr_t)command, NULL };
	posix_spawn_file_actions_t files;
	pid_t pid;
	int err = posix_spawn_file_actions_init(&files);

	if (err != 0)
		return err;
	if (to_stderr)
		err = posix_spawn_file_actions_adddup2(
		    &files, STDERR_FILENO, STDOUT_FILENO);
	if (err == 0)
		err = posix_spawn(&pid, "/bin/sh", &files, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	while (err == 0 && waitpid(pid, NULL, 0) < 0) {
		if (errno != EINTR)
			err = errno;
	}
	return err;
}

/*
 * system(): format as printf(), and run the text as a command before going on.
 */
static void
do_system(const struct chew *ch, const struct clause_act *act)
{
	struct strbuf command;
	int err;

	if (is_left_out(ch, LEFT_SYSTEM))
		return;
	if (!ch->c->opts.destructive) {
		consumer_warn(ch->c, "system() needs destructive actions (-w)");
		return;
	}
	command = chew_text(ch, act);
	consumer_flush(ch->c);
	err = command.len != 0 ?
	    run_command(command.s, oformat_owns_stdout(&ch->c->opts)) :
	    0;
	if (err != 0)
		consumer_warn(
		    ch->c, "cannot run '%s': %s", command.s, strerror(err));
	strbuf_fini(&command);
}

/* ---- output ------------------------------------------------------------- */

static FILE *
open_output(const char *name)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	FILE *f = fd >= 0 ? fdopen(fd, "ae") : NULL;

	if (f == NULL && fd >= 0)
		close(fd);
	return f;
}

/* Write the output so far to the present file before the output changes. */
static void
turn_output(struct consumer *c, FILE *to)
{
	consumer_flush(c);
	if (c->out != c->first_out && fclose(c->out) != 0)
		consumer_error(c, -errno);
	consumer_turn_out(c, to);
	c->has_pcap = false;
}

static void
freopen_name(const struct chew *ch, const char *name)
{
	FILE *f = open_output(name);

	if (f != NULL)
		turn_output(ch->c, f);
	else
		effect_failed(
		    ch, "couldn't freopen() \"%s\": %s", name, strerror(errno));
}

/*
 * freopen(): format as printf(), and open the file of that name; "." is the
 * first output.
 */
static void
do_freopen(const struct chew *ch, const struct clause_act *act)
{
	struct consumer *c = ch->c;
	struct strbuf name;

	if (is_left_out(ch, LEFT_FREOPEN))
		return;
	if (!c->opts.destructive) {
		consumer_warn(c, "freopen() needs destructive actions (-w)");
		return;
	}
	name = chew_text(ch, act);
	if (name.len == 0)
		effect_failed(ch, "freopen(): the name is empty");
	else if (strcmp(name.s, ".") == 0)
		turn_output(c, c->first_out);
	else
		freopen_name(ch, name.s);
	strbuf_fini(&name);
}

static void
do_ftruncate(const struct chew *ch)
{
	FILE *f = ch->c->out;

	if (is_left_out(ch, LEFT_FTRUNCATE))
		return;
	consumer_flush(ch->c);
	if (f == NULL)
		effect_failed(ch,
		    "couldn't ftruncate() the output: it is not "
		    "a file");
	else if (ftruncate(fileno(f), 0) != 0)
		effect_failed(ch, "couldn't ftruncate() the output: %s",
		    errno == EINVAL ? "it is not a file" : strerror(errno));
	else
		rewind(f);
	ch->c->has_pcap = false;
}

/* ---- options ------------------------------------------------------------ */

static char *
datum_copy(const struct chew *ch, size_t i)
{
	struct datum d = chew_datum(ch, i);
	size_t len;
	const char *s;

	if (d.rec->store == PLAN_BYTES)
		return NULL;
	s = datum_text(ch->c->pl, &d, &len);
	return mem_strndup(s, len);
}

/*
 * Name and value; a datum that is not a string means that no value was given.
 */
static void
do_setopt(const struct chew *ch, const struct clause_act *act)
{
	struct consumer *c = ch->c;
	char *name = datum_copy(ch, act->first);
	struct err err = { 0 };
	char *value =
	    act->end - act->first > 1 ? datum_copy(ch, act->first + 1) : NULL;

	if (name == NULL || c->opts.setopt == NULL)
		effect_failed(ch, "setopt() is not available here");
	else if (c->opts.setopt(c->opts.setopt_arg, name, value, &err) != 0)
		effect_failed(ch, "couldn't set option \"%s\" to \"%s\": %s",
		    name, value != NULL ? value : "1", err_text(&err));
	free(name);
	free(value);
	err_clear(&err);
}

/* ---- aggregations ------------------------------------------------------- */

static void
do_printa(const struct chew *ch, const struct clause_act *act)
{
	struct agg **aggs = mem_alloc((act->end - act->first) * sizeof(*aggs));
	const struct plan_rec *recs = ch->pc->recs.v;
	size_t naggs = 0;

	for (size_t k = act->first; k < act->end; k++) {
		struct agg *ag = agg_by_id(ch->c, recs[k].arg);

		if (ag != NULL)
			aggs[naggs++] = ag;
	}
	if (naggs != 0 &&
	    (act->pf != NULL || recs[act->first].src->fmt == NULL))
		consumer_error(ch->c, agg_print(ch->c, aggs, naggs, act->pf));
	free(aggs);
}

static void
do_normalize(struct consumer *c, struct agg *ag, int64_t normal)
{
	if (normal > 0)
		ag->normal = (uint64_t)normal;
	else
		consumer_warn(c,
		    "normalize() of @%s by %lld: the factor must "
		    "be positive",
		    ag->pa->agg->name, (long long)normal);
}

/* The first datum names the aggregation, the second is the operand. */
static void
do_on_agg(
    const struct chew *ch, const struct clause_act *act, enum dt_libact which)
{
	struct consumer *c = ch->c;
	struct datum d = chew_datum(ch, act->first);
	struct agg *ag = agg_by_id(c, datum_uint(&d));
	int64_t operand = 0;

	if (ag == NULL)
		return;
	if (act->end - act->first > 1) {
		d = chew_datum(ch, act->first + 1);
		operand = datum_int(&d);
	}
	if (which == DT_LIBACT_CLEAR)
		consumer_error(c, agg_clear(c, ag));
	else if (which == DT_LIBACT_TRUNC)
		consumer_error(c, agg_trunc(c, ag, operand));
	else if (which == DT_LIBACT_NORMALIZE)
		do_normalize(c, ag, operand);
	else
		ag->normal = 1;
}

/* The number is checked, as the program may come from elsewhere. */
static void
do_libact(const struct chew *ch, const struct clause_act *act)
{
	uint64_t which = ch->pc->recs.v[act->first].arg;

	switch ((enum dt_libact)which) {
	case DT_LIBACT_CLEAR:
	case DT_LIBACT_NORMALIZE:
	case DT_LIBACT_DENORMALIZE:
	case DT_LIBACT_TRUNC:
		do_on_agg(ch, act, (enum dt_libact)which);
		return;
	case DT_LIBACT_FTRUNCATE:
		do_ftruncate(ch);
		return;
	case DT_LIBACT_SETOPT:
		do_setopt(ch, act);
		return;
	}
	consumer_warn(ch->c, "library action %llu is not available",
	    (unsigned long long)which);
}

static bool
is_end(const struct dt_probe *p)
{
	return strcmp(p->prov, "dtrace") == 0 && strcmp(p->name, "END") == 0;
}

/*
 * The first exit() gives the status, unless END calls exit(), whose status
 * comes last.
 */
static void
do_exit(const struct chew *ch, size_t i)
{
	struct datum d = chew_datum(ch, i);

	if (!ch->c->has_exited || is_end(ch->probe))
		ch->c->exit_status = (int)datum_int(&d);
	ch->c->has_exited = true;
}

void
chew_effect(const struct chew *ch, const struct clause_act *act)
{
	switch (act->effect) {
	case DIF_EFFECT_EXIT:
		do_exit(ch, act->first);
		break;
	case DIF_EFFECT_PRINTA:
		do_printa(ch, act);
		break;
	case DIF_EFFECT_LIBACT:
		do_libact(ch, act);
		break;
	case DIF_EFFECT_SYSTEM:
		do_system(ch, act);
		break;
	case DIF_EFFECT_FREOPEN:
		do_freopen(ch, act);
		break;
	case DIF_EFFECT_NONE: /* dif_prog.c asserts it of every row */
		break;
	}
}
