/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plockstat(1): show which locks of a process are waited for and held, how
 * long, and by which callers.
 *
 * The work is done by a D program over the plockstat provider: options choose
 * its clauses (-V shows it), and its aggregations are printed as tables.  This
 * file uses only the public interface, <dtrace.h>.
 */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "dtrace.h"

enum { EXIT_USAGE = 2 };
enum { CONTENTION = 1, HOLD = 2 };
#define DEPTH_MAX 100
#define INNER 2 /* most frames of the lock functions themselves */

/* an option of -x */
struct plockstat_setting {
	const char *name, *value;
};

struct opts {
	unsigned events;  /* CONTENTION, HOLD; 0: not given */
	unsigned nrows;	  /* of each table; 0: all */
	unsigned depth;	  /* -s; 0: only the caller */
	unsigned seconds; /* 0: to the end */
	pid_t pid;
	bool is_verbose, shows_program;
	VEC(struct plockstat_setting) settings;
	char *const *command;
};

static volatile sig_atomic_t is_interrupted;

/* ---- the D program ------------------------------------------------------- */

/*
 * A time begins at one probe and ends at another, which tells its kind.  Keys
 * of the aggregation are locks and stacks; `name`_dist has the distribution.
 */
static const struct begin {
	unsigned event;
	const char *probe, *when, *since;
} begins[] = {
	{ CONTENTION, "mutex-block", NULL, "self->mutex_block" },
	{ CONTENTION, "rw-block", NULL, "self->rw_block" },
	{ CONTENTION, "mutex-spin", NULL, "self->mutex_spin" },
	{ HOLD, "mutex-acquire", "arg1 == 0", "self->mutex_hold[arg0]" },
	{ HOLD, "rw-acquire", NULL, "self->rw_hold[arg0]" },
};

static const struct plockstat_table {
	unsigned event;
	const char *heading, *name, *probe, *when, *since;
} tables[] = {
	{ CONTENTION, "Mutex block", "mutex_block", "mutex-blocked",
	    "arg1 != 0", "self->mutex_block" },
	{ CONTENTION, "Mutex spin", "mutex_spin", "mutex-spun", "arg1 != 0",
	    "self->mutex_spin" },
	{ CONTENTION, "Mutex unsuccessful spin", "spin_vain", "mutex-spun",
	    "arg1 == 0", "self->mutex_spin" },
	{ CONTENTION, "Mutex unsuccessful block", "mutex_vain", "mutex-blocked",
	    "arg1 == 0", "self->mutex_block" },
	{ CONTENTION, "R/W writer block", "writer_block", "rw-blocked",
	    "arg1 != 0 && arg2 != 0", "self->rw_block" },
	{ CONTENTION, "R/W writer unsuccessful block", "writer_vain",
	    "rw-blocked", "arg1 != 0 && arg2 == 0", "self->rw_block" },
	{ CONTENTION, "R/W reader block", "reader_block", "rw-blocked",
	    "arg1 == 0 && arg2 != 0", "self->rw_block" },
	{ CONTENTION, "R/W reader unsuccessful block", "reader_vain",
	    "rw-blocked", "arg1 == 0 && arg2 == 0", "self->rw_block" },
	{ HOLD, "Mutex hold", "mutex_hold", "mutex-release", "arg1 == 0",
	    "self->mutex_hold[arg0]" },
	{ HOLD, "R/W writer hold", "writer_hold", "rw-release", "arg1 != 0",
	    "self->rw_hold[arg0]" },
	{ HOLD, "R/W reader hold", "reader_hold", "rw-release", "arg1 == 0",
	    "self->rw_hold[arg0]" },
};
#define NTABLES (sizeof(tables) / sizeof(tables[0]))
#define NBEGINS (sizeof(begins) / sizeof(begins[0]))

