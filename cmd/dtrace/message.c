/* SPDX-License-Identifier: BSD-2-Clause */
#include "dtrace/message.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dtrace/progress.h"

int
message_fail(struct dtrace_cmd *c)
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

int __attribute__((format(printf, 2, 3)))
message_fail_to(struct dtrace_cmd *c, const char *fmt, ...)
{
	const char *msg = dt_errmsg(c->dtp);
	size_t len = strlen(msg);
	va_list ap;

	if (len > 0 && msg[len - 1] == '\n')
		return message_fail(c);
	progress_end();
	fputs("dtrace: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, ": %s\n", msg);
	return EXIT_FAILURE;
}

bool
message_wants_color(void)
{
	const char *term = getenv("TERM"), *no = getenv("NO_COLOR");

	return isatty(STDERR_FILENO) && term != NULL && *term != '\0' &&
	    strcmp(term, "dumb") != 0 && (no == NULL || *no == '\0');
}

void
message_notices(struct dtrace_cmd *c)
{
	const char *notices = dt_notices(c->dtp);

	if (*notices != '\0')
		progress_hide();
	fputs(notices, stderr);
}
