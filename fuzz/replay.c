/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Run a fuzz target without libFuzzer.
 *
 *	replay FILE ...			on files: a corpus
 *	replay -m SECONDS OUT FILE ...	on variations of them for a while; the
 *					input that runs stands in OUT
 *
 * The variations are the same in every run, so each run finds the same faults.
 * There is no feedback; `make fuzz` explores with clang's.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "input.h"

#define SIZE_MAX_INPUT 65536
#define HANG_SECONDS 20
#define MOST_CHANGES 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* xorshift64*: fast, and the same everywhere. */
static uint64_t
next_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dULL;
}

static size_t
below(uint64_t *state, size_t n)
{
	return n > 0 ? next_random(state) % n : 0;
}

/* Numbers at which lengths and offsets go wrong. */
static uint64_t
edge(uint64_t *state)
{
	static const uint64_t edges[] = { 0, 1, 0x7f, 0x80, 0xff, 0x7fff,
		0xffff, 0x7fffffff, 0x80000000, 0xffffffff, INT64_MAX,
		(uint64_t)INT64_MIN, UINT64_MAX };
	size_t n = sizeof(edges) / sizeof(edges[0]);

	return edges[below(state, n)] + below(state, 3) - 1;
}

/* Replace the `cut` bytes at `at` by the `n` bytes of `from`. */
static void
put(struct input *in, size_t at, size_t cut, const uint8_t *from, size_t n)
{
	uint8_t tail[SIZE_MAX_INPUT];
	size_t rest = in->size - at - cut;

	if (in->size - cut + n > SIZE_MAX_INPUT)
		return;
	memcpy(tail, in->data + at + cut, rest);
	memmove(in->data + at, from, n);
	memcpy(in->data + at + n, tail, rest);
	in->size += n - cut;
}

static void
change(struct input *in, const struct input *other, uint64_t *state)
{
	size_t at = below(state, in->size + 1), left = in->size - at;
	size_t from = below(state, other->size + 1);
	uint64_t number = edge(state);
	size_t width = (size_t)1 << below(state, 4);

	switch (below(state, 5)) {
	case 0:
		if (left > 0)
			in->data[at] ^= (uint8_t)(1 << below(state, 8));
		break;
	case 1:
		if (left > 0)
			in->data[at] = (uint8_t)next_random(state);
		break;
	case 2:
		if (left >= width)
			memcpy(in->data + at, &number, width);
		break;
	case 3:
		put(in, at, below(state, left + 1), in->data, 0);
		break;
	default:
		put(in, at, 0, other->data + from,
		    below(state, other->size - from + 1));
		break;
	}
}

/* Run one input from memory of exactly its size. */
static void
run_one(const struct input *in, int out)
{
	uint8_t *data = malloc(in->size > 0 ? in->size : 1);

	if (data == NULL || ftruncate(out, 0) != 0 ||
	    pwrite(out, in->data, in->size, 0) != (ssize_t)in->size) {
		perror("cannot keep the input");
		exit(1);
	}
	memcpy(data, in->data, in->size);
	alarm(HANG_SECONDS);
	LLVMFuzzerTestOneInput(data, in->size);
	alarm(0);
	free(data);
}

static void
vary(const struct input *files, size_t n, unsigned seconds, int out)
{
	uint64_t state = 0x9e3779b97f4a7c15ULL, runs = 0;
	static uint8_t buf[SIZE_MAX_INPUT];
	time_t end = time(NULL) + seconds;

	for (; time(NULL) < end; runs++) {
		const struct input *base = &files[below(&state, n)];
		struct input in = { buf, base->size };

		if (in.size > SIZE_MAX_INPUT)
			in.size = SIZE_MAX_INPUT;
		memcpy(buf, base->data, in.size);
		for (size_t i = below(&state, MOST_CHANGES) + 1; i > 0; i--)
			change(&in, &files[below(&state, n)], &state);
		run_one(&in, out);
	}
	printf("%llu inputs\n", (unsigned long long)runs);
}

int
main(int argc, char **argv)
{
	bool varies = argc > 4 && strcmp(argv[1], "-m") == 0;
	int first = varies ? 4 : 1;
	struct input *files = calloc((size_t)argc, sizeof(*files));
	int out = varies ? open(argv[3], O_RDWR | O_CREAT, 0600) : -1;

	if (varies && out < 0) {
		fprintf(stderr, "%s: %s\n", argv[3], strerror(errno));
		return 1;
	}
	for (int i = first; i < argc; i++) {
		if (files == NULL || !read_file(argv[i], &files[i - first])) {
			fprintf(stderr, "%s: %s\n", argv[i], strerror(errno));
			return 1;
		}
		if (!varies)
			LLVMFuzzerTestOneInput(
			    files[i - first].data, files[i - first].size);
	}
	if (varies)
		vary(files, (size_t)(argc - first), (unsigned)atoi(argv[2]),
		    out);
	for (int i = 0; i < argc; i++)
		free(files[i].data);
	free(files);
	return 0;
}
