/* SPDX-License-Identifier: BSD-2-Clause */
#include "dtrace/args.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "dtrace/about.h"
#include "dtrace/programs.h"
#include "dtrace/tool.h"
#include "lang/habits.h"
#include "libdtrace/options.h"

static void
add_setting(
    struct dtrace_cmd *c, char letter, const char *name, const char *value)
{
	VEC_PUSH(&c->settings, (struct dtrace_setting){ letter, name, value });
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
	programs_add(c, false, LANG_PSPEC_NAME, arg);
	return GO_ON;
}

enum {
	OPT_HELP = 256,
	OPT_DUMP,
	OPT_ANON,
	OPT_VERSION,
	OPT_EXPLAIN,
	OPT_CHECK,
	OPT_JSON,
	OPT_CGROUP,
	OPT_CONTAINER,
	OPT_RECORD,
	OPT_FLAME,
	OPT_TOP,
	OPT_TIMELINE,
	OPT_FLEET,
	OPT_HOSTS,
	OPT_LABEL,
	OPT_AUTHOR,
	OPT_DETACH,
	OPT_ATTACH,
	OPT_LIST,
	OPT_STOP
};

static const struct option long_options[] = {
	{ "help", no_argument, NULL, OPT_HELP },
	{ "dump", required_argument, NULL, OPT_DUMP },
	{ "anonymous", no_argument, NULL, OPT_ANON },
	{ "version", no_argument, NULL, OPT_VERSION },
	{ "explain", required_argument, NULL, OPT_EXPLAIN },
	{ "check", no_argument, NULL, OPT_CHECK },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "cgroup", required_argument, NULL, OPT_CGROUP },
	{ "container", required_argument, NULL, OPT_CONTAINER },
	{ "record", required_argument, NULL, OPT_RECORD },
	{ "flame", optional_argument, NULL, OPT_FLAME },
	{ "top", no_argument, NULL, OPT_TOP },
	{ "timeline", no_argument, NULL, OPT_TIMELINE },
	{ "fleet", required_argument, NULL, OPT_FLEET },
	{ "hosts", required_argument, NULL, OPT_HOSTS },
	{ "label", required_argument, NULL, OPT_LABEL },
	{ "author", required_argument, NULL, OPT_AUTHOR },
	{ "detach", required_argument, NULL, OPT_DETACH },
	{ "attach", required_argument, NULL, OPT_ATTACH },
	{ "list", no_argument, NULL, OPT_LIST },
	{ "stop", required_argument, NULL, OPT_STOP },
	{ NULL, 0, NULL, 0 },
};

#define SHORT ":3:6:aAb:Bc:CD:ef:FGhHi:I:lL:m:n:o:p:P:qr:s:St:T:U:vVwx:X:Z"

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

/* The hint for an option of another tracer; or NULL.  Its value is left out. */
static const char *
option_habit(const char *word)
{
	char *name = mem_strndup(word, strcspn(word, "="));
	const char *hint = habit_hint(HABIT_IS_OPTION, name);

	free(name);
	return hint;
}

/* A value was given to a long option that takes none. */
static int
refuse_value(const char *arg)
{
	int len = (int)strcspn(arg, "=");

	fprintf(stderr, "dtrace: option %.*s takes no value, not '%s'\n", len,
	    arg, arg + len + 1);
	return EXIT_USAGE;
}

/* Is it an option of -x without the -x?  Then a hint says so. */
static bool
hint_at_x(const char *word)
{
	size_t len = strcspn(word, "=");

	for (size_t i = 0; i < DT_OPT_MAX; i++) {
		const char *name = dt_optinfo[i].name;

		if (strlen(name) != len || strncmp(name, word, len) != 0)
			continue;
		fprintf(stderr, "    hint: did you mean -x %s?\n", word);
		return true;
	}
	return false;
}

static int
refuse(const struct dtrace_cmd *c, const char *arg)
{
	bool is_long = optopt == 0 || optopt >= OPT_HELP;
	const char letter[] = { (char)optopt, '\0' };
	const char *hint = option_habit(is_long ? arg + 2 : letter);

	if (optopt >= OPT_HELP)
		return refuse_value(arg);
	if (is_long)
		fprintf(
		    stderr, "dtrace: unknown or incomplete option %s\n", arg);
	else
		fprintf(stderr, "dtrace: unknown option -%c\n", optopt);
	if (split_command_refused(&c->split, is_long ? 0 : optopt, arg))
		return EXIT_USAGE;
	if (hint == NULL && is_long && hint_at_x(arg + 2))
		return EXIT_USAGE;
	if (hint == NULL)
		return about_usage();
	fprintf(stderr, "    hint: %s\n", hint);
	return EXIT_USAGE;
}

