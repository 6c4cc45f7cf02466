/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dofread FILE N: read a DOF file N times.  Prints the median microseconds of
 * dof_decode() alone, and together with dof_decode_prog(), which verifies every
 * object and makes a program of the file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "dof/dof.h"

static double
now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec / 1e3;
}

static int
compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double
median(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), compare);
	return v[n / 2];
}

static int
read_once(const struct strbuf *file, double *decode, double *program)
{
	struct dif_prog *p;
	struct dof *d;
	double begin = now_us();
	struct err err = { 0 };

	if (dof_decode(file->s, file->len, &err, &d) != 0)
		return -1;
	*decode = now_us() - begin;
	if (dof_check_enabling(d, &err) != 0 ||
	    dof_decode_prog(d, DOF_ABI_GUESS, &err, &p) != 0)
		return -1;
	*program = now_us() - begin;
	dif_prog_destroy(p);
	dof_destroy(d);
	return 0;
}

int
main(int argc, char **argv)
{
	size_t n = argc == 3 ? (size_t)atoi(argv[2]) : 0;
	FILE *f = n != 0 ? fopen(argv[1], "rb") : NULL;
	struct strbuf file = { 0 };
	double *decode, *program;
	char buf[65536];
	size_t got;

	if (f == NULL)
		return 2;
	while ((got = fread(buf, 1, sizeof(buf), f)) > 0)
		strbuf_add(&file, buf, got);
	fclose(f);
	decode = mem_alloc(n * sizeof(*decode));
	program = mem_alloc(n * sizeof(*program));
	for (size_t i = 0; i < n; i++) {
		if (read_once(&file, &decode[i], &program[i]) != 0)
			return 1;
	}
	printf(
	    "%.0f %.0f %zu\n", median(decode, n), median(program, n), file.len);
	free(decode);
	free(program);
	strbuf_fini(&file);
	return 0;
}
