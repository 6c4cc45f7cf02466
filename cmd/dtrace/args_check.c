/* SPDX-License-Identifier: BSD-2-Clause */
#include "dtrace/args.h"

#include <stdlib.h>
#include <string.h>

#include "dtrace/about.h"
#include "dtrace/anon.h"
#include "dtrace/programs.h"
#include "lang/habits.h"

int
args_refuse(const char *why)
{
	fprintf(stderr, "dtrace: %s\n", why);
	return about_usage();
}

bool
args_sets(const struct dtrace_cmd *c, const char *name)
{
	size_t len = strlen(name);

	VEC_FOREACH(&c->settings, s) {
		if (strncmp(s->name, name, len) == 0 &&
		    (s->name[len] == '=' || s->name[len] == '\0'))
			return true;
	}
	return false;
}

/*
 * Check the options beside anonymous tracing, which has no terminal and no
 * command.
 */
static int
check_anon(struct dtrace_cmd *c)
{
	const char *wrong = NULL;

	if (c->do_list || c->do_dis || c->types.n != 0)
		wrong = "-l, -S and -T do not trace";
	else if (c->targets.n != 0)
		wrong = "it begins before the processes of -c and -p";
	else if (c->anon != ANON_TRACE && args_sets(c, "record"))
		wrong = "its run is another one's, which --record does not "
			"reach";
	else if (c->anon != ANON_STORE && c->programs.n != 0)
		wrong = "its program was stored by -A";
	else if (c->anon != ANON_CLAIM && c->output != NULL)
		wrong = "its output is kept for -a";
	else if (c->anon != ANON_CLAIM && c->do_compile_only)
		wrong = "-e goes only with -a: claim the output, and end";
	if (wrong != NULL) {
		fprintf(stderr, "dtrace: anonymous tracing: %s\n", wrong);
		if (split_command_hint(&c->split, c->operands.v + 1) ||
		    split_command_refused(&c->split, 'a', NULL) ||
		    split_command_refused(&c->split, 'A', NULL))
			return EXIT_USAGE;
		return about_usage();
	}
	if (c->anon == ANON_TRACE) {
		c->anon_program = anon_program();
		programs_add(c, true, LANG_PSPEC_NAME, c->anon_program);
	}
	return GO_ON;
}

static bool
is_dropped(const struct dtrace_program *p)
{
	return !p->is_file && p->spec == LANG_PSPEC_FUNC &&
	    build_is_flag(p->arg);
}

/* -h and -G need the file of a provider, and accept a compiler's flags. */
static int
check_build(struct dtrace_cmd *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->programs.n; i++) {
		if (is_dropped(&c->programs.v[i]))
			free(c->programs.v[i].name);
		else
			c->programs.v[n++] = c->programs.v[i];
	}
	c->programs.n = n;
	if (n == 0 || (c->build == BUILD_HEADER && !c->programs.v[0].is_file)) {
		fputs("dtrace: -h and -G need the definition of a provider: "
		      "-s FILE\n",
		    stderr);
		if (c->build == BUILD_HEADER && c->operands.n == 2) {
			fputs("    hint: dtrace --help prints help\n", stderr);
			return EXIT_USAGE;
		}
		return about_usage();
	}
	if (c->build == BUILD_HEADER && c->output == NULL &&
	    strcmp(c->programs.v[0].arg, "-") == 0) {
		fputs("dtrace: -h needs a file to write: -o FILE\n", stderr);
		return about_usage();
	}
	return GO_ON;
}

/* The first operand, or NULL. */
static const char *
first_operand(const struct dtrace_cmd *c)
{
	return c->operands.n > 2 ? c->operands.v[1] : NULL;
}

static int
no_probes(const struct dtrace_cmd *c)
{
	const char *operand = first_operand(c);

	fputs("dtrace: no probes specified\n", stderr);
	if (split_command_hint(&c->split, c->operands.v + 1) ||
	    split_command_hint_alone(&c->split))
		return EXIT_USAGE;
	if (operand != NULL) {
		operand_hint(c->operands.v + 1);
		return EXIT_USAGE;
	}
	if (c->targets.n == 0)
		return about_usage();
	fputs("    hint: -n 'TEXT' or -s FILE says what to trace, as in -n "
	      "'syscall:::entry /pid == $target/ { @[probefunc] = count(); "
	      "}'\n",
	    stderr);
	return EXIT_USAGE;
}

/* May a program be about the process of -c? */
static bool
concerns_target(const struct dtrace_cmd *c)
{
	VEC_FOREACH(&c->programs, p) {
		if (p->is_file || strstr(p->arg, "$target") != NULL)
			return true;
	}
	return false;
}

