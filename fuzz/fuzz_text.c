/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Subroutines that take texts apart (json, cleanpath, strtok, strtoll,
 * toupper), and containers in paths of control groups, on any bytes that a
 * process may hold.  They cause no fault, change only the machine state, and
 * their answers have the properties that are easy to check.
 *
 * Input: a short text (path, separators) up to a NUL, then the long one.
 */
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "exec/runtime/rt.h"
#include "exec/runtime/rt_zone_host.h"

#define STRSIZE 64
#define MEM_SIZE 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct rt_conf conf = {
	.strsize = STRSIZE,
	.memmask = MEM_SIZE - 1,
	.locals = 0,
	.tmp_a = 0,
	.tmp_b = STRSIZE,
	.tok = 2 * STRSIZE,
	.scratch_begin = 3 * STRSIZE,
	.scratch_end = MEM_SIZE,
};

/* Call a function with all scratch free; its string, or NULL. */
#define RESULT(ms, call)                                                       \
	((ms)->scratch = conf.scratch_begin, (const char *)(uintptr_t)(call))

static u64
addr(const char *s)
{
	return (u64)(uintptr_t)s;
}

/* A value that json() finds is a part of the text. */
static void
check_json(struct rt_mstate *ms, const char *path, const char *doc)
{
	const char *s =
	    RESULT(ms, rt_json(addr((char *)ms), addr(doc), addr(path)));

	assert(ms->fault == 0);
	if (s != NULL)
		assert(strstr(doc, s) != NULL);
}

/* A container's name is not longer than the path of its control group. */
static void
check_zone(const char *path)
{
	char *zone = rt_zone_of_path(path);

	assert(strcmp(zone, "global") == 0 || strlen(zone) < strlen(path));
	(void)rt_zone_is(path, zone);
	free(zone);
}

static bool
ends_in_slash(const char *s)
{
	size_t len = strlen(s);

	return len > 1 && s[len - 1] == '/';
}

/* Cleaning a clean path changes nothing, and it has no part to remove.  It ends
 * with a slash only if `path` does. */
static void
check_cleanpath(struct rt_mstate *ms, const char *path)
{
	const char *s = RESULT(ms, rt_cleanpath(addr((char *)ms), addr(path)));
	char once[STRSIZE];

	assert(s != NULL && strlen(s) < STRSIZE);
	strcpy(once, s);
	assert(strstr(once, "//") == NULL && strstr(once, "/./") == NULL);
	assert(!ends_in_slash(once) || ends_in_slash(path) ||
	    strlen(path) >= STRSIZE);
	assert(once[0] != '/' || strstr(once, "/../") == NULL);
	s = RESULT(ms, rt_cleanpath(addr((char *)ms), addr(once)));
	assert(strcmp(s, once) == 0);
}

/* The tokens are those that strtok_r(3) finds in the examined part. */
static void
check_strtok(struct rt_mstate *ms, const char *seps, const char *text)
{
	char *copy = strndup(text, STRSIZE), *cut = strndup(seps, STRSIZE);
	char *want, *save, *next = copy;
	u64 first = addr(text);

	ms->tok = 0;
	do {
		const char *s =
		    RESULT(ms, rt_strtok(addr((char *)ms), first, addr(seps)));

		want = strtok_r(next, cut, &save);
		assert((s == NULL) == (want == NULL));
		assert(s == NULL || strncmp(s, want, STRSIZE - 1) == 0);
		first = 0;
		next = NULL;
	} while (want != NULL);
	free(copy);
	free(cut);
}

static void
check_strtoll(struct rt_mstate *ms, const char *text)
{
	char *copy = strndup(text, STRSIZE);

	for (int base = 2; base <= 36; base++) {
		u64 got =
		    rt_strtoll(addr((char *)ms), addr(text), (u64)base, 2);
		long long want;

		errno = 0;
		want = strtoll(copy, NULL, base);
		/* glibc 2.38 accepts 0b; too large a number wraps here */
		if (errno == 0 && base != 2)
			assert(got == (u64)want);
	}
	free(copy);
}

static void
check_case(struct rt_mstate *ms, const char *text)
{
	const char *s = RESULT(ms, rt_toupper(addr((char *)ms), addr(text)));

	for (size_t i = 0; s[i] != '\0'; i++)
		assert(s[i] ==
		    (text[i] >= 'a' && text[i] <= 'z' ? text[i] - 'a' + 'A' :
							text[i]));
	assert(strlen(s) == strnlen(text, STRSIZE - 1));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_mstate *ms = calloc(1, RT_MEM_OFF + MEM_SIZE + STRSIZE);
	size_t cut = strnlen((const char *)data, size);
	char *head = strndup((const char *)data, cut);
	char *text = cut < size ?
	    strndup((const char *)data + cut + 1, size - cut - 1) :
	    strdup("");

	ms->base = addr((char *)ms);
	ms->conf = &conf;
	check_json(ms, head, text);
	check_cleanpath(ms, text);
	check_strtok(ms, head, text);
	check_strtoll(ms, text);
	check_case(ms, text);
	check_zone(text);
	assert(ms->fault == 0);
	free(head);
	free(text);
	free(ms);
	return 0;
}
