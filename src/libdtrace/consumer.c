/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The handle's consumer, and the options that it gets.
 */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/err.h"
#include "consume/oformat.h"
#include "libdtrace/dt_impl.h"
#include "libdtrace/listen.h"

static int setopt_action(
    void *arg, const char *name, const char *value, struct err *err);

static struct percents
percents_of(struct dt_hdl *h)
{
	const struct dt_optval *v = &h->opts.vals[DT_OPT_AGGPCT];
	struct percents p = { 0 };

	if (v->is_set)
		(void)pf_percents_parse(v->strs.v[0], &p);
	return p;
}

/* A replay has the names that were recorded. */
static struct usyms *
usyms_of(struct dt_hdl *h)
{
	return dt_opt_flag(h, DT_OPT_NORESOLVE) || dt_is_replay(h) ?
	    NULL :
	    dt_usyms(h);
}

static const struct consume_book *
book_of(struct dt_hdl *h)
{
	if (h->fleet != NULL)
		return tape_merge_book(dt_fleet_merge(h));
	if (dt_is_replay(h))
		return dt_tapes_book(h);
	return h->recorder != NULL ? tape_recorder_book(h->recorder) : NULL;
}

static pid_t
target_of(const struct dt_hdl *h)
{
	int64_t pid = h->fleet != NULL ? -1 :
	    dt_is_replay(h)	       ? dt_tapes_target(h) :
					 dt_proc_target(h);

	return pid > 0 && pid <= INT32_MAX ? (pid_t)pid : 0;
}

bool
dt_owns_stdout(const struct dt_hdl *h)
{
	const struct consume_opts opts = {
		.oformat = oformat_by_choice((size_t)dt_opt(h, DT_OPT_OFORMAT)),
		.out_name = h->output.name
	};

	return oformat_owns_stdout(&opts);
}

size_t
dt_naggs(const struct dt_hdl *h)
{
	return h->plan->aggs.n;
}

static const struct oformat_ops *
form_of(const struct dt_hdl *h)
{
	return oformat_by_choice((size_t)dt_opt(h, DT_OPT_OFORMAT));
}

bool
dt_is_binary(const struct dt_hdl *h)
{
	const struct oformat_ops *oformat = form_of(h);

	return oformat != NULL && oformat->is_binary;
}

bool
dt_is_folder(const struct dt_hdl *h)
{
	const struct oformat_ops *oformat = form_of(h);

	return oformat != NULL && oformat->is_folder;
}

