/* SPDX-License-Identifier: BSD-2-Clause */
#include "fleet/permit/permit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/glob.h"
#include "base/mem.h"
#include "libdtrace/options.h"

/* Names of all options, in the order of options.def. */
static const char *const names[] = {
#define DT_OPTION(NAME, name, num, cls, type, def, min, max, choices, why) name,
#include "libdtrace/options.def"
#undef DT_OPTION
};
#define NNAMES (sizeof(names) / sizeof(names[0]))

static const char *const permitted[] = {
#define FL_OPTION(name) #name,
#include "fleet/permit/options.def"
#undef FL_OPTION
};

/*
 * Options that take memory.  What an author leaves open gets at most its share
 * of the policy's memory, in eighths, and at least LEAST bytes.
 */
struct permit_room {
	const char *option;
	bool is_per_cpu;
	unsigned eighths;
	uint64_t at_most; /* the library's default */
};
static const struct permit_room rooms[] = {
	{ "bufsize", true, 3, 4U << 20 },
	{ "aggsize", true, 3, 4U << 20 },
	{ "dynvarsize", false, 1, 1U << 20 },
	{ "specsize", true, 1, 32U << 10 },
};
#define NROOMS (sizeof(rooms) / sizeof(rooms[0]))
#define LEAST 4096

/*
 * Options that nobody may set keep the values that they had at the beginning.
 * dtrace_getopt() does not tell a text from another: of the texts that have a
 * default, cpppath is not used without cpp, and procfspath must be a /proc.
 */
struct fl_permit {
	dtrace_hdl_t *h;
	const struct fl_request *rq;
	dtrace_optval_t before[NNAMES];
};

static bool
is_permitted_option(const char *name)
{
	for (size_t i = 0; i < sizeof(permitted) / sizeof(permitted[0]); i++) {
		if (strcmp(permitted[i], name) == 0)
			return true;
	}
	return false;
}

static int
refuse_option(const char *name, struct err *err)
{
	return err_set(err, -EACCES,
	    "option %s cannot be set over the fleet: set it on the host", name);
}

static dtrace_optval_t
value_of(dtrace_hdl_t *h, const char *name)
{
	dtrace_optval_t v = DTRACEOPT_UNSET;

	return dtrace_getopt(h, name, &v) == 0 ? v : DTRACEOPT_UNSET;
}

/* ---- before programs are compiled --------------------------------------- */

static int
set_option(
    dtrace_hdl_t *h, const char *name, const char *value, struct err *err)
{
	if (dtrace_setopt(h, name, value) == 0)
		return 0;
	return err_set(err, -EINVAL, "%s", dtrace_errmsg(h, dtrace_errno(h)));
}

static uint64_t
ncpus(void)
{
	long n = sysconf(_SC_NPROCESSORS_CONF);

	return n > 0 ? (uint64_t)n : 1;
}

static int
fit_room(dtrace_hdl_t *h, const struct permit_room *r, uint64_t memory,
    struct err *err)
{
	uint64_t fits = memory / 8 * r->eighths / (r->is_per_cpu ? ncpus() : 1);
	char text[24];

	fits = fits < r->at_most ? fits : r->at_most;
	snprintf(text, sizeof(text), "%llu",
	    (unsigned long long)(fits > LEAST ? fits : LEAST));
	return set_option(h, r->option, text, err);
}

/* A policy that permits one substrate chooses it for the author. */
static int
choose_substrate(dtrace_hdl_t *h, unsigned permitted_bits, struct err *err)
{
	if (permitted_bits == FL_KERNEL)
		return set_option(h, "substrate", "kernel", err);
	if (permitted_bits == FL_PROCESS)
		return set_option(h, "substrate", "process", err);
	return 0;
}

static int
set_defaults(struct fl_permit *p, struct err *err)
{
	const struct fl_author *a = p->rq->author;
	int rc = choose_substrate(p->h, a->substrates, err);

	for (size_t i = 0; rc == 0 && i < NROOMS; i++)
		rc = fit_room(p->h, &rooms[i], a->memory, err);
	return rc;
}

