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
#include <getopt.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "dtrace/about.h"
#include "dtrace/anon.h"
#include "dtrace/build.h"
#include "dtrace/named.h"
#include "dtrace/operands.h"
#include "dtrace/progress.h"
#include "dtrace/row.h"
#include "dtrace/tool.h"
#include "libdtrace/check.h"
#include "libdtrace/dt.h"

/* -P -m -f -n -i -s, in order. */
struct dtrace_program {
	bool is_file;
	enum lang_pspec spec;
	const char *arg;
	char *name; /* for messages: without the clause's body */
	struct dt_prog *prog;
};

/* Anonymous tracing: -A stores, --anonymous traces, -a claims. */
enum anon { ANON_NONE, ANON_STORE, ANON_TRACE, ANON_CLAIM };

struct dtrace_cmd {
	struct dt_hdl *dtp;
	FILE *out;
	FILE *file;	    /* target of `out`; differs with -B */
	const char *output; /* -o */
	const char *dumps;  /* --dump */
	bool do_list, do_version, do_compile_only, do_dis;
	bool do_check;	  /* --check */
	bool is_handled;  /* -B */
	enum build build; /* -h, -G */
	int bits;	  /* -32, -64; 0: neither */
	enum anon anon;
	char *anon_program;
	char *tool; /* run: the script's path */
	bool is_quiet, is_verbose;
	bool is_saving;	 /* linktype: -o is the program's */
	size_t nprinted; /* files that -S listed, not compiled */
	VEC(struct dtrace_setting {
		char letter; /* of the option that set it */
		const char *name, *value;
	})
	settings;
	VEC(struct dtrace_target {
		const char *command; /* -c, or NULL */
		const char *pid;     /* -p */
	})
	targets;
	VEC(struct dtrace_program) programs;
	VEC(char *) operands; /* $0, $1, ...; ends with NULL */
	struct split_command split;
	int status;
	bool has_ended_line;		/* the line was ended after a signal */
	bool has_no_trace;		/* a signal came before tracing began */
	bool has_told_output;		/* was told that output fails */
	VEC(const char *) types;	/* -T */
	const struct dif_pdesc *listed; /* for list_probe(): the pattern */
	struct dt_listing *listing;
	struct strbuf row; /* of the listing */
};

static struct dt_hdl *_Atomic signal_dtp; /* for the signal handler */
static volatile sig_atomic_t has_signal;  /* its number */

/* ---- messages ----------------------------------------------------------- */

/* Report a failure of libdtrace: its message, or its diagnostics unchanged. */
static int
fail(struct dtrace_cmd *c)
{
	const char *msg = dt_errmsg(c->dtp);
	size_t len = strlen(msg);

	progress_end();
	if (len > 0 && msg[len - 1] == '\n')
		fputs(msg, stderr);
	else
		fprintf(stderr, "dtrace: %s\n", msg);
	return EXIT_FAILURE;
}

