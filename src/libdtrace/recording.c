/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Option record: the run goes into a file, too (tape/tape.h).
 *
 * The programs are saved as they were enabled, with the code of translators, so
 * that a replay needs neither libraries nor the types of this kernel.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "libdtrace/dt_impl.h"
#include "libdtrace/dt_product.h"

#define COMMAND_MAX 4096

/* The command line, for people; "" if it is not known. */
static char *
command_line(void)
{
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	char *text = mem_alloc(COMMAND_MAX);
	ssize_t n = fd >= 0 ? read(fd, text, COMMAND_MAX - 1) : 0;

	if (fd >= 0)
		close(fd);
	for (ssize_t i = 0; i + 1 < n; i++) {
		if (text[i] == '\0')
			text[i] = ' ';
	}
	return text;
}

static int
encode_enabled(struct dt_hdl *h, struct strbuf *out)
{
	VEC(const struct dif_prog *) progs = { 0 };
	int rc;

	VEC_FOREACH(&h->compiled.progs, p) {
		if ((*p)->is_enabled)
			VEC_PUSH(&progs, (*p)->dif);
	}
	rc = dt_encode(h, progs.v, progs.n, false, out);
	VEC_FREE(&progs);
	return rc;
}

static void
notice(void *arg, const char *text)
{
	dt_notice(arg, "%s", text);
}

static int
start(struct dt_hdl *h, const char *path, const struct strbuf *dof)
{
	char *command = command_line();
	struct tape_run run = { .pl = h->plan,
		.ops = h->ops,
		.x = h->exec,
		.dof = dof->s,
		.dof_len = dof->len,
		.about = &h->output.run,
		.command = command,
		.labels = h->opts.vals[DT_OPT_FLEETLABEL].strs.v,
		.nlabels = h->opts.vals[DT_OPT_FLEETLABEL].strs.n,
		.is_fleet = h->opts.vals[DT_OPT_FLEETHOST].is_set,
		.target = dt_proc_target(h),
		.notice = notice,
		.notice_arg = h };
	struct err err = { 0 };
	int rc = tape_record(path, &run, &h->recorder, &err);

	free(command);
	return rc != 0 ? dt_fail_err(h, &err) : 0;
}

static bool
records_firings(const struct plan *pl)
{
	VEC_FOREACH(&pl->clauses, pc) {
		if (pc->clause->default_action && pc->clause->actions.n != 0)
			return true;
	}
	return false;
}

/* An option for data of firings has no effect without these. */
static int
check_firings(struct dt_hdl *h, enum dt_opt opt)
{
	if (!h->opts.vals[opt].is_set)
		return 0;
	if (!h->opts.vals[DT_OPT_RECORD].is_set)
		return dt_fail(h,
		    "option %s: nothing is recorded: give --record=FILE, too",
		    dt_optinfo[opt].name);
	if (!records_firings(h->plan))
		return dt_fail(h,
		    "option %s: no firings are recorded: give a probe "
		    "description without a body, as -n 'syscall:::'",
		    dt_optinfo[opt].name);
	return 0;
}

int
dt_record_start(struct dt_hdl *h)
{
	const struct dt_optval *v = &h->opts.vals[DT_OPT_RECORD];
	struct strbuf dof = { 0 };
	int rc;

	if (check_firings(h, DT_OPT_RECORDSTACK) != 0 ||
	    check_firings(h, DT_OPT_RECORDUSTACK) != 0)
		return -1;
	if (!v->is_set)
		return 0;
	rc = encode_enabled(h, &dof);
	if (rc == 0)
		rc = start(h, v->strs.v[0], &dof);
	strbuf_fini(&dof);
	if (rc == 0)
		dt_log(h, "recording into %s", v->strs.v[0]);
	return rc;
}

void
dt_record_stopped(struct dt_hdl *h)
{
	if (h->recorder != NULL)
		tape_recorder_stopped(h->recorder);
}

/* The consumer may still ask for names, and gets them from this machine. */
void
dt_record_end(struct dt_hdl *h)
{
	struct err err = { 0 };

	if (h->recorder == NULL || h->has_recorded)
		return;
	h->has_recorded = true;
	tape_recorder_end(h->recorder, dt_exit_status(h));
	if (tape_recorder_finish(h->recorder, &err) != 0)
		dt_notice(h, "%s", err_text(&err));
	err_clear(&err);
}