/* -l syscall would list everything, and -c ls -l /tmp is the same mistake. */
static int
check_list(const struct dtrace_cmd *c)
{
	const char *operand = first_operand(c);

	if (c->do_list && !concerns_target(c) && operand == NULL)
		split_command_note_list(&c->split);
	if (!c->do_list || c->programs.n > 0 || operand == NULL)
		return GO_ON;
	fprintf(stderr,
	    "dtrace: -l lists all probes if no description is "
	    "given, and '%s' is not one\n",
	    operand);
	if (split_command_hint(&c->split, c->operands.v + 1))
		return EXIT_FAILURE;
	if (strpbrk(operand, ":{") != NULL)
		fprintf(stderr, "    hint: did you mean -ln '%s'?\n", operand);
	else
		fprintf(stderr,
		    "    hint: -lP %s for a provider, -lm for a module, -lf "
		    "for a function, -ln for a name or a description\n",
		    operand);
	return EXIT_FAILURE;
}

/*
 * Do the arguments mention option grabanon?  Its value is known only when there
 * is a handle.
 */
static bool
mentions_grabanon(const struct dtrace_cmd *c)
{
	static const char name[] = "grabanon";

	VEC_FOREACH(&c->settings, s) {
		if (strncmp(s->name, name, sizeof(name) - 1) == 0)
			return true;
	}
	return getenv("DTRACE_OPT_GRABANON") != NULL;
}

bool
args_is_query(const struct dtrace_cmd *c)
{
	return c->replays.n != 0 && (c->programs.n != 0 || c->do_list);
}

/* Is it about a run that was detached before? */
static bool
is_of_run(const struct dtrace_cmd *c)
{
	return c->attach != NULL || c->stop != NULL || c->lists_runs;
}

/* -e without a program compiles the clauses that options add. */
static bool
has_work(const struct dtrace_cmd *c)
{
	return c->programs.n != 0 || c->do_list || c->types.n != 0 ||
	    is_of_run(c) || (c->do_compile_only && first_operand(c) == NULL);
}

void
args_take_script(struct dtrace_cmd *c)
{
	const char *operand = first_operand(c);

	if (operand == NULL || c->programs.n > 0 || c->types.n > 0 ||
	    c->do_list || c->do_version || c->do_check || c->replays.n != 0 ||
	    c->build != BUILD_NONE ||
	    (c->anon != ANON_NONE && c->anon != ANON_STORE) ||
	    mentions_grabanon(c) || !operand_is_script(&c->split, operand))
		return;
	programs_add(c, true, LANG_PSPEC_NAME, operand);
	for (size_t i = 1; i + 1 < c->operands.n; i++)
		c->operands.v[i] = c->operands.v[i + 1];
	c->operands.n--;
}

/* --check runs programs of its own, in processes of its own. */
static int
check_check(const struct dtrace_cmd *c)
{
	if (c->programs.n == 0 && c->targets.n == 0 && !c->do_list &&
	    c->anon == ANON_NONE && c->build == BUILD_NONE &&
	    c->output == NULL && c->types.n == 0)
		return GO_ON;
	fputs("dtrace: --check takes options (-x) and names of checks, and no "
	      "program, process or output\n",
	    stderr);
	return about_usage();
}

/*
 * -r prints what was recorded, or runs programs over it: there is nothing to
 * trace.
 */
static int
check_replay(const struct dtrace_cmd *c)
{
	if (args_is_query(c) && c->targets.n == 0 && c->anon == ANON_NONE &&
	    c->build == BUILD_NONE && c->types.n == 0 && !c->is_saving)
		return GO_ON;
	if (c->programs.n == 0 && c->targets.n == 0 && !c->do_list &&
	    c->anon == ANON_NONE && c->build == BUILD_NONE && !c->do_dis &&
	    !c->do_compile_only && c->dumps == NULL && c->types.n == 0 &&
	    first_operand(c) == NULL)
		return GO_ON;
	fputs("dtrace: -r prints a recording, and takes options of the output "
	      "(-o, -q, -F, -x); with a program (-n, -s) or -l it asks the "
	      "recorded firings; no process takes part\n",
	    stderr);
	return about_usage();
}

/* Does it list probes, or trace? */
static bool
lists_or_traces(const struct dtrace_cmd *c)
{
	return !c->do_version && !c->do_check && !c->do_compile_only &&
	    c->types.n == 0 && c->build == BUILD_NONE && c->anon == ANON_NONE &&
	    c->replays.n == 0;
}

/* -t: only what runs here can be ended. */
static bool
traces(const struct dtrace_cmd *c)
{
	return lists_or_traces(c) && !c->do_list;
}