static void
add_begin(struct strbuf *d, const struct begin *b)
{
	strbuf_printf(d, "plockstat$target:::%s\n", b->probe);
	if (b->when != NULL)
		strbuf_printf(d, "/%s/\n", b->when);
	strbuf_printf(d, "{\n\t%s = timestamp;\n}\n\n", b->since);
}

static void
add_table(struct strbuf *d, const struct plockstat_table *t, bool has_dist)
{
	strbuf_printf(d, "plockstat$target:::%s\n/%s && %s != 0/\n{\n",
	    t->probe, t->when, t->since);
	strbuf_printf(d, "\t@%s[arg0, ustack()] = avg(timestamp - %s);\n",
	    t->name, t->since);
	if (has_dist)
		strbuf_printf(d,
		    "\t@%s_dist[arg0, ustack()] = "
		    "quantize(timestamp - %s);\n",
		    t->name, t->since);
	strbuf_printf(d, "\t%s = 0;\n}\n\n", t->since);
}

static void
make_program(const struct opts *o, struct strbuf *d)
{
	strbuf_printf(d,
	    "#pragma D option quiet\n"
	    "#pragma D option ustackframes=%u\n\n",
	    (o->depth != 0 ? o->depth : 1) + INNER);
	for (size_t i = 0; i < NBEGINS; i++) {
		if (o->events & begins[i].event)
			add_begin(d, &begins[i]);
	}
	for (size_t i = 0; i < NTABLES; i++) {
		if (o->events & tables[i].event)
			add_table(d, &tables[i], o->depth != 0);
	}
	if (o->seconds != 0)
		strbuf_printf(d, "tick-%us\n{\n\texit(0);\n}\n", o->seconds);
}

/* ---- results ------------------------------------------------------------- */

struct plockstat_row {
	uint64_t lock;
	pid_t pid;
	VEC(uint64_t) stack;
	uint64_t count, ns;
	int64_t buckets[DTRACE_QUANTIZE_NBUCKETS];
};

struct result {
	dtrace_hdl_t *dtp;
	const struct opts *opts;
	VEC(struct plockstat_row *) rows[NTABLES];
};

static void
row_free(struct plockstat_row *r)
{
	VEC_FREE(&r->stack);
	free(r);
}

static uint64_t
word_at(const dtrace_aggdata_t *data, const dtrace_recdesc_t *rec, size_t i)
{
	uint64_t w = 0;

	if (8 * (i + 1) <= rec->dtrd_size)
		memcpy(&w, data->dtada_data + rec->dtrd_offset + 8 * i, 8);
	return w;
}

static void
name_address(
    const struct result *res, pid_t pid, uint64_t addr, char *buf, int size)
{
	if (dtrace_uaddr2str(res->dtp, pid, addr, buf, size) < 0)
		snprintf(buf, (size_t)size, "0x%llx", (unsigned long long)addr);
}

/* Is it a function of C11 or POSIX that calls the one with the probe? */
static bool
is_lock_function(const char *name)
{
	static const char *const begin[] = { "mtx_", "cnd_", "pthread_",
		"__pthread_", "___pthread_" };
	const char *func = strchr(name, '`');

	for (size_t i = 0; func != NULL && i < sizeof(begin) / sizeof(*begin);
	     i++) {
		if (strncmp(func + 1, begin[i], strlen(begin[i])) == 0)
			return true;
	}
	return false;
}

/*
 * The index of the caller's frame.  The first frame is the lock function
 * itself, whatever its name: glibc's call others without names.
 */
static size_t
caller_of(const struct result *res, pid_t pid, const uint64_t *stack, size_t n)
{
	char name[PATH_MAX];

	for (size_t i = 1; i < n && i <= INNER; i++) {
		name_address(res, pid, stack[i], name, sizeof(name));
		if (!is_lock_function(name))
			return i;
	}
	return n > 1 ? 1 : 0;
}

/*
 * Copy the shown part of the stack in rec: from the caller on, up to the
 * requested depth.
 */
