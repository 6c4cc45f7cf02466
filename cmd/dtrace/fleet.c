/* SPDX-License-Identifier: BSD-2-Clause */
#include "dtrace/fleet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "dtrace/message.h"
#include "dtrace/row.h"
#include "dtrace/signals.h"
#include "dtrace/trace.h"

static int
open_fleet(struct dtrace_cmd *c)
{
	bool is_url = strstr(c->fleet, "://") != NULL;
	struct dt_fleet_ask ask = { .url = is_url ? c->fleet : NULL,
		.conf = is_url ? NULL : c->fleet,
		.author = c->author,
		.args = c->operands.v + 1 };

	VEC_PUSH(&c->hosts, NULL);
	VEC_PUSH(&c->labels, NULL);
	ask.hosts = c->hosts.v;
	ask.labels = c->labels.v;
	return dt_fleet_open(c->dtp, &ask) == 0 ?
	    GO_ON :
	    message_fail_to(c, "cannot ask the fleet");
}

static void
send_option(struct dtrace_cmd *c, const struct dtrace_setting *s)
{
	const char *eq = s->letter == 'x' ? strchr(s->name, '=') : NULL;
	char *name = eq != NULL ? mem_strndup(s->name, (size_t)(eq - s->name)) :
				  mem_strdup(s->name);

	dt_fleet_setopt(c->dtp, name, eq != NULL ? eq + 1 : s->value);
	free(name);
}

static int
list_probe(const struct dt_probe *p, void *arg)
{
	struct dtrace_cmd *c = arg;

	row_print(&c->row, p, c->out);
	return 0;
}

/* -l */
static int
list(struct dtrace_cmd *c)
{
	int rc;

	if (dt_is_json(c->dtp)) {
		fputs("dtrace: --fleet: -l of a fleet is not there as JSON "
		      "yet\n",
		    stderr);
		return EXIT_FAILURE;
	}
	if (c->programs.n == 0)
		(void)dt_fleet_add(c->dtp, LANG_PSPEC_NAME, ":::");
	signals_catch(c->dtp);
	fprintf(c->out, "%5s %10s %17s %33s %s\n", "HOSTS", "PROVIDER",
	    "MODULE", "FUNCTION", "NAME");
	rc = dt_fleet_list(c->dtp, list_probe, c);
	message_notices(c);
	return rc == 0 ? dt_exit_status(c->dtp) :
			 message_fail_to(c, "cannot list probes");
}

int
fleet_run(struct dtrace_cmd *c)
{
	int status = open_fleet(c);
	int64_t flag;

	if (status != GO_ON)
		return status;
	c->is_quiet = dt_getopt(c->dtp, "quiet", &flag) == 0 && flag == 1;
	VEC_FOREACH(&c->settings, s)
		send_option(c, s);
	VEC_FOREACH(&c->programs, p) {
		int rc = p->is_file ? dt_fleet_add_file(c->dtp, p->arg) :
				      dt_fleet_add(c->dtp, p->spec, p->arg);

		if (rc != 0)
			return message_fail(c);
	}
	return c->do_list ? list(c) : trace_run(c);
}