static struct consume_opts
consume_opts(struct dt_hdl *h)
{
	return (struct consume_opts){
		.quiet = dt_opt_flag(h, DT_OPT_QUIET),
		.flowindent = dt_opt_flag(h, DT_OPT_FLOWINDENT),
		.rawbytes = dt_opt_flag(h, DT_OPT_RAWBYTES),
		.controls = (enum consume_controls)dt_opt(h, DT_OPT_CONTROLS),
		.aggsortkey = dt_opt_flag(h, DT_OPT_AGGSORTKEY),
		.aggsortrev = dt_opt_flag(h, DT_OPT_AGGSORTREV),
		.aggsortpos = (uint32_t)dt_opt(h, DT_OPT_AGGSORTPOS),
		.aggsortkeypos = (uint32_t)dt_opt(h, DT_OPT_AGGSORTKEYPOS),
		.agghist = dt_opt_flag(h, DT_OPT_AGGHIST),
		.aggpack = dt_opt_flag(h, DT_OPT_AGGPACK),
		.aggzoom = dt_opt_flag(h, DT_OPT_AGGZOOM),
		.aggpercpu = dt_opt_flag(h, DT_OPT_AGGPERCPU),
		.aggnonzero = dt_opt_flag(h, DT_OPT_AGGNONZERO),
		.aggpct = percents_of(h),
		.units = (enum units)dt_opt(h, DT_OPT_UNITS),
		.utf8 = dt_opt(h, DT_OPT_ENCODING) == 1,
		.stackindent = (uint32_t)dt_opt(h, DT_OPT_STACKINDENT),
		.oformat = oformat_by_choice((size_t)dt_opt(h, DT_OPT_OFORMAT)),
		.out_name = h->output.name,
		.recorded_frames = h->replay.frames,
		.recorded_uframes = h->replay.uframes,
		.before = h->output.before,
		.run = &h->output.run,
		.specsize = (uint64_t)dt_opt(h, DT_OPT_SPECSIZE),
		.nspec = (uint32_t)dt_opt(h, DT_OPT_NSPEC),
		.nspec_max = (uint32_t)dt_optinfo[DT_OPT_NSPEC].max,
		.temporal = dt_opt_flag(h, DT_OPT_TEMPORAL),
		.destructive = dt_opt_flag(h, DT_OPT_DESTRUCTIVE),
		.droptags = dt_opt_flag(h, DT_OPT_DROPTAGS),
		.allfaults = dt_opt_flag(h, DT_OPT_ALLFAULTS),
		.bufsize = (uint64_t)dt_opt(h, DT_OPT_BUFSIZE),
		.aggsize = (uint64_t)dt_opt(h, DT_OPT_AGGSIZE),
		.dynvarsize = (uint64_t)dt_opt(h, DT_OPT_DYNVARSIZE),
		.jstackstrsize = (uint64_t)dt_opt(h, DT_OPT_JSTACKSTRSIZE),
		.types = cg_session_types(h->compiled.cg),
		.noresolve = dt_opt_flag(h, DT_OPT_NORESOLVE),
		.setopt = setopt_action,
		.setopt_arg = h,
		.agg_keep = h->output.agg_keep,
		.usyms = usyms_of(h),
		.book = book_of(h),
		.is_replay = dt_is_replay(h),
		.target = target_of(h),
		.typed = h->output.is_typed,
		.hooks = h->output.hooks,
		.hooks_arg = h->output.hooks_arg,
	};
}

void
dt_update_consumer(struct dt_hdl *h)
{
	struct consume_opts opts;

	if (h->output.consumer == NULL)
		return;
	opts = consume_opts(h);
	consumer_set_opts(h->output.consumer, &opts);
}

/* setopt() in a script: called by the consumer, so there is a consumer. */
CHECKED static int
setopt_action(void *arg, const char *name, const char *value, struct err *err)
{
	struct dt_hdl *h = arg;
	enum dt_opt opt = dt_options_find(name);
	int64_t old = opt != DT_OPT_MAX ? dt_opt(h, opt) : 0;

	if (dt_options_set(&h->opts, name, value, true, err) != 0)
		return -1;
	dt_update_consumer(h);
	if (h->output.hooks != NULL)
		consumer_answer(h->output.consumer,
		    h->output.hooks->setopt(
			h->output.hooks_arg, name, old, dt_opt(h, opt)));
	return 0;
}

/*
 * The time between two printings of all aggregations.  A terminal gets them if
 * option aggrefresh is set; a document that is read during the trace always
 * does.  0: they are printed once, at the end.
 */
static uint64_t
refresh_period(struct dt_hdl *h, const struct consume_opts *opts, FILE *out)
{
	bool is_set = h->opts.vals[DT_OPT_AGGREFRESH].is_set;
	bool shows = opts->oformat != NULL ? oformat_is_refreshed(opts) :
					     is_set && isatty(fileno(out));

	if (!shows)
		return 0;
	return (uint64_t)dt_opt(h, is_set ? DT_OPT_AGGREFRESH : DT_OPT_AGGRATE);
}