/* -D and -U: a word with a dash is an option, and the name was forgotten. */
static int
refuse_macro(int opt, const char *word)
{
	fprintf(stderr, "dtrace: -%c needs the name of a macro, not '%s'\n",
	    opt, word);
	if (opt == 'D')
		fprintf(stderr, "    hint: -D NAME or -D NAME=VALUE\n");
	return EXIT_USAGE;
}

/*
 * -f takes a function, and -P, -m and -n take parts of descriptions, which do
 * not begin with a dash: strace's -f does not take a word.
 */
static int
refuse_description(const struct dtrace_cmd *c, int opt, const char *word)
{
	fprintf(
	    stderr, "dtrace: -%c needs a description, not '%s'\n", opt, word);
	if (!split_command_refused(&c->split, opt, NULL) && opt == 'f')
		fputs("    hint: -f FUNCTION names a function; -c 'COMMAND' "
		      "runs a command to trace\n",
		    stderr);
	return EXIT_USAGE;
}

/* The word after a long option is another option: its own argument is missing.
 */
static int
refuse_option_as_argument(int opt, const char *word)
{
	fprintf(stderr, "dtrace: option --%s needs an argument, not '%s'\n",
	    opt == OPT_RECORD	     ? "record" :
		opt == OPT_CONTAINER ? "container" :
				       "cgroup",
	    word);
	return EXIT_USAGE;
}

static bool
takes_name(int opt)
{
	return opt == OPT_RECORD || opt == OPT_CONTAINER || opt == OPT_CGROUP;
}