/* Print the handle's message behind the action that failed. */
static int __attribute__((format(printf, 2, 3)))
fail_to(struct dtrace_cmd *c, const char *fmt, ...)
{
	const char *msg = dt_errmsg(c->dtp);
	size_t len = strlen(msg);
	va_list ap;

	if (len > 0 && msg[len - 1] == '\n')
		return fail(c);
	progress_end();
	fputs("dtrace: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, ": %s\n", msg);
	return EXIT_FAILURE;
}

/*
 * Is standard error a terminal that shows colours, and are they wanted
 * (https://no-color.org)?
 */
static bool
wants_color(void)
{
	const char *term = getenv("TERM"), *no = getenv("NO_COLOR");

	return isatty(STDERR_FILENO) && term != NULL && *term != '\0' &&
	    strcmp(term, "dumb") != 0 && (no == NULL || *no == '\0');
}

static void
show_notices(struct dtrace_cmd *c)
{
	const char *notices = dt_notices(c->dtp);

	if (*notices != '\0')
		progress_hide();
	fputs(notices, stderr);
}

/* Result of parse_option() for "go on"; other results are exit statuses. */
#define GO_ON (-1)

/* ---- arguments ---------------------------------------------------------- */

static void
add_setting(
    struct dtrace_cmd *c, char letter, const char *name, const char *value)
{
	VEC_PUSH(&c->settings, (struct dtrace_setting){ letter, name, value });
}

/*
 * The name of a program of the command line: its text before the clause, as in
 * every DTrace, but on one line and without control lines.
 */
static char *
program_name(const char *text)
{
	struct strbuf name = { 0 };
	size_t len;

	for (;; text += len) {
		text += strspn(text, " \t\n");
		len = strcspn(text, "\n");
		if (*text == '#')
			continue;
		len = strcspn(text, "{/; \t\n");
		if (len == 0)
			break;
		strbuf_printf(
		    &name, "%s%.*s", name.len > 0 ? " " : "", (int)len, text);
	}
	return name.s != NULL ? strbuf_steal(&name) : mem_strdup("");
}

static void
add_program(
    struct dtrace_cmd *c, bool is_file, enum lang_pspec spec, const char *arg)
{
	VEC_PUSH(&c->programs,
	    (struct dtrace_program){ is_file, spec, arg,
		is_file ? mem_strdup(arg) : program_name(arg), NULL });
}

static int
add_probe_id(struct dtrace_cmd *c, const char *arg)
{
	const char *p = arg + strspn(arg, " \t\n");

	if (*p < '0' || *p > '9') {
		fprintf(stderr,
		    "dtrace: -i expects the id of a probe, found "
		    "'%s'\n",
		    arg);
		return EXIT_FAILURE;
	}
	add_program(c, false, LANG_PSPEC_NAME, arg);
	return GO_ON;
}

enum {
	OPT_HELP = 256,
	OPT_DUMP,
	OPT_ANON,
	OPT_VERSION,
	OPT_EXPLAIN,
	OPT_CHECK,
	OPT_JSON
};

static const struct option long_options[] = {
	{ "help", no_argument, NULL, OPT_HELP },
	{ "dump", required_argument, NULL, OPT_DUMP },
	{ "anonymous", no_argument, NULL, OPT_ANON },
	{ "version", no_argument, NULL, OPT_VERSION },
	{ "explain", required_argument, NULL, OPT_EXPLAIN },
	{ "check", no_argument, NULL, OPT_CHECK },
	{ "json", no_argument, NULL, OPT_JSON },
	{ NULL, 0, NULL, 0 },
};

#define SHORT ":3:6:aAb:Bc:CD:ef:FGhHi:I:lL:m:n:o:p:P:qs:ST:U:vVwx:X:Z"

/* Options that only set an option of the library. */
static bool
parse_setting(struct dtrace_cmd *c, int opt, const char *arg)
{
	static const struct {
		char letter;
		const char *name;
	} map[] = { { 'b', "bufsize" }, { 'C', "cpp" }, { 'D', "define" },
		{ 'F', "flowindent" }, { 'H', "cpphdrs" }, { 'I', "incdir" },
		{ 'L', "libdir" }, { 'U', "undef" }, { 'w', "destructive" },
		{ 'X', "stdc" }, { 'Z', "zdefs" }, { 'q', "quiet" } };

	for (size_t i = 0; i < sizeof(map) / sizeof(map[0]); i++) {
		if (map[i].letter == opt) {
			add_setting(c, (char)opt, map[i].name, arg);
			return true;
		}
	}
	return false;
}

static int
refuse(const struct dtrace_cmd *c, const char *arg)
{
	bool is_long = optopt == 0 || optopt >= OPT_HELP;

	if (is_long)
		fprintf(
		    stderr, "dtrace: unknown or incomplete option %s\n", arg);
	else
		fprintf(stderr, "dtrace: unknown option -%c\n", optopt);
	if (split_command_refused(&c->split, is_long ? 0 : optopt, arg))
		return EXIT_USAGE;
	return about_usage();
}

static int
refuse_without_argument(const struct dtrace_cmd *c, const char *word)
{
	fprintf(stderr, "dtrace: option %s needs an argument\n", word);
	if (split_command_refused(&c->split, optopt, word))
		return EXIT_USAGE;
	return about_usage();
}

/* Is the word a long option with one dash, as -help is? */
static bool
has_one_dash(const char *word)
{
	for (const struct option *o = long_options; o->name != NULL; o++) {
		if (word[0] == '-' && strcmp(word + 1, o->name) == 0)
			return true;
	}
	return false;
}

/*
 * The word that getopt() took an option from, if it has one dash too few.  The
 * word is before optind, or at optind while there are more letters in it.  An
 * option's argument is no option.
 */
static const char *
misspelt_long_option(int argc, char *const argv[], const char *arg)
{
	const char *before = argv[optind - 1];

	if (optind < argc && has_one_dash(argv[optind]))
		return argv[optind];
	return arg != before && has_one_dash(before) ? before : NULL;
}

static int
refuse_one_dash(const struct dtrace_cmd *c, const char *word)
{
	fprintf(stderr, "dtrace: there is no option %s\n", word);
	if (!split_command_refused(&c->split, 0, word))
		fprintf(stderr, "    hint: did you mean -%s?\n", word);
	return EXIT_USAGE;
}

/* Options that do not go together. */
static int
refuse_options(const char *why)
{
	fprintf(stderr, "dtrace: %s\n", why);
	return about_usage();
}

static int
parse_anon(struct dtrace_cmd *c, enum anon anon)
{
	if (c->anon != ANON_NONE && c->anon != anon)
		return refuse_options(
		    "only one of -a, -A and --anonymous can be given");
	c->anon = anon;
	return GO_ON;
}

static int
parse_build(struct dtrace_cmd *c, enum build build)
{
	if (c->build != BUILD_NONE && c->build != build)
		return refuse_options("only one of -h and -G can be given");
	c->build = build;
	return GO_ON;
}

/* -32 and -64: the data model. */
static int
parse_model(struct dtrace_cmd *c, int opt, const char *arg)
{
	if (opt == '6' && strcmp(arg, "4") == 0) {
		c->bits = 64;
		return GO_ON;
	}
	if (opt == '3' && strcmp(arg, "2") == 0) {
		c->bits = 32;
		return GO_ON;
	}
	fprintf(stderr, "dtrace: unknown option -%c%s\n", opt, arg);
	return about_usage();
}

static int
parse_option(struct dtrace_cmd *c, int opt, char *arg, const char *word)
{
	if (parse_setting(c, opt, arg))
		return GO_ON;
	switch (opt) {
	case 'c':
		VEC_PUSH(&c->targets, (struct dtrace_target){ arg, NULL });
		return GO_ON;
	case 'p':
		VEC_PUSH(&c->targets, (struct dtrace_target){ NULL, arg });
		return GO_ON;
	case 'P':
		add_program(c, false, LANG_PSPEC_PROVIDER, arg);
		return GO_ON;
	case 'm':
		add_program(c, false, LANG_PSPEC_MOD, arg);
		return GO_ON;
	case 'f':
		add_program(c, false, LANG_PSPEC_FUNC, arg);
		return GO_ON;
	case 'n':
		add_program(c, false, LANG_PSPEC_NAME, arg);
		return GO_ON;
	case 's':
		add_program(c, true, LANG_PSPEC_NAME, arg);
		return GO_ON;
	case 'i':
		return add_probe_id(c, arg);
	case 'x':
		add_setting(c, 'x', arg, NULL);
		return GO_ON;
	case 'h':
	case 'G':
		return parse_build(c, opt == 'h' ? BUILD_HEADER : BUILD_OBJECT);
	case 'a':
	case 'A':
	case OPT_ANON:
		return parse_anon(c,
		    opt == 'a'	   ? ANON_CLAIM :
			opt == 'A' ? ANON_STORE :
				     ANON_TRACE);
	case 'B':
		c->is_handled = true;
		return GO_ON;
	case 'e':
		c->do_compile_only = true;
		return GO_ON;
	case 'l':
		c->do_list = true;
		return GO_ON;
	case 'o':
		c->output = arg;
		return GO_ON;
	case 'T':
		VEC_PUSH(&c->types, arg);
		return GO_ON;
	case 'S':
		c->do_dis = true;
		return GO_ON;
	case 'v':
		c->is_verbose = true;
		return GO_ON;
	case OPT_DUMP:
		c->dumps = arg;
		return GO_ON;
	case 'V':
		c->do_version = true;
		return GO_ON;
	case '3':
	case '6':
		return parse_model(c, opt, arg);
	case OPT_JSON:
		add_setting(c, 'x', "oformat=json", NULL);
		return GO_ON;
	case OPT_CHECK:
		c->do_check = true;
		return GO_ON;
	case OPT_HELP:
		return about_help();
	case OPT_VERSION:
		return about_version();
	case OPT_EXPLAIN:
		return about_explanation(arg);
	case ':':
		return refuse_without_argument(c, word);
	case '?':
		return refuse(c, word);
	default:
		break;
	}
	fprintf(stderr, "dtrace: -%c is not supported yet\n", opt);
	return EXIT_FAILURE;
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
		add_program(c, true, LANG_PSPEC_NAME, c->anon_program);
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
	if (operand == NULL)
		return about_usage();
	operand_hint(operand);
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
	if (!split_command_hint(&c->split, c->operands.v + 1))
		fprintf(stderr,
		    "    hint: -ln '%s' for a description, -lP for "
		    "a provider, -lm for a module, -lf for a function\n",
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

/* -e without programs compiles what options add; an operand is none. */
static bool
has_work(const struct dtrace_cmd *c)
{
	return c->programs.n != 0 || c->do_list || c->types.n != 0 ||
	    (c->do_compile_only && first_operand(c) == NULL);
}

/*
 * A script may stand first among the operands, without -s.  -h and -G have
 * objects there, and -l has nothing.
 */
static void
take_script(struct dtrace_cmd *c)
{
	const char *operand = first_operand(c);

	if (operand == NULL || c->programs.n > 0 || c->types.n > 0 ||
	    c->do_list || c->do_version || c->do_check ||
	    c->build != BUILD_NONE ||
	    (c->anon != ANON_NONE && c->anon != ANON_STORE) ||
	    mentions_grabanon(c) || !operand_is_script(&c->split, operand))
		return;
	add_program(c, true, LANG_PSPEC_NAME, operand);
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

/* Are the options compatible? Returns GO_ON or an exit status. */
static int
check_args(struct dtrace_cmd *c)
{
	if (c->do_list && c->do_version)
		return refuse_options("only one of -l and -V can be given");
	if (c->types.n != 0 && c->build != BUILD_NONE)
		return refuse_options(
		    "-T prints types, and does not go with -h and -G");
	if (c->do_version)
		return about_language();
	if (c->do_check)
		return check_check(c);
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

/* Treat option grabanon, however it was set, as -a. */
static int
take_grabanon(struct dtrace_cmd *c)
{
	int64_t flag = 0;

	dt_getopt(c->dtp, "grabanon", &flag);
	if (flag == 1 && c->anon == ANON_NONE) {
		c->anon = ANON_CLAIM;
		return check_anon(c);
	}
	return !has_work(c) && c->anon == ANON_NONE ? no_probes(c) : GO_ON;
}

/* Returns GO_ON or an exit status. */
static int
parse_args(struct dtrace_cmd *c, int argc, char **argv)
{
	const char *word;
	int opt, status;

	opterr = 0;
	VEC_PUSH(&c->operands, argv[0]);
	for (;;) {
		opt = getopt_long(argc, argv, SHORT, long_options, NULL);
		if (opt == -1)
			break;
		if (opt == 'c')
			split_command_note(&c->split, optarg, argv + optind);
		word = misspelt_long_option(argc, argv, optarg);
		if (word != NULL)
			return refuse_one_dash(c, word);
		status = parse_option(c, opt, optarg, argv[optind - 1]);
		if (status != GO_ON)
			return status;
	}
	for (int i = optind; i < argc; i++)
		VEC_PUSH(&c->operands, argv[i]);
	VEC_PUSH(&c->operands, NULL);
	take_script(c);
	if (c->tool != NULL) {
		/* operands: between the program's name and NULL */
		status = tool_check_args(c->tool, c->operands.n - 2);
		if (status != TOOL_NONE)
			return status;
	}
	return check_args(c);
}

/* ---- setting up --------------------------------------------------------- */

/* -x name[=value] */
static int
set_x(struct dtrace_cmd *c, const char *arg)
{
	const char *eq = strchr(arg, '=');
	char *name =
	    eq != NULL ? mem_strndup(arg, (size_t)(eq - arg)) : mem_strdup(arg);
	int rc = dt_setopt(c->dtp, name, eq != NULL ? eq + 1 : NULL);

	free(name);
	return rc == 0 ? GO_ON : fail_to(c, "failed to set -x %s", arg);
}

/* -h, -G: definitions of providers may be for other machines, too. */
static int
set_build_options(struct dtrace_cmd *c)
{
	int64_t type;

	if (dt_getopt(c->dtp, "linktype", &type) == 0 && type == 0)
		return refuse_options("-h and -G do not go with linktype=dof");
	return dt_setopt(c->dtp, "linktype", "elf") == 0 ? GO_ON : fail(c);
}

static int
set_handle_options(struct dtrace_cmd *c)
{
	if (c->is_verbose)
		dt_set_verbose(c->dtp);
	if (dt_setopt_env(c->dtp) != 0)
		return fail(c);
	VEC_FOREACH(&c->settings, s) {
		int status = GO_ON;

		if (s->letter == 'x')
			status = set_x(c, s->name);
		else if (dt_setopt(c->dtp, s->name, s->value) != 0)
			status = fail_to(c, "failed to set -%c", s->letter);
		if (status != GO_ON)
			return status;
	}
	return GO_ON;
}

static int
set_options(struct dtrace_cmd *c)
{
	int status = set_handle_options(c);

	if (status != GO_ON)
		return status;
	/* to stderr, apart from the trace */
	if (c->dumps != NULL && dt_set_dump(c->dtp, c->dumps, stderr) != 0)
		return fail_to(c, "--dump=%s", c->dumps);
	return c->build != BUILD_NONE ? set_build_options(c) : GO_ON;
}

/*
 * -B: a handler gets the output, as in a program with output of its own, and
 * passes it on.
 */
static ssize_t
handle_output(void *arg, const char *buf, size_t len)
{
	struct dtrace_cmd *c = arg;

	return fwrite(buf, 1, len, c->file) == len && fflush(c->file) == 0 ?
	    (ssize_t)len :
	    0;
}

static int
open_handled(struct dtrace_cmd *c)
{
	FILE *out = fopencookie(
	    c, "w", (cookie_io_functions_t){ .write = handle_output });

	if (out == NULL) {
		perror("dtrace: -B");
		return EXIT_FAILURE;
	}
	c->out = out;
	return GO_ON;
}

static int
open_output(struct dtrace_cmd *c)
{
	int64_t type;

	c->out = c->file = stdout;
	if (c->build != BUILD_NONE)
		return GO_ON;
	c->is_saving =
	    dt_getopt(c->dtp, "linktype", &type) == 0 && type != DT_OPT_UNSET;
	if (c->is_saving && c->output == NULL) {
		fputs("dtrace: linktype needs a file to write: -o FILE\n",
		    stderr);
		return EXIT_USAGE;
	}
	if (c->anon == ANON_TRACE) {
		c->out = c->file = anon_open_output();
		return c->out != NULL ? GO_ON : EXIT_FAILURE;
	}
	if (c->output != NULL && !c->is_saving)
		c->out = c->file = fopen(c->output, "ae");
	if (c->file != NULL)
		return c->is_handled ? open_handled(c) : GO_ON;
	fprintf(stderr, "dtrace: failed to open output file '%s': %s\n",
	    c->output, strerror(errno));
	return EXIT_FAILURE;
}

static int
refuse_pid(const char *arg)
{
	char *pids = named_pids(arg);

	fprintf(stderr, "dtrace: invalid pid: %s\n", arg);
	if (pids != NULL)
		fprintf(stderr,
		    "    hint: -p takes the id of a process; %s "
		    "runs as %s\n",
		    arg, pids);
	else
		fprintf(stderr,
		    "    hint: -p takes the id of a process, and "
		    "none that runs is called '%s'; ps -e lists them\n",
		    arg);
	free(pids);
	return EXIT_FAILURE;
}

static int
grab(struct dtrace_cmd *c, const char *arg)
{
	char *end;
	long pid;

	errno = 0;
	pid = strtol(arg, &end, 10);
	if (errno != 0 || end == arg || *end != '\0' || pid <= 0 ||
	    pid > INT_MAX)
		return refuse_pid(arg);
	return dt_proc_grab(c->dtp, (int)pid) == 0 ? GO_ON : fail(c);
}

static int
open_targets(struct dtrace_cmd *c)
{
	VEC_FOREACH(&c->targets, t) {
		int status = GO_ON;

		if (t->command == NULL)
			status = grab(c, t->pid);
		else if (dt_proc_create(c->dtp, t->command) != 0)
			status = fail(c);
		if (status != GO_ON)
			return status;
		show_notices(c);
	}
	return GO_ON;
}

/* ---- programs ----------------------------------------------------------- */

static const char *
program_kind(const struct dtrace_program *p)
{
	return p->is_file ? "script" : "description";
}

/* With -x errtags the first line has the form of other DTraces. */
static int
fail_to_compile(struct dtrace_cmd *c, const struct dtrace_program *p)
{
	const char *first = dt_errclassic(c->dtp);

	if (*first != '\0') {
		progress_end();
		fprintf(stderr, "dtrace: %s %s: %s\n",
		    p->is_file ? "failed to compile script" :
				 "invalid probe specifier",
		    p->is_file ? p->name : p->arg, first);
	}
	fail_to(c, "failed to compile %s %s", program_kind(p), p->name);
	split_command_hint(&c->split, c->operands.v + 1);
	return EXIT_FAILURE;
}

/*
 * -S of DOF, or of a program that contains it, prints a listing: nothing runs.
 */
static int
print_file(struct dtrace_cmd *c, const struct dtrace_program *p)
{
	int rc = dt_print_file(c->dtp, p->arg, c->out);

	if (rc < 0)
		return fail_to(c, "failed to print %s", p->arg);
	c->nprinted += rc == 1;
	return rc == 1 ? 0 : GO_ON;
}

/*
 * -S, or option verbose: print the compiler's output.  Option disasm may select
 * the kernel's programs instead (bits 1 to 3), or both.
 */
static int
dump_difos(struct dtrace_cmd *c, const struct dtrace_program *p)
{
	enum { DISASM_DIF = 1, DISASM_BPF = 2 | 4 | 8 };
	int64_t verbose = 0, listings;

	dt_getopt(c->dtp, "verbose", &verbose);
	if (!c->do_dis && verbose != 1)
		return GO_ON;
	if (dt_getopt(c->dtp, "disasm", &listings) != 0 ||
	    listings == DT_OPT_UNSET)
		listings = DISASM_DIF;
	if ((listings & DISASM_DIF) != 0)
		dt_prog_dump(c->dtp, p->prog, stderr);
	if ((listings & DISASM_BPF) != 0 &&
	    dt_set_dump(c->dtp, "bpf", stderr) != 0)
		return fail(c);
	return GO_ON;
}

static int
compile(struct dtrace_cmd *c, struct dtrace_program *p)
{
	/* with -G, the operands are objects */
	unsigned flags =
	    c->build != BUILD_NONE ? LANG_F_BUILD | LANG_F_ARGREF : 0;
	char **argv = c->operands.v;
	int argc = (int)c->operands.n - 1;
	int status = c->do_dis && p->is_file ? print_file(c, p) : GO_ON;

	if (status != GO_ON)
		return status;
	if (p->is_file) {
		argv[0] = (char *)(uintptr_t)p->arg;
		p->prog = dt_compile_file(c->dtp, p->arg, flags, argc, argv);
	} else {
		p->prog =
		    dt_compile_str(c->dtp, p->arg, p->spec, flags, argc, argv);
	}
	if (p->prog == NULL)
		return fail_to_compile(c, p);
	show_notices(c);
	return dump_difos(c, p);
}

static int
compile_programs(struct dtrace_cmd *c)
{
	/* the listing tells which patterns match nothing */
	if (c->do_list && dt_setopt(c->dtp, "zdefs", NULL) != 0)
		return fail(c);
	dt_list_names(c->dtp, c->do_list && !c->is_verbose);
	VEC_FOREACH(&c->programs, p) {
		size_t nprinted = c->nprinted;
		int status = compile(c, p);

		if (status != GO_ON && c->nprinted == nprinted)
			return status;
	}
	return c->nprinted == 0 ? GO_ON : 0;
}

/* A dump during the start needs the terminal: show no progress. */
static int
start_compiling(struct dtrace_cmd *c)
{
	if (c->dumps == NULL && !c->do_dis)
		progress_begin();
	progress_stage("compiling");
	return compile_programs(c);
}

static int
report_programs(struct dtrace_cmd *c)
{
	dt_notice_options(c->dtp);
	show_notices(c);
	VEC_FOREACH(&c->programs, p) {
		char *what = mem_printf("%s %s", program_kind(p), p->name);
		int rc = dt_prog_report(c->dtp, p->prog, what, c->out);

		free(what);
		if (rc != 0)
			return fail_to(c, "failed to report on '%s'", p->name);
	}
	return GO_ON;
}

/* Programs without a clause end at once. */
static int
check_matches(struct dtrace_cmd *c, uint64_t nmatches)
{
	int64_t flag;

	if (nmatches != 0 ||
	    (dt_getopt(c->dtp, "zdefs", &flag) == 0 && flag == 1))
		return GO_ON;
	progress_end();
	fputs("dtrace: no probes matched\n", stderr);
	return EXIT_FAILURE;
}

static int
enable_programs(struct dtrace_cmd *c)
{
	uint64_t nmatches = 0;

	VEC_FOREACH(&c->programs, p) {
		struct dt_proginfo info;

		if (dt_prog_exec(c->dtp, p->prog, &info) != 0)
			return fail_to(c, "failed to enable '%s'", p->name);
		nmatches += info.matches;
		if (c->is_quiet)
			continue;
		progress_hide();
		fprintf(stderr, "dtrace: %s '%s' matched %u probe%s\n",
		    program_kind(p), p->name, info.matches,
		    info.matches == 1 ? "" : "s");
	}
	return check_matches(c, nmatches);
}

/* ---- -l ----------------------------------------------------------------- */

static int
list_probe(const struct dt_probe *p, void *arg)
{
	struct dtrace_cmd *c = arg;

	if (!dt_is_json(c->dtp))
		row_print(&c->row, p, c->out);
	dt_listing_probe(c->listing, c->listed, p);
	return 0;
}

static void
list_none(struct dtrace_cmd *c, const struct dif_pdesc *d)
{
	char *hint = dt_suggest_probe(c->dtp, d);
	char *typed = dt_typed_provider(c->dtp, d);

	fprintf(stderr,
	    "dtrace: failed to match %s:%s:%s:%s: no probe matches "
	    "the description%s%s\n",
	    typed != NULL ? typed : d->prov, d->mod, d->func, d->name,
	    hint != NULL ? "; " : "", hint != NULL ? hint : "");
	free(typed);
	free(hint);
}

static int
list_pdesc(const struct dif_pdesc *d, void *arg)
{
	struct dtrace_cmd *c = arg;
	int n;

	c->listed = d;
	n = dt_probe_iter(c->dtp, d, list_probe, c);
	if (n > 0)
		return 0;
	c->status = EXIT_FAILURE;
	if (n < 0)
		fail_to(c, "failed to match %s:%s:%s:%s", d->prov, d->mod,
		    d->func, d->name);
	else if (d->id != 0)
		fprintf(stderr,
		    "dtrace: failed to match %u: there is no "
		    "probe with that id\n",
		    d->id);
	else
		list_none(c, d);
	return 0;
}

static int
list(struct dtrace_cmd *c)
{
	struct dif_pdesc all = { .prov = (char[]){ "" },
		.mod = (char[]){ "" },
		.func = (char[]){ "" },
		.name = (char[]){ "" } };

	if (!dt_is_json(c->dtp))
		fprintf(c->out, "%5s %10s %17s %33s %s\n", "ID", "PROVIDER",
		    "MODULE", "FUNCTION", "NAME");
	c->listing = dt_listing_create(c->dtp, c->is_verbose, c->out);
	if (c->programs.n == 0)
		list_pdesc(&all, c);
	VEC_FOREACH(&c->programs, p)
		dt_prog_pdesc_iter(p->prog, list_pdesc, c);
	if (dt_listing_end(c->listing) != 0)
		return fail_to(c, "failed to list the types of arguments");
	return c->status;
}

/* ---- -T ----------------------------------------------------------------- */

/* -lT */
static int
list_types(struct dtrace_cmd *c)
{
	VEC_FOREACH(&c->types, t) {
		if (dt_type_list(c->dtp, *t, c->out) != 0)
			return fail(c);
	}
	return 0;
}

/* An empty line stands between types. */
static int
show_types(struct dtrace_cmd *c)
{
	bool is_first = true;

	VEC_FOREACH(&c->types, t) {
		if (!is_first && !dt_is_json(c->dtp))
			fputc('\n', c->out);
		is_first = false;
		if (dt_type_show(c->dtp, *t, c->out) != 0)
			return fail(c);
	}
	return 0;
}

/* ---- --check ------------------------------------------------------------ */

/* Returns 0 or an exit status: GO_ON is no status of the library's. */
static int
set_up_check(struct dt_hdl *h, void *arg)
{
	struct dtrace_cmd *c = arg;
	struct dt_hdl *own = c->dtp;
	int status;

	c->dtp = h;
	status = set_handle_options(c);
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

/* ---- tracing ------------------------------------------------------------ */

/*
 * timeout(1) and others signal the process and then its group, so a second
 * signal within this time is the same one.
 */
#define SAME_SIGNAL_NS 1000000000LL

static long long
monotonic_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

/* The first signal ends tracing in order, a later one ends dtrace at once. */
static void
on_signal(int signo)
{
	static _Atomic long long began; /* 0: no signal yet */
	long long now = monotonic_ns(), first = 0;
	struct dt_hdl *dtp;

	if (!atomic_compare_exchange_strong(&began, &first, now) &&
	    now - first >= SAME_SIGNAL_NS) {
		signal(signo, SIG_DFL);
		raise(signo);
		return;
	}
	has_signal = signo;
	dtp = signal_dtp;
	if (dtp != NULL)
		dt_interrupt(dtp);
}

static void
catch_signal(int signo)
{
	struct sigaction sa = { .sa_handler = on_signal,
		.sa_flags = SA_RESTART },
			 old;

	sigemptyset(&sa.sa_mask);
	if (sigaction(signo, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
		sigaction(signo, &sa, NULL);
}

static void
catch_end(struct dtrace_cmd *c)
{
	signal_dtp = c->dtp;
	catch_signal(SIGINT);
	catch_signal(SIGTERM);
	catch_signal(SIGHUP);
}

static void
on_sigpipe(int signo)
{
	(void)signo;
}

/*
 * Make writes to a pipe without reader fail, so that dtrace ends in order.  The
 * commands of -c and system() would inherit SIG_IGN.
 */
static void
survive_sigpipe(void)
{
	struct sigaction sa = { .sa_handler = on_sigpipe,
		.sa_flags = SA_RESTART },
			 old;

	sigemptyset(&sa.sa_mask);
	if (sigaction(SIGPIPE, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
		sigaction(SIGPIPE, &sa, NULL);
}

/* Has the pipe's reader ended (| head)? This is no error, and not reported. */
static bool
is_unread(const struct dtrace_cmd *c)
{
	struct pollfd pfd = { .fd = fileno(c->file), .events = POLLOUT };

	return poll(&pfd, 1, 0) > 0 && (pfd.revents & POLLERR) != 0;
}

static int
abort_trace(struct dtrace_cmd *c)
{
	c->has_told_output = ferror(c->out) != 0;
	if (c->has_told_output && is_unread(c))
		return EXIT_FAILURE;
	return fail_to(c, "processing aborted");
}

/* After a signal, end the terminal's line, which shows "^C". */
static void
end_line(struct dtrace_cmd *c)
{
	int64_t format;

	if (!has_signal || c->has_ended_line)
		return;
	c->has_ended_line = true;
	if (dt_getopt(c->dtp, "oformat", &format) == 0 && format == 0) {
		fputc('\n', c->out);
		fflush(c->out);
	}
}

static void
tell_destructive(struct dtrace_cmd *c)
{
	int64_t flag;

	if (!c->is_quiet && dt_getopt(c->dtp, "destructive", &flag) == 0 &&
	    flag == 1)
		fputs("dtrace: allowing destructive actions\n", stderr);
}

/*
 * A signal before tracing has begun ends dtrace as it would end a compilation.
 */
static int
fail_to_go(struct dtrace_cmd *c)
{
	c->has_no_trace = has_signal != 0;
	return has_signal != 0 ? EXIT_FAILURE : fail_to(c, "cannot trace");
}

static void
end_by_signal(void)
{
	signal(has_signal, SIG_DFL);
	raise(has_signal);
}

static int
trace(struct dtrace_cmd *c)
{
	enum dt_work work;

	catch_end(c);
	progress_stage("loading the program into the kernel");
	if (dt_go(c->dtp) != 0)
		return fail_to_go(c);
	progress_end();
	tell_destructive(c);
	show_notices(c);
	dt_proc_continue(c->dtp);
	do {
		dt_sleep(c->dtp);
		end_line(c);
		work = dt_work(c->dtp, c->out);
		show_notices(c);
	} while (work == DT_WORK_OKAY);
	if (work == DT_WORK_ERROR)
		return abort_trace(c);
	return dt_exit_status(c->dtp);
}

static bool
wants_end(void *arg)
{
	const struct dtrace_cmd *c = arg;

	return c->do_compile_only || has_signal;
}

static int
build(struct dtrace_cmd *c)
{
	const struct dtrace_program *p = &c->programs.v[0];

	/* operands: the objects, between the program's name and NULL */
	if (build_write(c->dtp, c->build, p->is_file ? p->arg : NULL, c->output,
		c->bits, c->operands.v + 1, c->operands.n - 2) != 0)
		return fail(c);
	show_notices(c);
	return 0;
}

/* -a: a signal ends the claimed tracing, and then dtrace. */
static int
claim(struct dtrace_cmd *c)
{
	catch_end(c);
	return anon_claim(c->out, wants_end, c) == 0 ? 0 : EXIT_FAILURE;
}

static int
run(struct dtrace_cmd *c)
{
	int64_t flag;
	int status = set_options(c);

	if (status == GO_ON)
		status = take_grabanon(c);
	if (status == GO_ON)
		status = open_output(c);
	if (status == GO_ON && c->anon == ANON_CLAIM)
		status = claim(c);
	if (status == GO_ON)
		status = open_targets(c);
	if (status == GO_ON)
		status = start_compiling(c);
	if (status != GO_ON)
		return status;
	/* now that pragmas have been read */
	c->is_quiet = dt_getopt(c->dtp, "quiet", &flag) == 0 && flag == 1;
	if (c->do_list || c->is_verbose || c->types.n != 0)
		progress_end();
	if (c->types.n != 0)
		return c->do_list ? list_types(c) : show_types(c);
	if (c->do_list)
		return list(c);
	if (c->is_verbose)
		status = report_programs(c);
	if (status != GO_ON)
		return status;
	if (c->anon == ANON_STORE)
		return anon_store(c->dtp, c->programs.n != 0) == 0 ?
		    0 :
		    EXIT_FAILURE;
	if (c->build != BUILD_NONE)
		return build(c);
	if (c->is_saving)
		return dt_save(c->dtp, c->output) == 0 ? 0 : fail(c);
	if (c->do_compile_only)
		return 0;
	status = enable_programs(c);
	return status == GO_ON ? trace(c) : status;
}

static int
close_output(struct dtrace_cmd *c, int status)
{
	if (c->out == NULL || (fflush(c->out) == 0 && !ferror(c->out)))
		return status;
	if (!c->has_told_output && !is_unread(c))
		fprintf(stderr, "dtrace: cannot write the output: %s\n",
		    about_write_error(errno));
	return EXIT_FAILURE;
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
	free(c->anon_program);
	split_command_fini(&c->split);
	free(c->tool);
	strbuf_fini(&c->row);
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
		status = parse_args(&c, argc, argv);
	if (status == GO_ON) {
		c.dtp = dt_open();
		if (c.dtp == NULL) {
			perror("dtrace: cannot make a descriptor to wait on");
			cmd_fini(&c);
			return EXIT_FAILURE;
		}
		dt_color(c.dtp, wants_color());
		survive_sigpipe();
		status = c.do_check ? check(&c) : run(&c);
		progress_end();
		status = close_output(&c, status);
		/* no thread that may be in the handler outlives the handle */
		signal_dtp = NULL;
		dt_close(c.dtp);
	}
	cmd_fini(&c);
	if (c.has_no_trace)
		end_by_signal();
	return status;
}
