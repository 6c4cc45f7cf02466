/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How much memory a parser takes for hostile input.  A fuzz target runs on each
 * file of its corpus, with each 32-bit word in turn replaced by too large
 * numbers.  It may never hold more than a multiple of the input's size plus a
 * base, which it takes for any input.
 *
 *	peak BASE_KB PER_BYTE FILE ...
 *
 * The program is linked with --wrap for malloc(), calloc() and the like, so
 * allocations by our own code are counted.
 */
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void __real_free(void *p);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
void __wrap_free(void *p);

static size_t held, peak;

static void *
count(void *p)
{
	held += malloc_usable_size(p);
	if (held > peak)
		peak = held;
	return p;
}

/* Memory allocated by a library may be freed here: do not count below 0. */
static void
uncount(void *p)
{
	size_t n = malloc_usable_size(p);

	held -= n < held ? n : held;
}

void *
__wrap_malloc(size_t size)
{
	return count(__real_malloc(size));
}

void *
__wrap_calloc(size_t n, size_t size)
{
	return count(__real_calloc(n, size));
}

void *
__wrap_realloc(void *p, size_t size)
{
	uncount(p);
	return count(__real_realloc(p, size));
}

void
__wrap_free(void *p)
{
	uncount(p);
	__real_free(p);
}

/* ------------------------------------------------------------------------- */

static const uint32_t numbers[] = { UINT32_MAX, INT32_MAX, 0x01000000,
	0x00ffffff, 0x00010000 };
#define NNUMBERS (sizeof(numbers) / sizeof(numbers[0]))
#define PLACES 300 /* words of a file; larger files take larger steps */

/* The most memory that one run held, and the run's replacement. */
struct most {
	size_t bytes, off;
	uint32_t number;
};

static void
run(const struct input *in, size_t off, uint32_t number, struct most *most)
{
	held = peak = 0;
	LLVMFuzzerTestOneInput(in->data, in->size);
	if (peak > most->bytes)
		*most = (struct most){ peak, off, number };
}

/* Run with each number in both byte orders. */
static void
run_replaced(const struct input *in, size_t off, struct most *most)
{
	uint32_t was, is;

	memcpy(&was, in->data + off, sizeof(was));
	for (size_t i = 0; i < 2 * NNUMBERS; i++) {
		is = i < NNUMBERS ? numbers[i] :
				    __builtin_bswap32(numbers[i - NNUMBERS]);
		memcpy(in->data + off, &is, sizeof(is));
		run(in, off, is, most);
	}
	memcpy(in->data + off, &was, sizeof(was));
}

static bool
check_file(const char *path, size_t base, size_t per_byte)
{
	struct most most = { 0 };
	struct input in;
	size_t step, limit;

	if (!read_file(path, &in)) {
		printf("# cannot read %s\n", path);
		return false;
	}
	step = 4 * (in.size / 4 / PLACES + 1);
	limit = base + per_byte * in.size;
	run(&in, 0, 0, &most);
	for (size_t off = 0; off + 4 <= in.size; off += step)
		run_replaced(&in, off, &most);
	if (most.bytes > limit)
		printf("# %s of %zu bytes, 0x%x at 0x%zx: %zu bytes are held, "
		       "more than %zu\n",
		    path, in.size, most.number, most.off, most.bytes, limit);
	free(in.data);
	return most.bytes <= limit;
}

int
main(int argc, char **argv)
{
	size_t base, per_byte;
	bool ok = argc > 3;

	if (!ok)
		return 2;
	base = strtoul(argv[1], NULL, 10) * 1024;
	per_byte = strtoul(argv[2], NULL, 10);
	for (int i = 3; i < argc; i++)
		ok = check_file(argv[i], base, per_byte) && ok;
	printf("%sok 1 - %d files, hostile: at most %zu KiB and %zu times the "
	       "size\n1..1\n",
	    ok ? "" : "not ", argc - 3, base / 1024, per_byte);
	return !ok;
}
