/* SPDX-License-Identifier: BSD-2-Clause */
#include "fleet/detached.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "fleet/policy.h"

#define KEPT "dtrace.kept."
#define NAME_MAX_BYTES 64
#define STARTS_MAX_BYTES (UINT64_C(64) << 20)
#define RUNS_MAX_BYTES (UINT64_C(64) << 20) /* of requests */

char *
fl_detached_stream(const char *run)
{
	return mem_printf("DTRACE_%s", run);
}

char *
fl_detached_start_stream(const char *run)
{
	return mem_printf("DTRACE_%s_START", run);
}

char *
fl_detached_subject(const char *run)
{
	return mem_printf(KEPT "%s", run);
}

char *
fl_detached_stop_subject(const char *run, const char *stop)
{
	return mem_printf(KEPT "%s.%s", run, stop);
}

/* Is this the text of an id? */
static bool
is_id(const char *s)
{
	return strspn(s, "0123456789abcdef") >= FL_RUN_TEXT - 1;
}

bool
fl_detached_parse(const char *subject, struct fl_detached_id *out)
{
	const char *run = subject + sizeof(KEPT) - 1, *rest;

	if (strncmp(subject, KEPT, sizeof(KEPT) - 1) != 0 || !is_id(run))
		return false;
	rest = run + FL_RUN_TEXT - 1;
	memcpy(out->run, run, FL_RUN_TEXT - 1);
	out->run[FL_RUN_TEXT - 1] = '\0';
	out->stops = *rest == '.';
	if (!out->stops)
		return *rest == '\0';
	return is_id(rest + 1) && rest[FL_RUN_TEXT] == '\0';
}

struct fl_keep_form
fl_detached_runs_form(void)
{
	return (struct fl_keep_form){ .name = FL_RUNS_STREAM,
		.subjects = { FL_SUBJECT_KEPT, FL_SUBJECT_STOPS },
		.max_bytes = RUNS_MAX_BYTES,
		.max_age_ns = FL_DETACHED_LIFE_NS + FL_KEPT_NS,
		.is_full_at_end = true,
		.keeps_last = true };
}

struct fl_keep_form
fl_detached_run_form(const char *stream, const char *subject,
    uint64_t max_bytes, uint64_t life_ns)
{
	return (struct fl_keep_form){ .name = stream,
		.subjects = { subject, NULL },
		.max_bytes = max_bytes,
		.max_age_ns = life_ns + FL_KEPT_NS };
}

struct fl_keep_form
fl_detached_start_form(
    const char *stream, const char *subject, uint64_t life_ns)
{
	return (struct fl_keep_form){ .name = stream,
		.subjects = { subject, NULL },
		.max_bytes = STARTS_MAX_BYTES,
		.max_age_ns = life_ns + FL_KEPT_NS };
}

bool
fl_detached_is_name(const char *name)
{
	size_t n = strspn(name,
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	    "-_.");

	return n != 0 && n <= NAME_MAX_BYTES && name[n] == '\0';
}

int
fl_detached_permit(const struct fl_request *rq, struct err *err)
{
	uint64_t life_ns = rq->expires_ns - rq->issued_ns;
	const struct fl_author *a = rq->author;

	if (rq->detached == NULL || (rq->flags & FL_WANTS_STOP) != 0 ||
	    !fl_detached_is_name(rq->detached))
		return err_set(
		    err, -EINVAL, "the request is not of a detached run");
	if (a->detach_ns == 0)
		return err_set(err, -EACCES,
		    "the policy does not permit %s to detach", a->name);
	if (life_ns > a->detach_ns)
		return err_set(err, -EACCES,
		    "the policy permits %s to detach for %llu s at most, not "
		    "%llu s: ask for less with -t",
		    a->name, (unsigned long long)(a->detach_ns / FL_SECOND_NS),
		    (unsigned long long)(life_ns / FL_SECOND_NS));
	return 0;
}

int
fl_detached_permit_stop(const struct fl_request *stop,
    const struct fl_request *run, struct err *err)
{
	char id[FL_RUN_TEXT];

	fl_run_format(run->id, id);
	if (stop->stops == NULL || strcmp(stop->stops, id) != 0)
		return err_set(
		    err, -EINVAL, "the request stops another run than this");
	if (memcmp(stop->author_key, run->author_key, FL_PUBLIC_SIZE) == 0 ||
	    stop->author->stops_others)
		return 0;
	return err_set(err, -EACCES,
	    "the policy does not permit %s to stop the run %s of %s",
	    stop->author->name, run->detached, run->author->name);
}