/* The reason why --detach, --attach, --list or --stop is refused; or NULL. */
static const char *
check_detached(const struct dtrace_cmd *c)
{
	int n = (c->detach != NULL) + (c->attach != NULL) + (c->stop != NULL) +
	    c->lists_runs;

	if (n > 1)
		return "only one of --detach, --attach, --list and --stop can "
		       "be given";
	if (n != 0 && c->do_list)
		return "-l lists probes: it does not go with detached runs";
	if (is_of_run(c) && c->programs.n != 0)
		return "a detached run has its programs: --attach, --list and "
		       "--stop take none";
	if ((c->stop != NULL || c->lists_runs) && c->end_ns != 0)
		return "-t ends tracing, and nothing is traced";
	if (is_of_run(c) && (c->hosts.n != 0 || c->labels.n != 0))
		return "a detached run has its hosts: --hosts and --label go "
		       "with --detach";
	return NULL;
}

/* Other hosts compile and trace: what concerns this one has no meaning. */
static int
check_fleet(const struct dtrace_cmd *c)
{
	const char *wrong = check_detached(c);

	VEC_FOREACH(&c->settings, s) {
		if (strchr("CDHILUX", s->letter) != NULL)
			wrong = "the preprocessor and folders of libraries "
				"(-C -D -H -I -L -U -X) are of one machine";
	}
	if (c->targets.n != 0)
		wrong = "-c and -p name processes of one machine";
	else if (c->replays.n != 0)
		wrong = "-r reads files of this machine";
	else if (args_sets(c, "record"))
		wrong = "--record of a fleet is not there yet";
	else if (c->do_list && c->end_ns != 0)
		wrong = "-t ends tracing, and nothing is traced";
	else if (c->has_top)
		wrong = "--top of a fleet is not there yet";
	else if (wrong == NULL && is_of_run(c))
		return GO_ON;
	else if (!lists_or_traces(c) || c->do_dis || c->is_verbose ||
	    c->is_handled || c->is_saving || c->dumps != NULL)
		wrong = "it traces or lists probes, and does no other work";
	if (wrong == NULL)
		return c->programs.n != 0 || c->do_list ? GO_ON : no_probes(c);
	fprintf(stderr, "dtrace: --fleet: %s\n", wrong);
	return about_usage();
}

/* Refuse what goes with --fleet alone.  Other tracers have some of these, too,
 * for another work. */
static int
refuse_without_fleet(const struct dtrace_cmd *c)
{
	static const char why[] = "--hosts, --label, --author, --detach, "
				  "--attach, --list and --stop go with --fleet";
	const char *hint = c->attach != NULL ?
	    habit_hint(HABIT_IS_OPTION, "attach") :
	    c->lists_runs ? habit_hint(HABIT_IS_OPTION, "list") :
			    NULL;

	if (hint == NULL)
		return args_refuse(why);
	fprintf(stderr, "dtrace: %s\n    hint: %s\n", why, hint);
	return EXIT_USAGE;
}

int
args_check(struct dtrace_cmd *c)
{
	if (c->fleet != NULL)
		return check_fleet(c);
	if (c->hosts.n != 0 || c->labels.n != 0 || c->author != NULL ||
	    c->detach != NULL || is_of_run(c))
		return refuse_without_fleet(c);
	if (c->has_top && (!traces(c) || c->do_dis || c->is_verbose))
		return args_refuse("--top shows what runs: it does not go with "
				   "-l, -e, -S, -v, -r and other work than "
				   "tracing");
	if (c->end_ns != 0 && !traces(c))
		return args_refuse("-t ends tracing, and nothing is traced");
	if (c->do_list && c->do_version)
		return args_refuse("only one of -l and -V can be given");
	if (c->types.n != 0 && c->build != BUILD_NONE)
		return args_refuse(
		    "-T prints types, and does not go with -h and -G");
	if (c->do_version)
		return about_language();
	if (c->do_check)
		return check_check(c);
	if (c->replays.n != 0)
		return check_replay(c);
	if (c->build != BUILD_NONE)
		return check_build(c);
	if (c->bits == 32) {
		fputs(
		    "dtrace: -32: programs are 64-bit, as the kernel is; they "
		    "trace 32-bit processes, too\n",
		    stderr);
		return EXIT_FAILURE;
	}
	if (c->anon != ANON_NONE)
		return check_anon(c);
	if (!has_work(c) && !mentions_grabanon(c))
		return no_probes(c);
	return check_list(c);
}

int
args_take_grabanon(struct dtrace_cmd *c)
{
	int64_t flag = 0;

	dt_getopt(c->dtp, "grabanon", &flag);
	if (flag == 1 && c->anon == ANON_NONE) {
		c->anon = ANON_CLAIM;
		return check_anon(c);
	}
	return !has_work(c) && c->anon == ANON_NONE && c->replays.n == 0 ?
	    no_probes(c) :
	    GO_ON;
}
