/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Run a fuzz target on files: what libFuzzer's main() would do, for compilers
 * without it.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The whole file; the target gets memory of exactly its size. */
static uint8_t *
read_file(const char *path, size_t *sizep)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = NULL;
	long size;

	if (f == NULL)
		return NULL;
	if (fseek(f, 0, SEEK_END) == 0 && (size = ftell(f)) >= 0 &&
	    fseek(f, 0, SEEK_SET) == 0) {
		data = malloc(size > 0 ? (size_t)size : 1);
		if (data != NULL && fread(data, 1, (size_t)size, f) !=
		    (size_t)size) {
			free(data);
			data = NULL;
		}
		*sizep = (size_t)size;
	}
	fclose(f);
	return data;
}

int
main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		size_t size = 0;
		uint8_t *data = read_file(argv[i], &size);

		if (data == NULL) {
			fprintf(stderr, "%s: %s\n", argv[i], strerror(errno));
			return 1;
		}
		LLVMFuzzerTestOneInput(data, size);
		free(data);
	}
	return 0;
}
