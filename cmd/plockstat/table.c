/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables: the most frequent rows of a result. */
#include "plockstat.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
print_frame(
    const struct plockstat_result *res, const struct plockstat_row *r, size_t i)
{
	char name[PATH_MAX] = "";

	if (i < r->stack.n)
		plockstat_name(res, r->pid, r->stack.v[i], name, sizeof(name));
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
print_distribution(
    const struct plockstat_result *res, const struct plockstat_row *r)
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
print_row(const struct plockstat_result *res, const struct plockstat_row *r)
{
	char lock[PATH_MAX];

	plockstat_name(res, r->pid, r->lock, lock, sizeof(lock));
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

void
plockstat_print_table(struct plockstat_result *res, size_t table)
{
	struct plockstat_row **rows = res->rows[table].v;
	size_t n = res->rows[table].n;

	if (n == 0)
		return;
	qsort(rows, n, sizeof(*rows), compare_rows);
	if (res->opts->nrows != 0 && n > res->opts->nrows)
		n = res->opts->nrows;
	printf("\n%s\n\n", plockstat_tables[table].heading);
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && res->opts->depth != 0)
			putchar('\n');
		if (i == 0 || res->opts->depth != 0)
			print_legend();
		print_row(res, rows[i]);
	}
}
