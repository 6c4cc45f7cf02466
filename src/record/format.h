/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef RECORD_FORMAT_H
#define RECORD_FORMAT_H

/*
 * The bytes of a recording; doc/formats.md describes them.
 *
 *	file header | block | block | ...
 *	block: block header | stored bytes: packed, compressed by zstd, both,
 *	    or as they are
 *	raw bytes of tables and events: item | item | ...
 *	item: item header | payload, padded to 8 bytes
 *
 * Numbers are little-endian.  A block stands alone: nothing in it is needed to
 * decode another, and every entry of a table has its own number.
 */
#include <stdint.h>

#include "record/record.h"

#define RECORD_MAGIC                                                           \
	"\x89"                                                                 \
	"DTR\r\n\x1a\n"
/* A reader of a lower number cannot read the file; 1 has no packed blocks. */
#define RECORD_MAJOR 2
#define RECORD_MINOR 0 /* a newer one has items that may be left out */

struct record_fhdr {
	char magic[8];
	uint16_t major, minor;
	uint32_t size; /* of this header: what follows is the first block */
	uint32_t reserved[3];
	uint32_t crc; /* CRC-32 of the bytes before it */
};

#define RECORD_BLOCK_MAGIC "DTBK"
enum record_block_type {
	RECORD_BLOCK_TABLES = 1,
	RECORD_BLOCK_EVENTS = 2,
	RECORD_BLOCK_PROGRAM = 3, /* a DOF image */
};
/* Flags.  RECORD_ZSTD: the stored bytes are a frame of zstd.  RECORD_PACKED:
 * after decompression, if any, the bytes are packed events (record/pack.h). */
#define RECORD_ZSTD 1
#define RECORD_PACKED 2
struct record_bhdr {
	char magic[4];
	uint16_t type, flags;
	uint32_t stored, raw; /* bytes behind this header; unpacked */
	uint32_t number;      /* blocks of a file count from 0 */
	uint32_t data_crc;    /* CRC-32 of the stored bytes */
	uint32_t packed;      /* RECORD_PACKED: decompressed bytes; else 0 */
	uint32_t crc;	      /* CRC-32 of the bytes before it */
};
#define RECORD_RAW_MAX (64U << 20)
#define RECORD_STORED_MAX (RECORD_RAW_MAX + (1U << 20))

struct record_item {
	uint16_t type;
	uint16_t reserved;
	uint32_t len; /* of the payload, without its padding */
};

/* Items of tables.  Strings follow the struct, each with its NUL. */
enum record_table_item {
	RECORD_T_MACHINE = 1,
	RECORD_T_CLAUSE = 2,
	RECORD_T_AGG = 3,
	RECORD_T_PROBE = 4,
	RECORD_T_ENABLING = 5,
	RECORD_T_STRING = 6,
	RECORD_T_NAME = 7,
	RECORD_T_PROCESS = 8,
	RECORD_T_SOURCE = 9,
	RECORD_T_MAPPING = 10,
	RECORD_T_BUILD_ID = 11,
	RECORD_T_LABEL = 12,
};
struct record_t_machine {
	uint64_t time_ns, wall_ns;
	int64_t target;
	uint32_t ncpus;
	uint32_t flags; /* 1: is_in_process */
			/* host, release, arch, dtrace, command */
};
struct record_t_clause {
	uint32_t number; /* from 0 */
	uint32_t size, epid_base, nepids;
};
struct record_t_agg {
	uint64_t arg;
	uint32_t id; /* from 1 */
	uint32_t kind, key_size, val_size;
	/* name */
};
struct record_t_probe {
	uint32_t number; /* from 0 */
	uint32_t id, kind, nargs;
	/* prov, mod, func, name; for each argument: two bytes, native, and
	 * xlate */
};
#define RECORD_ARG_USERLAND 1 /* bits of an argument's second byte; the */
#define RECORD_ARG_XLATE 2    /* first is its mapping */
struct record_t_enabling {
	uint32_t epid; /* from 1 */
	uint32_t clause, probe, reserved;
};
struct record_t_string {
	uint32_t id, reserved; /* from 1 */
			       /* the string */
};
struct record_t_process {
	uint64_t pid;
	/* name, path */
};
struct record_t_mapping {
	uint64_t pid, seq, start, end, offset, vaddr;
	/* path, build id */
};
struct record_t_build_id {
	uint64_t seq;
	/* module, build id */
};
struct record_t_label {
	uint64_t reserved;
	/* name, value */
};
struct record_t_source {
	uint32_t nprobes;
	uint32_t flags; /* RECORD_SOURCE_* */
			/* name, text */
};
#define RECORD_SOURCE_HAS_NAME 1
#define RECORD_SOURCE_HAS_TEXT 2
struct record_t_name {
	uint64_t pid, addr, seq, offset, to;
	uint32_t kind;	/* enum record_name_kind */
	uint32_t flags; /* RECORD_NAME_* */
			/* module, name */
};
#define RECORD_NAME_FOUND 1
#define RECORD_NAME_HAS_MODULE 2
#define RECORD_NAME_HAS_NAME 4

/*
 * Items of events are of enum record_event_kind; a block begins with its
 * clocks.
 */
#define RECORD_CLOCKS 128
struct record_e_clocks {
	uint64_t seq; /* of the first event behind it */
	uint64_t time_ns, wall_ns;
};
struct record_e_data {
	uint64_t time_ns;
	uint32_t epid, next_epid, cpu, size;
	/* the record */
};
struct record_e_fault {
	uint64_t time_ns, value;
	uint32_t cpu, epid, action, fault;
	int32_t offset;
	uint32_t reserved;
};
struct record_e_agg {
	uint32_t agg;
	uint32_t is_turn; /* of BEGIN */
	int32_t result;	  /* of END */
	uint32_t reserved;
};
struct record_e_entry {
	uint32_t agg, key_size, val_size, reserved;
	/* the key, padded to 8 bytes; the value */
};
struct record_e_drop {
	uint64_t total, lost, most;
	uint32_t kind, cpu, idle, reserved;
};
struct record_e_clock {
	uint64_t time_ns;
};
struct record_e_end {
	int32_t status;
	uint32_t reserved;
};

_Static_assert(sizeof(struct record_fhdr) == 32 &&
	sizeof(struct record_bhdr) == 32 && sizeof(struct record_item) == 8,
    "no padding");

#define RECORD_PADDED(n) (((n) + 7) & ~(uint64_t)7)

#endif