static void
take_stack(const struct result *res, const dtrace_aggdata_t *data,
    const dtrace_recdesc_t *rec, struct plockstat_row *r)
{
	uint64_t pcs[DEPTH_MAX + INNER];
	size_t n = 0, depth = res->opts->depth != 0 ? res->opts->depth : 1;

	r->pid = (pid_t)word_at(data, rec, 0);
	while (n < DEPTH_MAX + INNER && word_at(data, rec, n + 1) != 0) {
		pcs[n] = word_at(data, rec, n + 1);
		n++;
	}
	for (size_t i = caller_of(res, r->pid, pcs, n);
	     i < n && r->stack.n < depth; i++)
		VEC_PUSH(&r->stack, pcs[i]);
}

static bool
is_same(const struct plockstat_row *a, const struct plockstat_row *b)
{
	return a->lock == b->lock && a->stack.n == b->stack.n &&
	    (a->stack.n == 0 ||
		memcmp(a->stack.v, b->stack.v,
		    a->stack.n * sizeof(*a->stack.v)) == 0);
}

/* The table's row of a lock and stack; added if it is new. */
static struct plockstat_row *
row_of(struct result *res, size_t table, const dtrace_aggdata_t *data,
    const dtrace_recdesc_t *rec)
{
	struct plockstat_row *new = mem_alloc(sizeof(*new));

	new->lock = word_at(data, &rec[1], 0);
	take_stack(res, data, &rec[2], new);
	VEC_FOREACH(&res->rows[table], rp) {
		if (!is_same(*rp, new))
			continue;
		row_free(new);
		return *rp;
	}
	VEC_PUSH(&res->rows[table], new);
	return new;
}

/* The table of an aggregation, and whether it has the distribution. */
static bool
table_of(const char *name, size_t *table, bool *is_dist)
{
	for (*table = 0; *table < NTABLES; ++*table) {
		size_t len = strlen(tables[*table].name);

		if (strncmp(name, tables[*table].name, len) != 0)
			continue;
		*is_dist = strcmp(name + len, "_dist") == 0;
		if (*is_dist || name[len] == '\0')
			return true;
	}
	return false;
}

static int
take_row(const dtrace_aggdata_t *data, void *arg)
{
	const dtrace_aggdesc_t *desc = data->dtada_desc;
	const dtrace_recdesc_t *rec = desc->dtagd_rec;
	struct result *res = arg;
	struct plockstat_row *r;
	size_t table;
	bool is_dist;

	if (desc->dtagd_nrecs != 4 ||
	    !table_of(desc->dtagd_name, &table, &is_dist))
		return DTRACE_AGGWALK_NEXT;
	r = row_of(res, table, data, rec);
	for (int i = 0; is_dist && i < DTRACE_QUANTIZE_NBUCKETS; i++)
		r->buckets[i] += (int64_t)word_at(data, &rec[3], (size_t)i);
	if (!is_dist) {
		r->count += word_at(data, &rec[3], 0);
		r->ns += word_at(data, &rec[3], 1);
	}
	return DTRACE_AGGWALK_NEXT;
}

static void
result_fini(struct result *res)
{
	for (size_t i = 0; i < NTABLES; i++) {
		VEC_FOREACH(&res->rows[i], rp)
			row_free(*rp);
		VEC_FREE(&res->rows[i]);
	}
}

/* ---- tables -------------------------------------------------------------- */

#define RULE                                                                   \
	"-----------------------------------------------------------------"    \
	"--------------"
#define BAR 24 /* length of a bar that is the whole distribution */

/* The most frequent first; for equal counts, the larger sum. */
static int
compare_rows(const void *a, const void *b)
{
	const struct plockstat_row *x = *(struct plockstat_row *const *)a;
	const struct plockstat_row *y = *(struct plockstat_row *const *)b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return x->lock < y->lock ? -1 : x->lock > y->lock;
}

