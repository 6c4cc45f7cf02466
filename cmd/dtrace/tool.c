/* SPDX-License-Identifier: BSD-2-Clause */
#include "dtrace/tool.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/near.h"
#include "base/owndir.h"
#include "base/str.h"
#include "dtrace/about.h"
#include "libdtrace/dt_paths.h"

#define SUFFIX ".d"

/* The file of a tool (malloced). */
static char *
tool_path(const char *name)
{
	char *dir = owndir_path("tools.d", DT_TOOLSDIR);
	char *path = mem_printf("%s/%s" SUFFIX, dir, name);

	free(dir);
	return path;
}

/* ---- the first comment -------------------------------------------------- */

/* The next line of the comment, without its " * "; NULL: the comment ends. */
static char *
next_line(FILE *f, char *line, size_t size)
{
	char *text = fgets(line, (int)size, f);

	if (text == NULL || strncmp(text, " */", 3) == 0)
		return NULL;
	text[strcspn(text, "\n")] = '\0';
	text += strspn(text, " ");
	text += *text == '*';
	return text + (*text == ' ');
}

static FILE *
open_comment(const char *path)
{
	FILE *f = fopen(path, "re");
	char line[256];

	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		if (strcmp(line, "/*\n") == 0)
			return f;
	}
	if (f != NULL)
		fclose(f);
	return NULL;
}

/* Without `is_long`, only its first line, in two columns. */
static void
print_comment(const char *name, bool is_long)
{
	char *path = tool_path(name), line[256], *text;
	FILE *f = open_comment(path);

	free(path);
	if (f == NULL)
		return;
	text = next_line(f, line, sizeof(line));
	if (text != NULL && !is_long) {
		char *colon = strstr(text, ": ");

		printf("%-14s %s\n", name, colon != NULL ? colon + 2 : text);
	}
	for (; is_long && text != NULL; text = next_line(f, line, sizeof(line)))
		puts(text);
	fclose(f);
}

/* ---- names -------------------------------------------------------------- */

static int
is_tool(const struct dirent *de)
{
	size_t len = strlen(de->d_name), end = sizeof(SUFFIX) - 1;

	return de->d_name[0] != '.' && len > end &&
	    strcmp(de->d_name + len - end, SUFFIX) == 0;
}

typedef void tool_f(const char *name, void *arg);

/* Call f for each tool, in the order of names.  Returns an exit status. */
static int
each_tool(tool_f *f, void *arg)
{
	char *dir = owndir_path("tools.d", DT_TOOLSDIR);
	struct dirent **list = NULL;
	int n = scandir(dir, &list, is_tool, alphasort);

	if (n < 0)
		fprintf(stderr, "dtrace: cannot read the tools in %s: %s\n",
		    dir, strerror(errno));
	for (int i = 0; i < n; i++) {
		char *name = list[i]->d_name;

		name[strlen(name) - (sizeof(SUFFIX) - 1)] = '\0';
		f(name, arg);
		free(list[i]);
	}
	free(list);
	free(dir);
	return n < 0 ? EXIT_FAILURE : 0;
}

static void
list_tool(const char *name, void *arg)
{
	(void)arg;
	print_comment(name, false);
}

struct near_tool {
	struct near near;
	char *name; /* near.name, which outlives the list */
};

static void
take_near(const char *name, void *arg)
{
	struct near_tool *n = arg;

	near_try(&n->near, name);
	if (n->near.name == name) {
		free(n->name);
		n->name = mem_strdup(name);
		n->near.name = n->name;
	}
}

/* Our tool for one of bcc or bpftrace; or NULL. */
static const char *
tool_of(const char *theirs)
{
	static const struct {
		const char *theirs, *ours;
	} rows[] = {
#define TOOL_NAME(theirs, ours) { #theirs, #ours },
#include "dtrace/tool_names.def"
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(rows[i].theirs, theirs) == 0)
			return rows[i].ours;
	}
	return NULL;
}

static void
no_tool(const char *name)
{
	struct near_tool n = { .near = near_start(name) };
	const char *ours = tool_of(name);

	if (each_tool(take_near, &n) != 0)
		return;
	fprintf(stderr, "dtrace: there is no tool '%s'\n", name);
	if (ours != NULL)
		fprintf(stderr, "    hint: here it is dtrace run %s\n", ours);
	else if (n.name != NULL)
		fprintf(stderr, "    hint: did you mean '%s'?\n", n.name);
	else
		fputs("    hint: dtrace run -l lists them\n", stderr);
	free(n.name);
}

static int
unreadable(const char *path)
{
	fprintf(stderr, "dtrace: cannot read %s: %s\n", path, strerror(errno));
	return EXIT_FAILURE;
}

/* Returns the path, or NULL with a message. */
static char *
find(const char *name)
{
	char *path = tool_path(name);
	bool is_name = strchr(name, '/') == NULL;

	if (is_name && access(path, R_OK) == 0)
		return path;
	if (is_name && errno != ENOENT)
		unreadable(path);
	else
		no_tool(name);
	free(path);
	return NULL;
}

static int
copy_to_stdout(const char *path)
{
	FILE *f = fopen(path, "re");
	char line[256];
	int status = 0;

	if (f == NULL)
		return unreadable(path);
	while (fgets(line, sizeof(line), f) != NULL)
		fputs(line, stdout);
	if (ferror(f))
		status = unreadable(path);
	fclose(f);
	return status;
}