/* The substrate, or the tape in its place. */
static void
source_of(
    struct dt_hdl *h, const struct dt_exec_ops **ops, struct dt_exec **exec)
{
	*ops = h->ops;
	*exec = h->exec;
	if (h->fleet != NULL) {
		*ops = tape_merge_ops(dt_fleet_merge(h));
		*exec = tape_merge_exec(dt_fleet_merge(h));
	} else if (h->recorder != NULL) {
		*ops = tape_recorder_ops(h->recorder);
		*exec = tape_recorder_exec(h->recorder);
	} else if (dt_is_replay(h) && !dt_is_query(h)) {
		*ops = tape_player_ops(h->replay.tapes.v[0].player);
		*exec = tape_player_exec(h->replay.tapes.v[0].player);
	}
}

void
dt_need_consumer(struct dt_hdl *h, FILE *out)
{
	struct consume_opts opts = consume_opts(h);
	const struct dt_exec_ops *ops;
	struct dt_exec *exec;

	if (h->output.consumer != NULL)
		return;
	source_of(h, &ops, &exec);
	h->output.consumer =
	    consumer_create(h->plan, ops, exec, &opts, out, stderr);
	consumer_set_lookup(
	    h->output.consumer, h->output.lookup, h->output.lookup_arg);
	if (out != NULL && !opts.typed)
		h->due.refresh_ns = refresh_period(h, &opts, out);
}

/* ---- option listen ------------------------------------------------------- */

bool
dt_document(struct dt_hdl *h, struct strbuf *out)
{
	return h->output.consumer != NULL &&
	    consumer_document(h->output.consumer, out);
}

/* A dt_listen_f. */
static bool
serve(void *arg, struct strbuf *out)
{
	return dt_document(arg, out);
}

/* Option listen serves one form of output.  The user may also name it. */
CHECKED static int
set_served_form(struct dt_hdl *h, struct err *err)
{
	if (!h->opts.vals[DT_OPT_OFORMAT].is_set)
		return dt_options_set(
		    &h->opts, "oformat", "prometheus", false, err);
	if (oformat_by_choice((size_t)dt_opt(h, DT_OPT_OFORMAT)) !=
	    &oformat_prometheus)
		return err_set(err, -EINVAL,
		    "option listen serves oformat=prometheus, and no other");
	return 0;
}

int
dt_serve(struct dt_hdl *h)
{
	const struct dt_optval *v = &h->opts.vals[DT_OPT_LISTEN];
	struct epoll_event ev = { .events = EPOLLIN, .data.u64 = DT_EV_LISTEN };
	struct err err = { 0 };

	if (!v->is_set)
		return 0;
	if (set_served_form(h, &err) != 0)
		return dt_fail_err(h, &err);
	if (h->plan->aggs.n == 0)
		return dt_fail(h,
		    "option listen serves aggregations, and the script has "
		    "none");
	h->output.listen = dt_listen_open(v->strs.v[0], serve, h, &err);
	if (h->output.listen == NULL) {
		err_prefix(&err, "option listen");
		return dt_fail_err(h, &err);
	}
	if (epoll_ctl(h->wait.epoll_fd, EPOLL_CTL_ADD,
		dt_listen_fd(h->output.listen), &ev) != 0)
		return dt_fail(h, "option listen: %s", strerror(errno));
	dt_notice(
	    h, "metrics are served at %s", dt_listen_url(h->output.listen));
	return 0;
}

struct consumer *
dt_formatter(struct dt_hdl *h)
{
	struct plan_opts po = { .strsize =
				    (uint32_t)dt_opt(h, DT_OPT_STRSIZE) };
	struct consume_opts opts = consume_opts(h);

	if (h->output.consumer != NULL)
		return h->output.consumer;
	opts.hooks = NULL;
	opts.typed = false;
	opts.oformat = NULL;
	opts.aggpercpu = false;
	if (h->output.formatter == NULL) {
		h->output.format_plan = plan_create(&po);
		h->output.formatter = consumer_create(
		    h->output.format_plan, h->ops, NULL, &opts, stderr, stderr);
		consumer_set_lookup(h->output.formatter, h->output.lookup,
		    h->output.lookup_arg);
	}
	consumer_set_opts(h->output.formatter, &opts);
	return h->output.formatter;
}