static void
print_frame(const struct result *res, const struct plockstat_row *r, size_t i)
{
	char name[PATH_MAX] = "";

	if (i < r->stack.n)
		name_address(res, r->pid, r->stack.v[i], name, sizeof(name));
	printf("%s\n", name);
}

/* Print bucket i of the distribution, or blanks, with a frame beside it. */
static void
print_bucket(const struct plockstat_row *r, int i)
{
	static const char marks[] = "@@@@@@@@@@@@@@@@@@@@@@@@";
	int64_t n = i < DTRACE_QUANTIZE_NBUCKETS ? r->buckets[i] : 0;
	int len = r->count == 0 ? 0 : (int)((uint64_t)n * BAR / r->count);

	if (n != 0)
		printf("%10lld |%-*.*s| %5lld ",
		    (long long)DTRACE_QUANTIZE_BUCKETVAL(i), BAR, len, marks,
		    (long long)n);
	else
		printf("%10s |%-*s| %5s ", "", BAR, "", "");
}

static int
next_bucket(const struct plockstat_row *r, int i)
{
	while (i < DTRACE_QUANTIZE_NBUCKETS && r->buckets[i] == 0)
		i++;
	return i;
}

/* Times on the left, the stack on the right; either may be longer. */
static void
print_distribution(const struct result *res, const struct plockstat_row *r)
{
	int b = next_bucket(r, 0);
	size_t frame = 0;

	printf("\n%10s ---- Time Distribution --- count Stack\n", "nsec");
	while (b < DTRACE_QUANTIZE_NBUCKETS || frame < r->stack.n) {
		print_bucket(r, b);
		print_frame(res, r, frame++);
		b = next_bucket(r, b + 1);
	}
}

static void
print_row(const struct result *res, const struct plockstat_row *r)
{
	char lock[PATH_MAX];

	name_address(res, r->pid, r->lock, lock, sizeof(lock));
	printf("%5llu %8llu %-28s ", (unsigned long long)r->count,
	    (unsigned long long)(r->count != 0 ? r->ns / r->count : 0), lock);
	print_frame(res, r, 0);
	if (res->opts->depth != 0)
		print_distribution(res, r);
}

static void
print_legend(void)
{
	printf(
	    "%5s %8s %-28s %s\n" RULE "\n", "Count", "nsec", "Lock", "Caller");
}

static void
print_table(struct result *res, size_t table)
{
	struct plockstat_row **rows = res->rows[table].v;
	size_t n = res->rows[table].n;

	if (n == 0)
		return;
	qsort(rows, n, sizeof(*rows), compare_rows);
	if (res->opts->nrows != 0 && n > res->opts->nrows)
		n = res->opts->nrows;
	printf("\n%s\n\n", tables[table].heading);
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && res->opts->depth != 0)
			putchar('\n');
		if (i == 0 || res->opts->depth != 0)
			print_legend();
		print_row(res, rows[i]);
	}
}

/* ---- messages ------------------------------------------------------------ */

/* Diagnostics of the D program are printed as they are. */
static int
fail(dtrace_hdl_t *dtp, const char *what)
{
	const char *msg = dtrace_errmsg(dtp, dtrace_errno(dtp));

	if (strchr(msg, '\n') != NULL)
		fprintf(stderr, "%s\n", msg);
	else
		fprintf(stderr, "plockstat: %s%s%s\n", what, *what ? ": " : "",
		    msg);
	return EXIT_FAILURE;
}

static int
on_drop(const dtrace_dropdata_t *data, void *arg)
{
	(void)arg;
	fprintf(stderr, "plockstat: %s", data->dtdda_msg);
	return DTRACE_HANDLE_OK;
}

static int
on_error(const dtrace_errdata_t *data, void *arg)
{
	(void)arg;
	fprintf(stderr, "plockstat: %s", data->dteda_msg);
	return DTRACE_HANDLE_OK;
}