static int
set_options(struct fl_permit *p, struct err *err)
{
	const struct fl_request *rq = p->rq;
	int rc = 0;

	if ((rq->flags & FL_WANTS_DESTRUCTIVE) != 0)
		rc = set_option(p->h, "destructive", NULL, err);
	for (size_t i = 0; rc == 0 && i < rq->options.n; i++) {
		const struct fl_pair *o = &rq->options.v[i];

		rc = is_permitted_option(o->name) ?
		    set_option(p->h, o->name, o->value, err) :
		    refuse_option(o->name, err);
	}
	return rc;
}

/* A policy gives an author nothing that it does not name. */
static int
check_given(const struct fl_author *a, struct err *err)
{
	const char *missing = a->duration_ns == 0 ? "duration" :
	    a->memory == 0			  ? "memory" :
	    a->cpu_permille == 0		  ? "cpu" :
	    a->substrates == 0			  ? "substrates" :
						    NULL;

	if (missing == NULL)
		return 0;
	return err_set(err, -EACCES,
	    "the policy permits %s no run: it has no line '%s'", a->name,
	    missing);
}

struct fl_permit *
fl_permit_begin(dtrace_hdl_t *h, const struct fl_request *rq, struct err *err)
{
	struct fl_permit *p;

	if (check_given(rq->author, err) != 0)
		return NULL;
	p = mem_alloc(sizeof(*p));
	p->h = h;
	p->rq = rq;
	for (size_t i = 0; i < NNAMES; i++)
		p->before[i] = value_of(h, names[i]);
	if (set_defaults(p, err) == 0 && set_options(p, err) == 0)
		return p;
	fl_permit_end(p);
	return NULL;
}

void
fl_permit_end(struct fl_permit *p)
{
	free(p);
}

/* ---- compiled programs -------------------------------------------------- */

int
fl_permit_options(struct fl_permit *p, struct err *err)
{
	bool wants = (p->rq->flags & FL_WANTS_DESTRUCTIVE) != 0;

	if (!wants && value_of(p->h, "destructive") == 1)
		return err_set(err, -EACCES,
		    "the script sets option destructive: ask for it with -w");
	for (size_t i = 0; i < NNAMES; i++) {
		if (strcmp(names[i], "destructive") != 0 &&
		    !is_permitted_option(names[i]) &&
		    value_of(p->h, names[i]) != p->before[i])
			return refuse_option(names[i], err);
	}
	return 0;
}

/* The substrates that a choice may take; -1 is no choice. */
static unsigned
substrates_of(dtrace_optval_t choice)
{
	if (choice < 0)
		return FL_KERNEL | FL_PROCESS;
	switch ((enum dt_substrate)choice) {
	case DT_SUBSTRATE_KERNEL:
		return FL_KERNEL;
	case DT_SUBSTRATE_PROCESS:
		return FL_PROCESS;
	case DT_SUBSTRATE_AUTO:
	case DT_SUBSTRATE_BOTH:
		break;
	}
	return FL_KERNEL | FL_PROCESS;
}

static int
check_substrate(const struct fl_permit *p, struct err *err)
{
	unsigned wanted = substrates_of(value_of(p->h, "substrate"));

	if ((wanted & ~p->rq->author->substrates) == 0)
		return 0;
	return err_set(err, -EACCES, "the policy permits %s only substrate=%s",
	    p->rq->author->name,
	    p->rq->author->substrates == FL_KERNEL ? "kernel" : "process");
}

/* Buffers of all CPUs; false: more than can be counted. */
static bool
count_memory(dtrace_hdl_t *h, uint64_t *total)
{
	for (size_t i = 0; i < NROOMS; i++) {
		uint64_t v = (uint64_t)value_of(h, rooms[i].option), n;

		n = rooms[i].is_per_cpu ? ncpus() : 1;
		if (strcmp(rooms[i].option, "specsize") == 0)
			n *= (uint64_t)value_of(h, "nspec");
		if (__builtin_mul_overflow(v, n, &v) ||
		    __builtin_add_overflow(*total, v, total))
			return false;
	}
	return true;
}

static int
check_memory(const struct fl_permit *p, struct err *err)
{
	const struct fl_author *a = p->rq->author;
	uint64_t total = 0;

	if (count_memory(p->h, &total) && total <= a->memory)
		return 0;
	return err_set(err, -EACCES,
	    "bufsize, aggsize, dynvarsize and specsize come to %llu KiB for "
	    "%llu CPUs; the policy permits %s %llu KiB",
	    (unsigned long long)total / 1024, (unsigned long long)ncpus(),
	    a->name, (unsigned long long)a->memory / 1024);
}