static bool
takes_description(int opt)
{
	return opt == 'P' || opt == 'm' || opt == 'f' || opt == 'n';
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

static int
parse_anon(struct dtrace_cmd *c, enum anon anon)
{
	if (c->anon != ANON_NONE && c->anon != anon)
		return args_refuse(
		    "only one of -a, -A and --anonymous can be given");
	c->anon = anon;
	return GO_ON;
}

static int
parse_build(struct dtrace_cmd *c, enum build build)
{
	if (c->build != BUILD_NONE && c->build != build)
		return args_refuse("only one of -h and -G can be given");
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

/* -t: a rate is no time, and a number without a unit says too little. */
static int
parse_end(struct dtrace_cmd *c, const char *arg)
{
	size_t ndigits = strspn(arg, "0123456789");
	uint64_t ns;

	if (strcasecmp(arg + ndigits, "hz") != 0 && arg[ndigits] != '\0' &&
	    dt_parse_period(arg, false, &ns) == 0 && ns != 0) {
		c->end_ns = ns;
		return GO_ON;
	}
	fprintf(stderr,
	    "dtrace: -t needs a time with its unit, such as 10s or 500ms, "
	    "not '%s'\n",
	    arg);
	if (ndigits == 0)
		fputs("    hint: times in the output are part of the program: "
		      "printf(\"%Y\", walltimestamp)\n",
		    stderr);
	return EXIT_USAGE;
}

/* --flame: as "dtrace run" of one of the tools that make flame graphs. */
static int
parse_flame(struct dtrace_cmd *c, char *kind)
{
	char *operand;

	if (c->tool != NULL)
		return args_refuse(
		    "only one tool can run: --flame is one, and so is run");
	c->tool = tool_flame(kind, &operand);
	if (c->tool == NULL)
		return EXIT_USAGE;
	c->has_flame = true;
	add_setting(c, 'x', "oformat=flame", NULL);
	programs_add(c, true, LANG_PSPEC_NAME, c->tool);
	if (operand != NULL)
		VEC_PUSH(&c->operands, operand);
	return GO_ON;
}

/* --timeline: as "dtrace run timeline"; the form depends on -o. */
static int
parse_timeline(struct dtrace_cmd *c)
{
	if (c->tool != NULL)
		return args_refuse("only one tool can run: --timeline is one, "
				   "and so are --flame and run");
	c->tool = tool_find("timeline");
	if (c->tool == NULL)
		return EXIT_USAGE;
	c->has_timeline = true;
	/* a later option may have another form: args_parse() sets its value */
	c->form = c->settings.n;
	add_setting(c, 'x', "oformat=perfetto", NULL);
	programs_add(c, true, LANG_PSPEC_NAME, c->tool);
	return GO_ON;
}

static int
parse_fleet(struct dtrace_cmd *c, int opt, const char *arg)
{
	if (opt == OPT_FLEET)
		c->fleet = arg;
	else if (opt == OPT_HOSTS)
		VEC_PUSH(&c->hosts, arg);
	else if (opt == OPT_LABEL)
		VEC_PUSH(&c->labels, arg);
	else if (opt == OPT_AUTHOR)
		c->author = arg;
	else if (opt == OPT_DETACH)
		c->detach = arg;
	else if (opt == OPT_ATTACH)
		c->attach = arg;
	else if (opt == OPT_STOP)
		c->stop = arg;
	else
		c->lists_runs = true;
	return GO_ON;
}

static int
parse_option(struct dtrace_cmd *c, int opt, char *arg, const char *word)
{
	if ((opt == 'D' || opt == 'U') && arg[0] == '-')
		return refuse_macro(opt, arg);
	if (takes_description(opt) && c->build == BUILD_NONE && arg[0] == '-')
		return refuse_description(c, opt, arg);
	if (takes_name(opt) && arg[0] == '-')
		return refuse_option_as_argument(opt, arg);
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
		programs_add(c, false, LANG_PSPEC_PROVIDER, arg);
		return GO_ON;
	case 'm':
		programs_add(c, false, LANG_PSPEC_MOD, arg);
		return GO_ON;
	case 'f':
		programs_add(c, false, LANG_PSPEC_FUNC, arg);
		return GO_ON;
	case 'n':
		programs_add(c, false, LANG_PSPEC_NAME, arg);
		return GO_ON;
	case 's':
		programs_add(c, true, LANG_PSPEC_NAME, arg);
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
	case 'r':
		VEC_PUSH(&c->replays, arg);
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
	case OPT_CONTAINER:
		add_setting(c, '-', "container", arg);
		return GO_ON;
	case OPT_RECORD:
		add_setting(c, '-', "record", arg);
		return GO_ON;
	case OPT_CGROUP:
		add_setting(c, '-', "cgroup", arg);
		return GO_ON;
	case 't':
		return parse_end(c, arg);
	case OPT_FLAME:
		return parse_flame(c, arg);
	case OPT_TOP:
		c->has_top = true;
		return GO_ON;
	case OPT_TIMELINE:
		return parse_timeline(c);
	case OPT_FLEET:
	case OPT_HOSTS:
	case OPT_LABEL:
	case OPT_AUTHOR:
	case OPT_DETACH:
	case OPT_ATTACH:
	case OPT_LIST:
	case OPT_STOP:
		return parse_fleet(c, opt, arg);
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

static bool
has_suffix(const char *name, const char *suffix)
{
	size_t n = name != NULL ? strlen(name) : 0, m = strlen(suffix);

	return n > m && strcmp(name + n - m, suffix) == 0;
}

/* --top without a program runs the tool of that name. */
static int
take_default(struct dtrace_cmd *c)
{
	if (!c->has_top || c->programs.n != 0 || c->replays.n != 0)
		return GO_ON;
	c->tool = tool_find("top");
	if (c->tool == NULL)
		return EXIT_USAGE;
	programs_add(c, true, LANG_PSPEC_NAME, c->tool);
	return GO_ON;
}

int
args_parse(struct dtrace_cmd *c, int argc, char **argv)
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
	args_take_script(c);
	status = take_default(c);
	if (status != GO_ON)
		return status;
	if (c->has_timeline && has_suffix(c->output, ".json"))
		c->settings.v[c->form].name = "oformat=chrome";
	if (c->has_timeline && c->output == NULL && isatty(STDOUT_FILENO))
		return args_refuse("--timeline makes a file: -o names it, as "
				   "in -o out.pftrace or -o out.json");
	if (c->has_flame && c->output == NULL && isatty(STDOUT_FILENO))
		return args_refuse(
		    "--flame makes a page: -o names its file, as in -o out.html");
	if (c->tool != NULL) {
		/* operands: between the program's name and NULL */
		status = tool_check_args(c->tool, c->operands.n - 2);
		/* clauses of -n may use more of them */
		if (status == TOOL_NONE && c->programs.n == 1 &&
		    !args_sets(c, "argref"))
			status = tool_check_excess(
			    c->tool, c->operands.v + 1, c->operands.n - 2);
		if (status != TOOL_NONE)
			return status;
	}
	return args_check(c);
}
