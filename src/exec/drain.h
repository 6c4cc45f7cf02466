/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_DRAIN_H
#define EXEC_DRAIN_H

/*
 * Reading principal buffers (exec/runtime/buf.h) of both substrates.
 *
 * Writers may be hostile processes: the reader trusts only the bytes of a
 * record, and copies these first.  It notices impossible positions, kinds of
 * records and CPUs, and reads no more of such a buffer.
 */
#include "base/err.h"
#include "exec/runtime/buf.h"
#include "exec/exec.h"

/* Buffers of one size, next to each other. */
struct exec_bufs_part {
	char *base;	 /* struct exec_buf[], `stride` apart; NULL: none */
	uint64_t stride; /* at least exec_bufs_stride() */
	uint64_t size;	 /* of each one's data, a power of two */
	uint32_t end;	 /* the number behind the part's last buffer */
};

struct exec_bufs {
	const struct plan *pl;
	struct exec_bufs_part parts[EXEC_BUFS_PARTS]; /* all n, in order */
	uint32_t n;
	uint32_t used; /* the first of them; the others were never written to */
	enum dt_bufpolicy policy;
	bool by_cpu;	 /* the n-th is the n-th CPU's; else words tell */
	uint32_t ncpus;	 /* that words may tell */
	bool is_damaged; /* a buffer holds impossible values */
	bool is_stopped; /* only END's records are written from now on */
	/* When records that were left behind are due; 0: there are none. */
	uint64_t pending_ns;

	uint64_t *tail;		       /* released so far */
	uint64_t *begin_pos, *end_pos; /* behind BEGIN's, before END's */
	struct exec_buf **begin_bufs;  /* ring: BEGIN's records */
	bool begin_done, has_end;
	char *copy; /* of the record that is handed over; by_cpu: NULL */
};

/*
 * In a merged drain while tracing, a record younger than this waits for the
 * next one: an older record of another writer may still be under construction.
 */
#define EXEC_MERGE_GUARD_NS 1000000ULL

/*
 * Bytes of data that each buffer should have.  A script that records nothing
 * but in BEGIN, END and ERROR needs no more than their records; what the user
 * asked for is not reduced.
 */
uint64_t exec_bufs_size(const struct plan *pl, const struct dt_exec_opts *opts);
uint32_t exec_record_max(const struct plan *pl);
/* Is the CPU of option cpu one of n?  -EINVAL with *err: it is not. */
CHECKED int exec_check_cpu(
    const struct dt_exec_opts *opts, uint32_t n, struct err *err);
/* With a record's header to spare, which the kernel's verifier wants. */
uint64_t exec_bufs_stride(uint64_t size, uint32_t record_max);
#define EXEC_BUF_MIN 4096ULL /* the smallest buffer, bytes */

/* pl, n, policy, by_cpu or ncpus are set, and `end` of the parts, if there are
 * several.  All are used, unless the caller knows. */
void exec_bufs_init(struct exec_bufs *bs);
void exec_bufs_fini(struct exec_bufs *bs);
const struct exec_bufs_part *exec_bufs_part(
    const struct exec_bufs *bs, uint32_t i);
struct exec_buf *exec_buf_at(const struct exec_bufs *bs, uint32_t i);

/* BEGIN has run and nothing else has; all has run but END. */
void exec_bufs_begun(struct exec_bufs *bs);
void exec_bufs_stopped(struct exec_bufs *bs);

/* As dt_exec_ops.is_filling. */
bool exec_bufs_are_filling(const struct exec_bufs *bs);

/* As dt_exec_ops.drain. */
int exec_bufs_drain(
    struct exec_bufs *bs, bool merged, dt_record_f *f, void *arg);

#endif
