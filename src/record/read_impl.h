/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef RECORD_READ_IMPL_H
#define RECORD_READ_IMPL_H

/* Inside the reader: bytes -> blocks -> tables and events. */
#include "base/idmap.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "record/format.h"
#include "record/record.h"

/*
 * The source of the bytes.  `buf` holds those of a file that have been read;
 * `data` and `len` are all of a memory, or what is in buf.
 */
struct record_source {
	int fd; /* -1: memory */
	struct strbuf buf;
	const char *data;
	size_t len, pos; /* pos: the next byte */
	uint64_t base;	 /* offset of data[0] in the file */
	int error;	 /* -errno of the last read, or 0 */
};

/* Raw bytes of a block; they are aligned. */
struct record_block {
	uint16_t type;
	char *raw;
	size_t len, cap, pos;
	uint64_t at; /* in the file, for messages */
};

/* Bytes of all tables; a file that has more is damaged. */
#define RECORD_TABLES_MAX ((uint64_t)1 << 30)

struct record_space {
	void *zstd;  /* ZSTD_DCtx */
	char *spare; /* raw bytes of no block; or NULL */
	size_t spare_cap;
};

struct record_named {
	uint64_t pid, addr, seq;
	uint32_t kind;
	uint32_t older; /* index + 1 of the same address's name before; 0 */
	struct record_name name;
};

struct record_mapped {
	struct record_mapping map;
	uint64_t seq;
	uint32_t older; /* index + 1 of the process's mapping before; 0 */
};

struct record_built {
	const char *module, *build_id;
	uint64_t seq;
};

struct record_tables {
	struct arena arena;
	uint64_t size, max; /* bytes taken, and the most that may be */
	bool has_machine;
	struct record_machine machine;
	char *program;
	size_t program_len;
	VEC(struct record_clause) clauses;
	VEC(struct record_agg) aggs; /* by id - 1; name NULL: missing */
	VEC(struct record_probe) probes;
	VEC(struct record_enabling) enablings; /* by epid - 1 */
	VEC(const char *) strings;	       /* by id - 1 */
	VEC(struct record_named) names;
	VEC(struct record_mapped) mappings;
	struct idmap mapped; /* by pid: index + 1 of its newest mapping */
	VEC(struct record_built) built;
	VEC(struct record_process) processes;
	VEC(struct record_program_source) sources;
	VEC(struct record_label) labels;
	/* of names: index + 1 of the newest; 0: free; a power of two */
	uint32_t *slots;
	size_t nslots;
};

struct record {
	struct record_source src;
	struct record_block block; /* the block whose events are being read */
	struct record_tables tables;
	struct record_space *space; /* NULL: it has its own memory */
	void *zstd; /* ZSTD_DCtx; of the space, if there is one */
	uint32_t nblocks;
	bool has_gaps; /* where blocks are missing, none is damaged */
	bool is_newer; /* it may have items that are unknown here */

	/* clocks of the block */
	uint64_t next_seq, clock_ns, clock_wall_ns;
	bool has_clocks;
	uint64_t seq;		   /* number of the last event that was taken */
	uint64_t time_ns, wall_ns; /* times of the last event that has some */
	bool is_complete;
	bool is_of_parts; /* it reads parts, and shares another's tables */

	bool has_peeked;
	int peeked_rc;
	size_t peeked_pos; /* offset in the block of the peeked event's item */
	struct record_event peeked;

	VEC(char *) damage;
	size_t nmore_damage;
};

/* read.c: note a part that is left out; only the first few are kept. */
void record_note_damage(struct record *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Read the next block that is whole: 1; 0 at the end; or -errno. */
CHECKED int record_next_block(struct record *r, struct err *err);

/*
 * The same in two steps: go behind the block, whose stored bytes are valid
 * until the next call; then decode it.  False: it is damaged, which is noted.
 */
CHECKED int record_next_stored(struct record *r, struct record_bhdr *h,
    const char **stored, struct err *err);
bool record_decode(
    struct record *r, const struct record_bhdr *h, const char *stored);

/* A payload being read. */
struct record_payload {
	const char *p, *end;
};
/* The next item of a block: false at its end. */
bool record_next_item(
    struct record *r, struct record_item *item, struct record_payload *payload);
/* The struct at the payload's start, and go behind it; NULL: it is short. */
static inline const void *
record_take(struct record_payload *pl, size_t len)
{
	const char *p = pl->p;

	if ((size_t)(pl->end - p) < len)
		return NULL;
	pl->p += len;
	return p;
}
/* The string there; NULL: it has no end. */
const char *record_take_string(struct record_payload *pl);

/* read_tables.c */
void record_tables_init(struct record_tables *t);
void record_tables_fini(struct record_tables *t);
/* Enter all items of the present block. */
void record_read_tables(struct record *r);
void record_read_program(struct record *r);

#endif
