/* SPDX-License-Identifier: BSD-2-Clause */
#include "dtrace/output.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "dtrace/about.h"
#include "dtrace/anon.h"
#include "dtrace/progress.h"

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

int
output_open(struct dtrace_cmd *c)
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
	if (c->output != NULL && !c->is_saving) {
		if (!dt_is_folder(c->dtp))
			c->out = c->file = fopen(c->output, "ae");
		dt_set_output_name(c->dtp, c->output);
	}
	if (c->file != NULL)
		return c->is_handled ? open_handled(c) : GO_ON;
	fprintf(stderr, "dtrace: failed to open output file '%s': %s\n",
	    c->output, strerror(errno));
	return EXIT_FAILURE;
}

static int
refuse_folder(const struct dtrace_cmd *c, const char *why, const char *hint)
{
	progress_end();
	fprintf(stderr, "dtrace: cannot write a trace to '%s': %s\n", c->output,
	    why);
	if (hint != NULL)
		fprintf(stderr, "    hint: %s\n", hint);
	return EXIT_FAILURE;
}

/* 0, 1: it has a file; or -errno. */
static int
has_file(const char *path)
{
	DIR *dir = opendir(path);
	int n = 0;

	if (dir == NULL)
		return -errno;
	while (n <= 2 && readdir(dir) != NULL)
		n++; /* "." and ".." are always there */
	closedir(dir);
	return n > 2;
}

int
output_make_folder(const struct dtrace_cmd *c)
{
	int found;

	if (!dt_is_folder(c->dtp))
		return GO_ON;
	if (c->output == NULL) {
		progress_end();
		fputs("dtrace: this form of output is a directory with "
		      "several files\n"
		      "    hint: name a directory that does not exist yet: "
		      "-o DIRECTORY\n",
		    stderr);
		return EXIT_FAILURE;
	}
	if (c->file != stdout)
		return refuse_folder(c,
		    "the script chose the form when the file was open",
		    "choose it on the command line: -x oformat=ctf");
	if (mkdir(c->output, 0777) == 0)
		return GO_ON;
	found = errno == EEXIST ? has_file(c->output) : -errno;
	if (found > 0)
		return refuse_folder(c, "the directory is not empty",
		    "name one that does not exist yet");
	return found == 0 ? GO_ON : refuse_folder(c, strerror(-found), NULL);
}

bool
output_is_unread(const struct dtrace_cmd *c)
{
	struct pollfd pfd = { .fd = fileno(c->file), .events = POLLOUT };

	return poll(&pfd, 1, 0) > 0 && (pfd.revents & POLLERR) != 0;
}

int
output_close(struct dtrace_cmd *c, int status)
{
	if (c->out == NULL || (fflush(c->out) == 0 && !ferror(c->out)))
		return status;
	if (!c->has_told_output && !output_is_unread(c))
		fprintf(stderr, "dtrace: cannot write the output: %s\n",
		    about_write_error(errno));
	return EXIT_FAILURE;
}
