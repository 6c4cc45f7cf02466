/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_CONFINE_H
#define BASE_CONFINE_H

/*
 * A child that reads hostile files for us.
 *
 * Parsers of ELF, of unwind tables and of machine code are large, and what they
 * read belongs to whoever is traced; dtrace may be root.  So, if dtrace has
 * privileges, they run in a child that has nothing to lose: no privileges, no
 * descriptor but the file and its channel, no memory that is shared with
 * anybody, a filter of system calls, and limits.  It is forked when the first
 * file is read, and serves all files after that.
 *
 *	dtrace	-- job, arguments, file, empty answer -->	child
 *		<-- open this file of debug information --
 *		-- its descriptor, or none -->
 *		<-- done, or why not --
 *
 * The answer is a file in memory, which is sealed before we look at it.  It may
 * hold anything: whoever asked checks all of it.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The answer that a job writes.  Once it `is_bad` nothing more is written. */
struct confine_out {
	int fd;
	uint64_t len;
	bool is_bad;
};
void confine_put(struct confine_out *out, const void *p, size_t n);
/* Zeroes up to the next multiple of a page. */
void confine_align(struct confine_out *out);

/* In the child: read `fd` and write the answer: 0, or -1 with *msg (malloced).
 * `arg` are the bytes that the caller gave. */
typedef int confine_job_f(
    int fd, const void *arg, size_t len, struct confine_out *out, char **msg);

struct confine_call {
	confine_job_f *run;
	/* Is everything loaded that the job needs?  The child cannot load it.
	 * NULL: it needs nothing. */
	bool (*is_ready)(void);
	/* May the child have this file of debug information?  NULL: none. */
	bool (*may_open)(const void *arg, const char *path);
	const void *arg;
	size_t len; /* of arg: CONFINE_ARG_MAX at most */
	int fd;
};
#define CONFINE_ARG_MAX 16384

struct confine_answer {
	void *p; /* read-only pages, or NULL: it is empty */
	size_t len;
};

/*
 * 0 with an answer; -EINVAL with *msg (malloced), why the file is refused; or
 * -ENOSYS: dtrace has no privileges that a child would be kept from, so the
 * caller does the job itself.
 */
int confine_run(
    const struct confine_call *c, struct confine_answer *a, char **msg);
void confine_answer_fini(struct confine_answer *a);

/* An answer, being taken apart.  It is hostile. */
struct confine_in {
	const uint8_t *p;
	uint64_t left;
	bool is_bad;
};
#define CONFINE_BAD "what reads it gives an answer that is none"
/* The next n pieces of a size, at any alignment; NULL: there are not so many,
 * and it is bad. */
const void *confine_get(struct confine_in *in, uint64_t n, size_t size);
/* End the child; the next job starts another one. */
void confine_end(void);

/* Are we the child? */
bool confine_is_inside(void);
/* In the child: ask for a file of debug information; -1: it is not to be had.
 */
int confine_open(const char *path);

#endif
