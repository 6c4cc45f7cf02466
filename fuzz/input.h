/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef FUZZ_INPUT_H
#define FUZZ_INPUT_H

/* A file of a corpus, for programs that run a target without libFuzzer. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct input {
	uint8_t *data; /* malloced; NULL: could not be read */
	size_t size;
};

/* Read the whole file; the target gets memory of exactly its size. */
static inline bool
read_file(const char *path, struct input *in)
{
	FILE *f = fopen(path, "rb");
	long size;

	in->data = NULL;
	if (f == NULL)
		return false;
	if (fseek(f, 0, SEEK_END) == 0 && (size = ftell(f)) >= 0 &&
	    fseek(f, 0, SEEK_SET) == 0) {
		in->size = (size_t)size;
		in->data = malloc(in->size > 0 ? in->size : 1);
		if (in->data != NULL &&
		    fread(in->data, 1, in->size, f) != in->size) {
			free(in->data);
			in->data = NULL;
		}
	}
	fclose(f);
	return in->data != NULL;
}

#endif
