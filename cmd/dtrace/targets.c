/* SPDX-License-Identifier: BSD-2-Clause */
#include "dtrace/targets.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "dtrace/message.h"
#include "dtrace/named.h"

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
	return dt_proc_grab(c->dtp, (int)pid) == 0 ? GO_ON : message_fail(c);
}

int
targets_open(struct dtrace_cmd *c)
{
	VEC_FOREACH(&c->targets, t) {
		int status = GO_ON;

		if (t->command == NULL)
			status = grab(c, t->pid);
		else if (dt_proc_create(c->dtp, t->command) != 0)
			status = message_fail(c);
		if (status != GO_ON)
			return status;
		message_notices(c);
	}
	return GO_ON;
}
