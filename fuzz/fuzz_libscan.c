/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The fast scan of D libraries.  Every name that any text defines is one of its
 * words, or is marked as a provider's, and the table finds it again.  The name
 * of a file that the text depends on is a part of the text, on one line.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "libdtrace/libscan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct names {
	const char *text, *end;
	VEC(struct dt_libname) list;
	size_t nproviders;
};

static int
take(const char *word, size_t len, enum dt_def def, void *arg)
{
	struct names *names = arg;
	struct dt_libname ln = { mem_strndup(word, len), 7, def };

	VEC_PUSH(&names->list, ln);
	if (len > strlen(DT_SCAN_PROVIDER) &&
	    memcmp(word, DT_SCAN_PROVIDER, strlen(DT_SCAN_PROVIDER)) == 0) {
		assert(def == DT_DEF_TAG);
		names->nproviders++;
		return 0;
	}
	assert(len > 0 && word >= names->text && word + len <= names->end);
	return 0;
}

static int
count(const char *word, size_t len, void *arg)
{
	(void)word;
	(void)len;
	++*(size_t *)arg;
	return 0;
}

static int
take_file(const char *file, size_t len, void *arg)
{
	const struct names *names = arg;

	assert(len > 0 && file >= names->text && file + len <= names->end);
	assert(memchr(file, '\n', len) == NULL);
	return 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct names names = { .text = text, .end = text + size };
	struct dt_libindex index;
	size_t nwords = 0;

	dt_scan_names(text, size, take, &names);
	dt_scan_depends(text, size, take_file, &names);
	dt_scan_words(text, size, count, &nwords);
	assert(names.list.n - names.nproviders <= nwords);
	dt_libindex_build(&index, names.list.v, names.list.n);
	VEC_FOREACH(&names.list, ln) {
		size_t slot = 0;

		assert(dt_libindex_next(
			   &index, ln->name, strlen(ln->name), &slot) == 7);
	}
	VEC_FOREACH(&names.list, ln)
		free((void *)(uintptr_t)ln->name);
	VEC_FREE(&names.list);
	free((void *)(uintptr_t)index.slots);
	return 0;
}
