/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dtrace(8): arguments, signals and messages; everything else is libdtrace.
 *
 * Arguments are only collected at first, since an option may follow the
 * programs that it concerns.  Then options are set, processes created (the
 * first is $target) and programs compiled, each in the order given.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "dtrace/about.h"
#include "dtrace/anon.h"
#include "dtrace/args.h"
#include "dtrace/fleet.h"
#include "dtrace/list.h"
#include "dtrace/message.h"
#include "dtrace/output.h"
#include "dtrace/programs.h"
#include "dtrace/progress.h"
#include "dtrace/setup.h"
#include "dtrace/signals.h"
#include "dtrace/targets.h"
#include "dtrace/tool.h"
#include "dtrace/top.h"
#include "dtrace/trace.h"
#include "dtrace/types.h"
#include "libdtrace/check.h"

/* ---- --check ------------------------------------------------------------ */

/* Returns 0 or an exit status: GO_ON is no status of the library's. */
static int
set_up_check(struct dt_hdl *h, void *arg)
{
	struct dtrace_cmd *c = arg;
	struct dt_hdl *own = c->dtp;
	int status;

	c->dtp = h;
	status = setup_handle(c);
	c->dtp = own;
	return status == GO_ON ? 0 : status;
}

static int
check(struct dtrace_cmd *c)
{
	/* between the program's name and NULL */
	char *const *names = c->operands.v + 1;
	size_t n = c->operands.n - 2;
	const char *wrong = NULL;
	int status =
	    dt_check(c->dtp, names, n, set_up_check, c, stdout, &wrong);

	if (wrong == NULL)
		return about_finish() != 0 ? EXIT_FAILURE : status;
	fprintf(stderr, "dtrace: --check has no check named '%s'\n", wrong);
	fputs("    hint: dtrace --check without names tries all\n", stderr);
	return EXIT_USAGE;
}

static bool
wants_end(void *arg)
{
	const struct dtrace_cmd *c = arg;

	return c->do_compile_only || signals_seen();
}

static int
build(struct dtrace_cmd *c)
{
	const struct dtrace_program *p = &c->programs.v[0];

	/* operands: the objects, between the program's name and NULL */
	if (build_write(c->dtp, c->build, p->is_file ? p->arg : NULL, c->output,
		c->bits, c->operands.v + 1, c->operands.n - 2) != 0)
		return message_fail(c);
	message_notices(c);
	return 0;
}

/* -a: a signal ends the claimed tracing, and then dtrace. */
static int
claim(struct dtrace_cmd *c)
{
	signals_catch(c->dtp);
	return anon_claim(c->out, wants_end, c) == 0 ? 0 : EXIT_FAILURE;
}

/* -r: the options of the recorded run come first. */
static int
open_replay(struct dtrace_cmd *c)
{
	VEC_FOREACH(&c->replays, path) {
		if ((args_is_query(c) ? dt_query_open : dt_replay_open)(
			c->dtp, *path) != 0)
			return message_fail_to(
			    c, "failed to open the recording");
	}
	return GO_ON;
}

static int
run(struct dtrace_cmd *c)
{
	int64_t flag;
	int status = open_replay(c);

	if (status == GO_ON)
		status = setup_options(c);

	if (status == GO_ON)
		status = args_take_grabanon(c);
	if (status == GO_ON)
		status = output_open(c);
	if (status == GO_ON && c->fleet != NULL)
		return fleet_run(c);
	if (status == GO_ON && c->has_top)
		status = top_prepare(c);
	if (status == GO_ON && c->anon == ANON_CLAIM)
		status = claim(c);
	if (status == GO_ON)
		status = targets_open(c);
	if (status == GO_ON)
		status = programs_compile(c);
	if (status != GO_ON)
		return status;
	/* now that pragmas have been read */
	c->is_quiet = dt_getopt(c->dtp, "quiet", &flag) == 0 && flag == 1;
	if (c->replays.n != 0 && !args_is_query(c))
		return trace_run(c);
	if (c->do_list || c->is_verbose || c->types.n != 0)
		progress_end();
	if (c->types.n != 0)
		return c->do_list ? types_list(c) : types_show(c);
	if (c->do_list)
		return list_probes(c);
	if (c->is_verbose)
		status = programs_report(c);
	if (status != GO_ON)
		return status;
	if (c->anon == ANON_STORE)
		return anon_store(c->dtp, c->programs.n != 0) == 0 ?
		    0 :
		    EXIT_FAILURE;
	if (c->build != BUILD_NONE)
		return build(c);
	if (c->is_saving)
		return dt_save(c->dtp, c->output) == 0 ? 0 : message_fail(c);
	if (c->do_compile_only)
		return 0;
	status = programs_enable(c);
	return status == GO_ON ? trace_run(c) : status;
}

/*
 * Give a closed standard descriptor a file that refuses to be used.  Else the
 * next file opened, perhaps the kernel's or a process's, would take the number
 * and become our output.
 */
static void
keep_standard_files(void)
{
	for (int fd = 0; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
	}
}

static void
cmd_fini(struct dtrace_cmd *c)
{
	VEC_FOREACH(&c->programs, p)
		free(p->name);
	VEC_FREE(&c->programs);
	VEC_FREE(&c->settings);
	VEC_FREE(&c->targets);
	VEC_FREE(&c->operands);
	VEC_FREE(&c->types);
	VEC_FREE(&c->replays);
	VEC_FREE(&c->hosts);
	VEC_FREE(&c->labels);
	free(c->anon_program);
	split_command_fini(&c->split);
	free(c->tool);
	strbuf_fini(&c->row);
	strbuf_fini(&c->named);
	if (c->out != c->file)
		fclose(c->out);
	if (c->file != NULL && c->file != stdout)
		fclose(c->file);
}

int
main(int argc, char **argv)
{
	struct dtrace_cmd c = { 0 };
	int status;

	keep_standard_files();
	if (argc == 1)
		return about_usage();
	status = tool_take(argc, argv, &c.tool);
	if (status == TOOL_NONE)
		status = args_parse(&c, argc, argv);
	if (status == GO_ON) {
		c.dtp = dt_open();
		if (c.dtp == NULL) {
			perror("dtrace: cannot make a descriptor to wait on");
			cmd_fini(&c);
			return EXIT_FAILURE;
		}
		dt_color(c.dtp, message_wants_color());
		signals_survive_sigpipe();
		status = c.do_check ? check(&c) : run(&c);
		progress_end();
		status = output_close(&c, status);
		/* no thread that may be in the handler outlives the handle */
		signals_forget();
		top_close(&c);
		dt_close(c.dtp);
	}
	cmd_fini(&c);
	if (c.has_no_trace)
		signals_end();
	return status;
}
