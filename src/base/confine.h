/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_CONFINE_H
#define BASE_CONFINE_H

/*
 * A child process that reads hostile files for dtrace.
 *
 * Parsers of ELF, of unwind tables and of machine code are large, and the
 * traced user owns the files that they read; dtrace may be root.  So if dtrace
 * has privileges, the parsers run in a child without any: it has no descriptors
 * but the file and its channel, no shared memory, a filter of system calls, and
 * limits.  It is forked when the first file is read, and serves all later
 * files.
 *
 *	dtrace	-- job, arguments, file, empty answer -->	child
 *		<-- open this file of debug information --
 *		-- its descriptor, or none -->
 *		<-- done, or why not --
 *
 * The answer is a file in memory, which is sealed before dtrace looks at it.
 * It may contain anything: the caller checks all of it.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/*
 * The answer that a job writes.  Once `is_bad` is set nothing more is written.
 */
struct confine_out {
	int fd;
	uint64_t len;
	bool is_bad;
};
void confine_put(struct confine_out *out, const void *p, size_t n);
/* Append zeroes up to the next multiple of a page. */
void confine_align(struct confine_out *out);

/*
 * Runs in the child: read `fd` and write the answer.  Returns 0, or -errno with
 * *err.  `arg` has the bytes that the caller passed.
 */
typedef int confine_job_f(int fd, const void *arg, size_t len,
    struct confine_out *out, struct err *err);

struct confine_call {
	confine_job_f *run;
	/* Are the libraries loaded that the job needs? The child cannot load
	 * any. NULL: it needs none. */
	bool (*is_ready)(void);
	/* May the child read this file of debug information? NULL: no file. */
	bool (*may_open)(const void *arg, const char *path);
	const void *arg;
	size_t len; /* of arg: at most CONFINE_ARG_MAX */
	int fd;
};
#define CONFINE_ARG_MAX 16384

struct confine_answer {
	void *p; /* read-only pages; NULL: empty */
	size_t len;
};

/*
 * Run a job.  Returns 0 with an answer; -EINVAL with *err if the file is
 * refused; another -errno with *err if dtrace itself has no descriptors or
 * memory for it; -ENOSYS if dtrace has no privileges to withhold from a child,
 * and the caller should do the job itself.
 */
CHECKED int confine_run(
    const struct confine_call *c, struct confine_answer *a, struct err *err);
void confine_answer_fini(struct confine_answer *a);

/* A hostile answer that is being decoded. */
struct confine_in {
	const uint8_t *p;
	uint64_t left;
	bool is_bad;
};
#define CONFINE_BAD "the child that reads it gave a malformed answer"
/*
 * The next n pieces of `size` bytes, at any alignment.  NULL, and the answer is
 * bad, if there are fewer.
 */
const void *confine_get(struct confine_in *in, uint64_t n, size_t size);
/* End the child; the next job starts another one. */
void confine_end(void);

/* Is this process the child? */
bool confine_is_inside(void);
/* Called in the child: ask for a file of debug information. -1: refused. */
int confine_open(const char *path);

#endif
