/* SPDX-License-Identifier: BSD-2-Clause */
#include "dtrace/output.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "dtrace/about.h"
#include "dtrace/anon.h"

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
		c->out = c->file = fopen(c->output, "ae");
		dt_set_output_name(c->dtp, c->output);
	}
	if (c->file != NULL)
		return c->is_handled ? open_handled(c) : GO_ON;
	fprintf(stderr, "dtrace: failed to open output file '%s': %s\n",
	    c->output, strerror(errno));
	return EXIT_FAILURE;
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
