/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONSUME_PPROF_H
#define CONSUME_PPROF_H

/*
 * Tables of a profile (profile.proto of github.com/google/pprof): texts,
 * functions, mappings and locations, each once.  They refer to each other by
 * number.
 */
#include "base/vec.h"
#include "consume/event.h"

/* A segment of a file, or the kernel: addresses from low to high. */
struct pprof_mapping {
	uint64_t low, high, offset;
	bool is_kernel;		 /* low and high are those of its locations */
	uint32_t path, build_id; /* texts */
};

struct pprof_tab {
	struct strtab texts;	    /* number: id - 1; the first is "" */
	struct strtab functions;    /* module and name */
	struct strtab files;	    /* and segments; number: id */
	struct strtab places;	    /* file, address, name; number: id */
	struct strtab frames;	    /* as they are in processes */
	VEC(uint32_t) frame_places; /* by frame - 1 */
	VEC(struct pprof_mapping) mappings; /* by file - 1 */
	struct strbuf made; /* messages of functions and locations */
};

void pprof_tab_init(struct pprof_tab *tab);
void pprof_tab_fini(struct pprof_tab *tab);
uint32_t pprof_text(struct pprof_tab *tab, const char *s, size_t len);
/* The location of a stack's frame. */
uint32_t pprof_location(struct consumer *c, struct pprof_tab *tab,
    const dtrace_value_t *stack, const dtrace_frame_t *f);
/* Append all tables; texts come last, and there are no more of them. */
void pprof_tab_write(struct pprof_tab *tab, struct strbuf *sb);

/* Numbers of the fields. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	PROFILE_TIME = 9,
	PROFILE_DURATION = 10,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT_TYPE = 14,

	TYPE_TYPE = 1,
	TYPE_UNIT = 2,

	SAMPLE_LOCATIONS = 1,
	SAMPLE_VALUES = 2,
	SAMPLE_LABEL = 3,
	LABEL_KEY = 1,
	LABEL_STR = 2,
	LABEL_NUM = 3,

	MAPPING_ID = 1,
	MAPPING_START = 2,
	MAPPING_LIMIT = 3,
	MAPPING_OFFSET = 4,
	MAPPING_FILE = 5,
	MAPPING_BUILD_ID = 6,
	MAPPING_HAS_FUNCTIONS = 7,

	LOCATION_ID = 1,
	LOCATION_MAPPING = 2,
	LOCATION_ADDRESS = 3,
	LOCATION_LINE = 4,
	LINE_FUNCTION = 1,

	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
	FUNCTION_SYSTEM_NAME = 3,
	FUNCTION_FILE = 4,
};

#endif