bool
fl_permit_provider(const struct fl_author *author, const char *provider)
{
	bool is_pattern = *provider == '\0' || glob_is_pattern(provider);

	if (strcmp(provider, "dtrace") == 0)
		return true;
	for (const char **p = author->providers; *p != NULL; p++) {
		if (strcmp(*p, "*") == 0 || strcmp(*p, provider) == 0 ||
		    (!is_pattern && glob_match(*p, provider)))
			return true;
	}
	return false;
}

struct permit_check {
	const struct fl_author *author;
	struct err *err;
	size_t nmatches;
};

static int
refuse_provider(const struct permit_check *c, const char *provider)
{
	return err_set(c->err, -EACCES,
	    "the policy does not permit %s the provider %s%s", c->author->name,
	    provider,
	    glob_is_pattern(provider) ?
		": a pattern must be in the policy as it is" :
		"");
}

static int
check_match(dtrace_hdl_t *h, const dtrace_probedesc_t *d, void *arg)
{
	struct permit_check *c = arg;

	(void)h;
	c->nmatches++;
	if (fl_permit_provider(c->author, d->dtpd_provider))
		return 0;
	return refuse_provider(c, d->dtpd_provider);
}

/*
 * A description without a provider matches no probes of programs, so those that
 * it matches now are all.
 */
static int
check_matches(
    dtrace_hdl_t *h, const dtrace_probedesc_t *d, struct permit_check *c)
{
	int rc;

	c->nmatches = 0;
	rc = dtrace_probe_iter(h, d, check_match, c);
	if (err_is_set(c->err) || (rc == 0 && c->nmatches != 0))
		return rc;
	return err_set(c->err, -EACCES,
	    "'%s:%s:%s' matches no probe here: name the provider", d->dtpd_mod,
	    d->dtpd_func, d->dtpd_name);
}

static int
check_statement(
    dtrace_hdl_t *h, dtrace_prog_t *prog, dtrace_stmtdesc_t *stmt, void *arg)
{
	const dtrace_probedesc_t *d = &stmt->dtsd_ecbdesc->dted_probe;
	struct permit_check *c = arg;

	(void)prog;
	if (*d->dtpd_provider == '\0')
		return check_matches(h, d, c);
	if (fl_permit_provider(c->author, d->dtpd_provider))
		return 0;
	return refuse_provider(c, d->dtpd_provider);
}

int
fl_permit_program(struct fl_permit *p, dtrace_prog_t *prog, struct err *err)
{
	struct permit_check c = { .author = p->rq->author, .err = err };
	int rc = fl_permit_options(p, err);

	if (rc == 0)
		rc = check_substrate(p, err);
	if (rc == 0)
		rc = check_memory(p, err);
	if (rc == 0 && dtrace_stmt_iter(p->h, prog, check_statement, &c) != 0)
		rc = err_is_set(err) ?
		    err->code :
		    err_set(err, -EACCES, "the program cannot be read: %s",
			dtrace_errmsg(p->h, dtrace_errno(p->h)));
	return rc;
}

/* ---- lists --------------------------------------------------------------- */

struct permit_list {
	const struct fl_author *author;
	dtrace_probe_f *f;
	void *arg;
};

static int
list_probe(dtrace_hdl_t *h, const dtrace_probedesc_t *d, void *arg)
{
	struct permit_list *l = arg;

	return fl_permit_provider(l->author, d->dtpd_provider) ?
	    l->f(h, d, l->arg) :
	    0;
}

static int
list_statement(
    dtrace_hdl_t *h, dtrace_prog_t *prog, dtrace_stmtdesc_t *stmt, void *arg)
{
	(void)prog;
	return dtrace_probe_iter(
	    h, &stmt->dtsd_ecbdesc->dted_probe, list_probe, arg);
}

int
fl_permit_list(
    struct fl_permit *p, dtrace_prog_t *prog, dtrace_probe_f *f, void *arg)
{
	struct permit_list l = { p->rq->author, f, arg };

	return dtrace_stmt_iter(p->h, prog, list_statement, &l);
}