static void
interrupt(int sig)
{
	(void)sig;
	is_interrupted = 1;
}

static void
catch_signals(void)
{
	struct sigaction sa = { .sa_handler = interrupt };

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
}

/* ---- tracing ------------------------------------------------------------- */

static int
set_options(dtrace_hdl_t *dtp, const struct opts *o)
{
	VEC_FOREACH(&o->settings, s) {
		if (dtrace_setopt(dtp, s->name, s->value) != 0)
			return fail(dtp, s->name);
	}
	return 0;
}

static struct ps_prochandle *
take_process(dtrace_hdl_t *dtp, const struct opts *o)
{
	struct ps_prochandle *p;

	if (o->pid != 0)
		p = dtrace_proc_grab(dtp, o->pid, 0);
	else
		p = dtrace_proc_create(dtp, o->command[0], o->command);
	if (p == NULL)
		fail(dtp, "");
	return p;
}

/*
 * A process need not have functions that it does not use, such as those of
 * readers/writer locks, but it must have some.
 */
static int
enable(dtrace_hdl_t *dtp, const char *text)
{
	static const char any[] = "plockstat$target:::mutex-acquire";
	dtrace_prog_t *prog = dtrace_program_strcompile(
	    dtp, text, DTRACE_PROBESPEC_NAME, DTRACE_C_ZDEFS, 0, NULL);

	if (prog == NULL || dtrace_program_exec(dtp, prog, NULL) != 0)
		return fail(dtp, "");
	if (dtrace_program_strcompile(
		dtp, any, DTRACE_PROBESPEC_NAME, 0, 0, NULL) == NULL)
		return fail(dtp, "");
	return 0;
}

static int
trace(dtrace_hdl_t *dtp, struct ps_prochandle *p, const struct opts *o)
{
	dtrace_workstatus_t st = DTRACE_WORKSTATUS_OKAY;
	bool is_stopped = false;

	if (dtrace_go(dtp) != 0)
		return fail(dtp, "cannot trace");
	if (o->is_verbose)
		fprintf(stderr, "plockstat: tracing enabled for pid %d\n",
		    (int)dtrace_proc_pid(dtp, p));
	dtrace_proc_continue(dtp, p);
	while (st == DTRACE_WORKSTATUS_OKAY) {
		if (!is_interrupted && !is_stopped)
			dtrace_sleep(dtp);
		if (is_interrupted && !is_stopped) {
			is_stopped = true;
			dtrace_stop(dtp);
		}
		st = dtrace_work(dtp, stdout, NULL, NULL, NULL);
	}
	return st == DTRACE_WORKSTATUS_DONE ? 0 : fail(dtp, "tracing ended");
}

static int
report(dtrace_hdl_t *dtp, const struct opts *o)
{
	struct result res = { .dtp = dtp, .opts = o };
	int rc = 0;

	if (dtrace_aggregate_snap(dtp) != 0 ||
	    dtrace_aggregate_walk(dtp, take_row, &res) != 0)
		rc = fail(dtp, "the traced data cannot be read");
	for (size_t i = 0; rc == 0 && i < NTABLES; i++)
		print_table(&res, i);
	result_fini(&res);
	if (fflush(stdout) == 0)
		return rc;
	fprintf(stderr, "plockstat: cannot write: %s\n", strerror(errno));
	return EXIT_FAILURE;
}

static int
watch(dtrace_hdl_t *dtp, const struct opts *o, const char *text)
{
	struct ps_prochandle *p;
	int rc;

	dtrace_handle_drop(dtp, on_drop, NULL);
	dtrace_handle_err(dtp, on_error, NULL);
	rc = set_options(dtp, o);
	if (rc != 0)
		return rc;
	p = take_process(dtp, o);
	if (p == NULL)
		return EXIT_FAILURE;
	rc = enable(dtp, text);
	if (rc == 0)
		rc = trace(dtp, p, o);
	return rc != 0 ? rc : report(dtp, o);
}

