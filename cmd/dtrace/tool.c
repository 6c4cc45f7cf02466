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
#include "libdtrace/dt_paths.h"

#define SUFFIX ".d"
#define WRONG_USAGE 2

/* The file of a tool (malloced). */
static char *
tool_path(const char *name)
{
	char *dir = own_dir("tools.d", DT_TOOLSDIR);
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
	char *dir = own_dir("tools.d", DT_TOOLSDIR);
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

static int
no_tool(const char *name)
{
	struct near_tool n = { .near = near_start(name) };

	if (each_tool(take_near, &n) != 0)
		return EXIT_FAILURE;
	fprintf(stderr, "dtrace: there is no tool '%s'\n", name);
	if (n.name != NULL)
		fprintf(stderr, "    hint: did you mean '%s'?\n", n.name);
	else
		fputs("    hint: dtrace run -l lists them\n", stderr);
	free(n.name);
	return EXIT_FAILURE;
}

/* Returns the path, or NULL with a message. */
static char *
find(const char *name, int *status)
{
	char *path = tool_path(name);

	*status = 0;
	if (strchr(name, '/') == NULL && access(path, R_OK) == 0)
		return path;
	free(path);
	*status = no_tool(name);
	return NULL;
}

static int
show(const char *name)
{
	char line[256], *path;
	int status;
	FILE *f;

	path = find(name, &status);
	if (path == NULL)
		return status;
	f = fopen(path, "re");
	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		fputs(line, stdout);
	if (f == NULL)
		fprintf(stderr, "dtrace: %s: %s\n", path, strerror(errno));
	status = f != NULL ? 0 : EXIT_FAILURE;
	if (f != NULL)
		fclose(f);
	free(path);
	return status;
}

static int
usage(void)
{
	fputs("Usage: dtrace run NAME [options] [args ...]\n"
	      "       dtrace run -l | --show NAME | NAME --help\n",
	    stderr);
	return WRONG_USAGE;
}

/* The output is complete; a pipe's reader may have gone. */
static int
flushed(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	fprintf(
	    stderr, "dtrace: cannot write the output: %s\n", strerror(errno));
	return EXIT_FAILURE;
}

/* The arguments are those after "run". */
static int
run(int argc, char *const argv[], char **path)
{
	int status;

	if (argc == 1 && strcmp(argv[0], "-l") == 0)
		return flushed(each_tool(list_tool, NULL));
	if (argc == 2 && strcmp(argv[0], "--show") == 0)
		return flushed(show(argv[1]));
	if (argc == 0 || argv[0][0] == '-')
		return usage();
	*path = find(argv[0], &status);
	if (*path == NULL)
		return status;
	if (argc == 2 && strcmp(argv[1], "--help") == 0) {
		print_comment(argv[0], true);
		return flushed(0);
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