static int
show(const char *name)
{
	char *path = find(name);
	int status = path != NULL ? copy_to_stdout(path) : EXIT_FAILURE;

	free(path);
	return status;
}

static int
run_usage(void)
{
	fputs("Usage: dtrace run NAME [options] [args ...]\n"
	      "       dtrace run -l | --show NAME | NAME --help\n",
	    stderr);
	return EXIT_USAGE;
}

/* The output is complete; a pipe's reader may have gone. */
static int
printed(int status)
{
	return about_finish() != 0 ? EXIT_FAILURE : status;
}

/* ---- arguments ---------------------------------------------------------- */

/*
 * The first line without what follows the colon, "NAME ARG [ARG]" (malloced).
 */
static char *
synopsis(const char *path)
{
	FILE *f = open_comment(path);
	char line[256], *text = NULL;

	if (f != NULL) {
		text = next_line(f, line, sizeof(line));
		fclose(f);
	}
	return text != NULL ? mem_strndup(text, strcspn(text, ":")) : NULL;
}

/* The n-th argument that a synopsis requires, from 0; NULL: there are fewer. */
static const char *
required(char *words, size_t n)
{
	char *rest, *word = strtok_r(words, " ", &rest);

	for (size_t i = 0; word != NULL && i <= n; i++)
		word = strtok_r(NULL, " ", &rest);
	return word != NULL && *word != '[' ? word : NULL;
}

/* `text` is a synopsis. */
static void
print_usage(const char *text)
{
	fprintf(stderr, "Usage: dtrace run %s\n", text);
	fprintf(stderr, "    hint: dtrace run %.*s --help explains it\n",
	    (int)strcspn(text, " "), text);
}

/* The number of arguments in a synopsis. */
static size_t
count_args(const char *text)
{
	size_t n = 0;

	for (; *text != '\0'; text++)
		n += *text == ' ';
	return n;
}

int
tool_check_excess(const char *path, char *const *operands, size_t n)
{
	char *text = synopsis(path);
	size_t most = text != NULL ? count_args(text) : n;

	if (n > most) {
		fprintf(stderr, "dtrace: the tool takes no argument '%s'\n",
		    operands[most]);
		print_usage(text);
	}
	free(text);
	return n > most ? EXIT_USAGE : TOOL_NONE;
}

int
tool_check_args(const char *path, size_t n)
{
	char *text = synopsis(path), *words;
	const char *lacking;

	if (text == NULL)
		return TOOL_NONE;
	words = mem_strdup(text);
	lacking = required(words, n);
	if (lacking != NULL) {
		fprintf(stderr, "dtrace: the tool needs an argument: %s\n",
		    lacking);
		print_usage(text);
	}
	free(words);
	free(text);
	return lacking != NULL ? EXIT_USAGE : TOOL_NONE;
}

#define NEEDS "Needs "

void
tool_hint_needs(const char *path)
{
	FILE *f = open_comment(path);
	char line[256], *text;

	if (f == NULL)
		return;
	while ((text = next_line(f, line, sizeof(line))) != NULL &&
	    strncmp(text, NEEDS, sizeof(NEEDS) - 1) != 0)
		;
	if (text != NULL) {
		fprintf(stderr, "    hint: the tool needs %s",
		    text + sizeof(NEEDS) - 1);
		while ((text = next_line(f, line, sizeof(line))) != NULL &&
		    *text != '\0')
			fprintf(stderr, " %s", text);
		fputc('\n', stderr);
	}
	fclose(f);
}

/* ---- short cuts --------------------------------------------------------- */

char *
tool_find(const char *name)
{
	return find(name);
}

char *
tool_flame(char *kind, char **operand)
{
	static const struct {
		const char *kind, *tool;
	} map[] = { { "cpu", "flame" }, { "offcpu", "offcpuflame" },
		{ "alloc", "allocflame" } };

	*operand = NULL;
	if (kind == NULL)
		return find("flame");
	for (size_t i = 0; i < sizeof(map) / sizeof(map[0]); i++) {
		if (strcmp(kind, map[i].kind) == 0)
			return find(map[i].tool);
	}
	if (strchr(kind, ':') != NULL) {
		*operand = kind;
		return find("probeflame");
	}
	fprintf(stderr,
	    "dtrace: --flame=%s: expected cpu, offcpu, alloc, or a probe, "
	    "such as syscall::read:entry\n",
	    kind);
	return NULL;
}

/* ---- the command line --------------------------------------------------- */

/* The arguments are those after "run". */
static int
run(int argc, char *const argv[], char **path)
{
	if (argc == 1 && strcmp(argv[0], "-l") == 0)
		return printed(each_tool(list_tool, NULL));
	if (argc == 2 && strcmp(argv[0], "--show") == 0)
		return printed(show(argv[1]));
	if (argc == 0 || argv[0][0] == '-')
		return run_usage();
	*path = find(argv[0]);
	if (*path == NULL)
		return EXIT_FAILURE;
	if (argc == 2 && strcmp(argv[1], "--help") == 0) {
		print_comment(argv[0], true);
		return about_finish();
	}
	return TOOL_NONE;
}

int
tool_take(int argc, char *argv[], char **path)
{
	static char script_flag[] = "-s";
	int status;

	if (argc < 2 || strcmp(argv[1], "run") != 0)
		return TOOL_NONE;
	status = run(argc - 2, argv + 2, path);
	if (status == TOOL_NONE) {
		argv[1] = script_flag;
		argv[2] = *path;
	}
	return status;
}
