/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONSUME_BOOK_H
#define CONSUME_BOOK_H

/*
 * A book: what the consumer learns from the machine beside the data.
 *
 * A recording notes it; in a replay, it is the only source, and the machine is
 * not asked for names or the time.
 */
#include <stdbool.h>
#include <stdint.h>

#include "record/record.h"

struct consume_book {
	/* Called after a lookup of a name.  NULL: not wanted.  True: the file
	 * there is wanted, too, by note_file(), or by note_kernel_file() if the
	 * address is the kernel's. */
	bool (*note)(void *arg, enum record_name_kind kind, uint64_t pid,
	    uint64_t addr, const struct record_name *name);
	/* Called instead of looking up a name; NULL if it is not known.  The
	 * strings live as long as the book.  `find` NULL: ask the machine. */
	const struct record_name *(*find)(
	    void *arg, enum record_name_kind kind, uint64_t pid, uint64_t addr);
	void (*note_file)(void *arg, const struct record_mapping *m);
	void (*note_kernel_file)(
	    void *arg, const char *module, const char *build_id);
	/* The mapping that note_file() was given for the address; or NULL. */
	const struct record_mapping *(*find_file)(
	    void *arg, uint64_t pid, uint64_t addr);
	/* The build id that note_kernel_file() was given; or NULL. */
	const char *(*find_kernel_file)(void *arg, const char *module);
	/* A firing of that thread, whose name is `comm`.  NULL: not wanted. */
	void (*thread)(
	    void *arg, uint64_t pid, uint64_t tid, const char comm[16]);
	uint64_t (*clock)(void *arg); /* used instead of now_ns() */
	/* Used instead of wall_offset_ns(), if it is not NULL. */
	uint64_t (*wall_offset)(void *arg);
	void *arg;
};

#endif
