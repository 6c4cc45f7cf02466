/* SPDX-License-Identifier: BSD-2-Clause */
#include "dtrace/setup.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "dtrace/args.h"
#include "dtrace/message.h"

/* -x name[=value] */
static int
set_x(struct dtrace_cmd *c, const char *arg)
{
	const char *eq = strchr(arg, '=');
	char *name =
	    eq != NULL ? mem_strndup(arg, (size_t)(eq - arg)) : mem_strdup(arg);
	int rc = dt_setopt(c->dtp, name, eq != NULL ? eq + 1 : NULL);

	free(name);
	return rc == 0 ? GO_ON : message_fail_to(c, "failed to set -x %s", arg);
}

/* -h, -G: definitions of providers may be for other machines, too. */
static int
set_build_options(struct dtrace_cmd *c)
{
	int64_t type;

	if (dt_getopt(c->dtp, "linktype", &type) == 0 && type == 0)
		return args_refuse("-h and -G do not go with linktype=dof");
	return dt_setopt(c->dtp, "linktype", "elf") == 0 ? GO_ON :
							   message_fail(c);
}

int
setup_handle(struct dtrace_cmd *c)
{
	if (c->is_verbose)
		dt_set_verbose(c->dtp);
	if (dt_setopt_env(c->dtp) != 0)
		return message_fail(c);
	VEC_FOREACH(&c->settings, s) {
		int status = GO_ON;

		if (s->letter == 'x')
			status = set_x(c, s->name);
		else if (dt_setopt(c->dtp, s->name, s->value) != 0)
			status = s->letter == '-' ?
			    message_fail_to(c, "failed to set --%s", s->name) :
			    message_fail_to(c, "failed to set -%c", s->letter);
		if (status != GO_ON)
			return status;
	}
	return GO_ON;
}

int
setup_options(struct dtrace_cmd *c)
{
	int status = setup_handle(c);

	if (status != GO_ON)
		return status;
	/* to stderr, apart from the trace */
	if (c->dumps != NULL && dt_set_dump(c->dtp, c->dumps, stderr) != 0)
		return message_fail_to(c, "--dump=%s", c->dumps);
	return c->build != BUILD_NONE ? set_build_options(c) : GO_ON;
}