/* ---- arguments ----------------------------------------------------------- */

static const char usage_text[] =
    "Usage: plockstat [-vACHV] [-n count] [-s depth] [-e secs] "
    "[-x opt[=val]]\n"
    "                 command [arg]...\n"
    "       plockstat [-vACHV] [-n count] [-s depth] [-e secs] "
    "[-x opt[=val]]\n"
    "                 -p pid\n";

static int
usage(void)
{
	fputs(usage_text, stderr);
	return EXIT_USAGE;
}

/* 0: not a number, or out of range. */
static unsigned
number(char letter, const char *text, unsigned max)
{
	unsigned long n;
	char *end;

	errno = 0;
	n = strtoul(text, &end, 10);
	if (isdigit((unsigned char)*text) && *end == '\0' && errno == 0 &&
	    n != 0 && n <= max)
		return (unsigned)n;
	fprintf(stderr,
	    "plockstat: -%c takes a number from 1 to %u, not "
	    "'%s'\n",
	    letter, max, text);
	return 0;
}

static void
add_setting(struct opts *o, char *text)
{
	char *value = strchr(text, '=');

	if (value != NULL)
		*value++ = '\0';
	VEC_PUSH(&o->settings, (struct plockstat_setting){ text, value });
}

static bool
take_number(struct opts *o, int letter, const char *arg)
{
	switch (letter) {
	case 'n':
		return (o->nrows = number('n', arg, UINT_MAX)) != 0;
	case 's':
		return (o->depth = number('s', arg, DEPTH_MAX)) != 0;
	case 'e':
		return (o->seconds = number('e', arg, INT_MAX)) != 0;
	case 'p':
		return (o->pid = (pid_t)number('p', arg, INT_MAX)) != 0;
	default:
		return false;
	}
}

static bool
take_option(struct opts *o, int letter)
{
	switch (letter) {
	case 'A':
		o->events |= CONTENTION | HOLD;
		return true;
	case 'C':
		o->events |= CONTENTION;
		return true;
	case 'H':
		o->events |= HOLD;
		return true;
	case 'v':
		o->is_verbose = true;
		return true;
	case 'V':
		o->shows_program = true;
		return true;
	case 'x':
		add_setting(o, optarg);
		return true;
	default:
		return take_number(o, letter, optarg);
	}
}

/* false: after a message. */
static bool
parse(int argc, char *argv[], struct opts *o)
{
	int letter;

	while ((letter = getopt(argc, argv, "+:ACHvVn:s:e:p:x:")) != -1) {
		if (letter == '?' || letter == ':') {
			fprintf(stderr, "plockstat: %s -%c\n",
			    letter == ':' ? "an argument is missing after" :
					    "there is no option",
			    optopt);
			usage();
			return false;
		}
		if (!take_option(o, letter))
			return false;
	}
	if (o->events == 0)
		o->events = CONTENTION;
	o->command = &argv[optind];
	if ((optind < argc) != (o->pid != 0))
		return true;
	fprintf(stderr, "plockstat: %s\n",
	    o->pid != 0 ? "-p and a command: name one process" :
			  "which process?  Name a command, or a pid with -p");
	usage();
	return false;
}

int
main(int argc, char *argv[])
{
	struct opts o = { 0 };
	struct strbuf text = { 0 };
	dtrace_hdl_t *dtp;
	int rc = EXIT_USAGE, err;

	if (parse(argc, argv, &o)) {
		make_program(&o, &text);
		if (o.shows_program)
			fputs(text.s, stderr);
		catch_signals();
		dtp = dtrace_open(DTRACE_VERSION, 0, &err);
		if (dtp != NULL)
			rc = watch(dtp, &o, text.s);
		else
			rc = fail(NULL, "");
		if (dtp != NULL)
			dtrace_close(dtp);
	}
	strbuf_fini(&text);
	VEC_FREE(&o.settings);
	return rc;
}
