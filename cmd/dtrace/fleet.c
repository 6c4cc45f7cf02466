/* SPDX-License-Identifier: BSD-2-Clause */
#include "dtrace/fleet.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "dtrace/about.h"
#include "dtrace/message.h"
#include "dtrace/row.h"
#include "dtrace/signals.h"
#include "dtrace/trace.h"

#define SIZE_LEAST (UINT64_C(1) << 20) /* of --detach */
#define SIZE_MOST (UINT64_C(1) << 20)  /* in its unit */

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

	if (dt_is_json(c->dtp))
		dt_fleet_probe_json(p, c->out);
	else
		row_print(&c->row, p, c->out);
	return 0;
}

/* -l */
static int
list(struct dtrace_cmd *c)
{
	int rc;

	if (c->programs.n == 0)
		(void)dt_fleet_add(c->dtp, LANG_PSPEC_NAME, ":::");
	signals_catch(c->dtp);
	if (!dt_is_json(c->dtp))
		fprintf(c->out, "%5s %10s %17s %33s %s\n", "HOSTS", "PROVIDER",
		    "MODULE", "FUNCTION", "NAME");
	rc = dt_fleet_list(c->dtp, list_probe, c);
	message_notices(c);
	return rc == 0 ? dt_exit_status(c->dtp) :
			 message_fail_to(c, "cannot list probes");
}

/* ---- detached runs ------------------------------------------------------- */

#define DETACHED_NS UINT64_C(86400000000000) /* without -t */

/* The bytes of "64m"; 0: it is no size. */
static uint64_t
read_size(const char *text)
{
	char *end;
	uint64_t n;

	if (*text < '0' || *text > '9')
		return 0;
	errno = 0;
	n = strtoull(text, &end, 10);
	if (errno != 0 || n > SIZE_MOST)
		return 0;
	if (*end == 'k')
		n <<= 10;
	else if (*end == 'm')
		n <<= 20;
	else if (*end == 'g')
		n <<= 30;
	else
		return 0;
	return end[1] == '\0' ? n : 0;
}

/* --detach NAME[,SIZE] */
static int
detach(struct dtrace_cmd *c)
{
	const char *comma = strchr(c->detach, ',');
	uint64_t size = comma != NULL ? read_size(comma + 1) : 0;
	char *name;
	int rc;

	if (comma != NULL && size < SIZE_LEAST) {
		fprintf(stderr,
		    "dtrace: --detach %s: the size is one such as 64m or 2g, "
		    "from 1m\n",
		    c->detach);
		return EXIT_USAGE;
	}
	name = mem_strndup(c->detach, strcspn(c->detach, ","));
	signals_catch(c->dtp);
	rc = dt_fleet_detach(
	    c->dtp, name, size, c->end_ns != 0 ? c->end_ns : DETACHED_NS);
	free(name);
	message_notices(c);
	return rc == 0 ? EXIT_SUCCESS : message_fail_to(c, "cannot detach");
}

static void
print_time(FILE *out, uint64_t ns)
{
	time_t t = (time_t)(ns / 1000000000);
	struct tm tm;
	char text[32];

	if (gmtime_r(&t, &tm) == NULL ||
	    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
		snprintf(text, sizeof(text), "?");
	fprintf(out, " %-20s", text);
}

static int
print_run(const struct dt_fleet_run *run, void *arg)
{
	struct dtrace_cmd *c = arg;

	if (dt_is_json(c->dtp)) {
		dt_fleet_run_json(run, c->out);
		return 0;
	}
	fprintf(c->out, "%-16s", run->name);
	print_time(c->out, run->since_ns);
	print_time(c->out, run->until_ns);
	fprintf(c->out, " %9llu %s %s\n",
	    (unsigned long long)((run->bytes + 1023) >> 10), run->author,
	    *run->hosts != '\0' ? run->hosts : "-");
	return 0;
}

/* --list */
static int
list_runs(struct dtrace_cmd *c)
{
	int rc;

	if (!dt_is_json(c->dtp))
		fprintf(c->out, "%-16s %-20s %-20s %9s %-44s %s\n", "NAME",
		    "SINCE", "UNTIL", "KILOBYTES", "AUTHOR", "HOSTS");
	rc = dt_fleet_runs(c->dtp, print_run, c);
	return rc == 0 ? EXIT_SUCCESS :
			 message_fail_to(c, "cannot list detached runs");
}

/* --stop NAME */
static int
stop(struct dtrace_cmd *c)
{
	int rc;

	signals_catch(c->dtp);
	rc = dt_fleet_end(c->dtp, c->stop);
	message_notices(c);
	return rc == 0 ? EXIT_SUCCESS : message_fail_to(c, "cannot stop it");
}

static int
attach(struct dtrace_cmd *c)
{
	return dt_fleet_attach(c->dtp, c->attach) == 0 ?
	    trace_run(c) :
	    message_fail_to(c, "cannot attach");
}

int
fleet_run(struct dtrace_cmd *c)
{
	int status = open_fleet(c);
	int64_t flag;

	if (status != GO_ON)
		return status;
	c->is_quiet = dt_getopt(c->dtp, "quiet", &flag) == 0 && flag == 1;
	if (c->lists_runs)
		return list_runs(c);
	if (c->stop != NULL)
		return stop(c);
	if (c->attach != NULL)
		return attach(c);
	VEC_FOREACH(&c->settings, s)
		send_option(c, s);
	VEC_FOREACH(&c->programs, p) {
		int rc = p->is_file ? dt_fleet_add_file(c->dtp, p->arg) :
				      dt_fleet_add(c->dtp, p->spec, p->arg);

		if (rc != 0)
			return message_fail(c);
	}
	if (c->detach != NULL)
		return detach(c);
	return c->do_list ? list(c) : trace_run(c);
}
