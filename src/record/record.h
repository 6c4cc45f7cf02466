/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef RECORD_RECORD_H
#define RECORD_RECORD_H

/*
 * Reading a recording (-x record): the machine, the program, the probes, and
 * all events in the order in which the consumer met them.
 *
 *	struct record *r;
 *	struct record_event ev;
 *
 *	if (record_open("run.dtr", &r, &err) != 0) ...
 *	while (record_next(r, &ev) == 1)
 *		if (ev.kind == RECORD_DATA)
 *			... ev.epid, ev.cpu, ev.time_ns, ev.data, ev.size ...
 *	record_close(r);
 *
 * A recording is hostile: its tables grow while it is read, and whatever they
 * do not hold is NULL.  The reader checks all lengths, but nothing that a data
 * record contains.  A damaged part is left out, and record_damage() tells of
 * it; doc/formats.md has the format.
 *
 * Pointers in events are valid until the next record_next(); all others until
 * record_close().
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

struct record;

/* Does the file begin as a recording does?  It stays at its beginning. */
bool record_is(FILE *f);
/*
 * Open a file, "-" for standard input, and read what stands before the first
 * event.  0, or -errno with *err: it is no recording, or holds no program.
 */
CHECKED int record_open(
    const char *path, struct record **outp, struct err *err);
/* The same for bytes in memory, which are borrowed. */
CHECKED int record_open_mem(
    const void *data, size_t len, struct record **outp, struct err *err);
/*
 * Buffers that many recordings share if one thread reads them all; a recording
 * needs them only while it has unread blocks.  They outlive the recordings.
 * NULL: there is no memory.
 */
struct record_space;
struct record_space *record_space_create(void);
void record_space_destroy(struct record_space *space);
/*
 * The same for a recording that comes block by block, as long as its run lasts.
 * `data` has what comes before the first event.  record_feed() adds whole
 * blocks; when all is read, record_next() returns 0 until more has come.  The
 * tables may have RECORD_FED_TABLES_MAX bytes.
 */
#define RECORD_FED_TABLES_MAX ((uint64_t)64 << 20)
CHECKED int record_open_fed(struct record_space *space, const void *data,
    size_t len, struct record **outp, struct err *err);
/*
 * The same for a recording of which only the tables are there, and the program:
 * its blocks are in the order in which they were made, and where some are
 * missing that is no damage.
 */
CHECKED int record_open_tables(struct record_space *space, const void *data,
    size_t len, struct record **outp, struct err *err);
void record_feed(struct record *r, const void *data, size_t len);
/* Bytes that were fed and not read yet. */
size_t record_unread(const struct record *r);
/* Do these blocks, behind the file's header, lead to the first event? */
bool record_has_start(const void *data, size_t len);
void record_close(struct record *r);

/* The machine and the run.  Strings are never NULL. */
struct record_machine {
	const char *host, *release, *arch;
	const char *dtrace;  /* "0.9.0" */
	const char *command; /* of dtrace, for people */
	uint32_t ncpus;	     /* events name CPUs 0 to ncpus - 1: 1 to 8192 */
	bool is_in_process;  /* the substrate; see struct dt_exec_ops */
	int64_t target;	     /* $target, or -1 */
	uint64_t time_ns, wall_ns; /* both clocks at the start */
};
const struct record_machine *record_machine(const struct record *r);

/* The program, as a DOF image with the options of the run. */
const void *record_program(const struct record *r, size_t *len);

/* An argument: args[i], as struct dt_argdesc. */
struct record_arg {
	const char *native, *xlate; /* C types; xlate is NULL or a type */
	uint8_t mapping;
	bool is_userland;
};
struct record_probe {
	uint32_t id;   /* as dtrace -l showed it */
	uint16_t kind; /* enum dt_probe_kind */
	const char *prov, *mod, *func, *name;
	uint32_t nargs;
	const struct record_arg *args;
};
/* Probe n of those that have been read, from 0; NULL: there is none. */
uint32_t record_nprobes(const struct record *r);
const struct record_probe *record_probe(const struct record *r, uint32_t n);

/* Enabling `epid`, from 1: a clause of the program (from 0), and its probe. */
struct record_enabling {
	uint32_t clause, probe;
};
uint32_t record_nenablings(const struct record *r);
const struct record_enabling *record_enabling(
    const struct record *r, uint32_t epid);

/* The layout of a clause's records, for comparison with the reader's plan. */
struct record_clause {
	uint32_t size;	    /* of a record; 0: the clause makes none */
	uint32_t epid_base; /* the first enabling; late ones come after all */
	uint32_t nepids;
};
uint32_t record_nclauses(const struct record *r);
const struct record_clause *record_clause(const struct record *r, uint32_t n);
struct record_agg {
	const char *name, *remark; /* the script's comment, or "" */
	uint16_t kind;		   /* enum dt_act */
	uint64_t arg;
	uint32_t key_size, val_size; /* bytes of an entry */
};
/* Aggregation `id`, from 1. */
uint32_t record_naggs(const struct record *r);
const struct record_agg *record_agg(const struct record *r, uint32_t id);

/*
 * A process that was a target or had addresses named: its name (comm) and the
 * path of its program, or "".  In the order in which they came, from 0; NULL:
 * there are no more.
 */
struct record_process {
	uint64_t pid;
	const char *name, *path;
};
const struct record_process *record_process(const struct record *r, size_t n);

/*
 * A source of the program: a script's name, or a text of the command line, and
 * the probes that it matched.  NULL: it has none, or there are no more.
 */
struct record_program_source {
	const char *name, *text;
	uint32_t nprobes;
};
const struct record_program_source *record_program_source(
    const struct record *r, size_t n);

/* A label of the machine (label("name")), from 0; NULL: there are no more. */
struct record_label {
	const char *name, *value;
};
const struct record_label *record_label(const struct record *r, size_t n);

/* String `id`, from 1, of data that are stored as PLAN_STR_ID. */
uint32_t record_nstrings(const struct record *r);
const char *record_string(const struct record *r, uint32_t id);

/*
 * Names of addresses, as the consumer resolved them.  A name holds from the
 * event `seq` on; an address may have several.
 */
enum record_name_kind {
	RECORD_NAME_KERNEL = 1,		 /* addr -> module, name, offset */
	RECORD_NAME_KERNEL_MODULE = 2,	 /* addr -> addr of its module */
	RECORD_NAME_USER = 3,		 /* pid, addr -> module, name, offset */
	RECORD_NAME_USER_KEY_SYMBOL = 4, /* pid, key -> module, name */
	RECORD_NAME_USER_KEY_MODULE = 5,
	RECORD_NAME_USER_TO_SYMBOL = 6, /* pid, addr -> key */
	RECORD_NAME_USER_TO_MODULE = 7,
	RECORD_NAME_ARGS = 8, /* pid, 0 -> name: its command and arguments */
};
struct record_name {
	bool is_found;
	const char *module, *name; /* name: NULL if it has none */
	uint64_t offset;
	uint64_t addr; /* of the kinds that end in an address or key */
};
/* The name at the event that was read last; NULL: it is not recorded. */
const struct record_name *record_find_name(const struct record *r,
    enum record_name_kind kind, uint64_t pid, uint64_t addr);

/*
 * A segment of a file in the memory of a process, as it was when the first name
 * of an address there was asked for.
 */
struct record_mapping {
	uint64_t pid;
	uint64_t start, end; /* in the process */
	uint64_t offset;     /* of `start` in the file */
	uint64_t vaddr;	     /* of `start`, as the headers of the file say */
	const char *path;
	const char *build_id; /* hexadecimal digits, or "" */
};
#define RECORD_BUILD_ID_MAX 128 /* digits */
/* The mapping at the event that was read last; NULL: it is not recorded. */
const struct record_mapping *record_find_mapping(
    const struct record *r, uint64_t pid, uint64_t addr);
/*
 * The build id of the kernel, "vmlinux", or of one of its modules, in the same
 * digits, at that event; NULL: it is not recorded.
 */
const char *record_find_build_id(const struct record *r, const char *module);

enum record_event_kind {
	RECORD_DATA = 1,      /* a record: epid, cpu, time_ns, data, size */
	RECORD_FAULT = 2,     /* an error record: fault, cpu, time_ns */
	RECORD_DRAINED = 3,   /* the consumer had all records that there were */
	RECORD_AGG_BEGIN = 4, /* it read an aggregation: agg, is_turn */
	RECORD_AGG_ENTRY = 5, /* agg, data (the key) and val */
	RECORD_AGG_END = 6,   /* agg, result: 0 or -errno */
	RECORD_DROP = 7,      /* drop, cpu */
	RECORD_CLOCK = 8,     /* it asked for the time: time_ns */
	RECORD_REPORT = 9,    /* it told of the drops so far */
	RECORD_STOPPED = 10, /* tracing has stopped; END's records may follow */
	RECORD_NOTICE = 11,  /* dtrace told the user: text */
	RECORD_END = 12,     /* the end of a complete recording: result */
};

/* Members that a kind does not have are not set. */
struct record_event {
	enum record_event_kind kind;
	uint64_t seq;	  /* counts the events, from 1 */
	uint64_t time_ns; /* CLOCK_MONOTONIC of the machine; 0: none */
	uint64_t wall_ns; /* the same since 1970; 0: none */
	uint32_t cpu;
	uint32_t epid, next_epid; /* as in struct dt_record */
	const char *data;	  /* 8-aligned; a record has its header */
	uint32_t size;
	const void *val; /* RECORD_AGG_ENTRY, 8-aligned */
	uint32_t val_size;
	uint32_t agg;
	bool is_turn; /* dt_exec_ops.agg_turn, else agg_walk */
	int32_t result;
	const char *text;
	struct {
		uint32_t epid, action, fault;
		int32_t offset;
		uint64_t value;
	} fault; /* struct dt_errinfo */
	struct {
		uint32_t kind; /* enum dt_drop */
		uint32_t idle; /* percent */
		uint64_t total, lost, most;
	} drop; /* as of dt_exec_ops.drops(), lost(), most(), idle() */
};

/* Read the next event: 1; 0 at the end; or -errno with *err. */
int record_next(struct record *r, struct record_event *ev, struct err *err);
/*
 * Read the next event without taking it.  Its pointers are valid until it is
 * taken.
 */
int record_peek(struct record *r, struct record_event *ev, struct err *err);
/*
 * A fast path for fleets: take the next event if it is a RECORD_AGG_ENTRY of
 * this aggregation with these sizes.  False: call record_next().
 */
bool record_take_entry(struct record *r, uint32_t agg, uint32_t key_size,
    uint32_t val_size, const char **key, const void **val);

/*
 * Parts: blocks of events that several threads decode.
 *
 *	owner:	record_take_part(r) -> part	   part -> record_end_part(r)
 *	any:		     record_begin_part(reader, part) -> {
 *			     record_next(reader) } -> record_leave_part()
 *
 * Events that are in parts do not come by record_next(r).  A reader is one
 * thread's at a time; record_close() closes it, before r is closed.
 */
struct record_part;
/*
 * Take the next block of events: 1; 0 at the end; or -errno with *err.  What
 * tables are before it are entered: they have *grew, and record_share_tables()
 * gives them to each reader before it begins this part.
 */
int record_take_part(
    struct record *r, struct record_part **outp, bool *grew, struct err *err);
/*
 * End and free a part; those before it have ended.  r goes on behind its
 * events.
 */
void record_end_part(struct record *r, struct record_part *p);
/* NULL: there is no memory. */
struct record *record_reader_create(const struct record *r);
void record_share_tables(struct record *reader, const struct record *r);
/* False: the part is damaged, and has no events. */
bool record_begin_part(struct record *reader, const struct record_part *p);
void record_leave_part(struct record *reader, struct record_part *p);
/* Both clocks at the last event that has a time; 0: there is none. */
void record_times(const struct record *r, uint64_t *time_ns, uint64_t *wall_ns);

/*
 * The parts that could not be read so far, for people: lines without newlines.
 * NULL: there are no more.
 */
const char *record_damage(const struct record *r, size_t n);
/* Has RECORD_END been read?  Else the recording was cut off. */
bool record_is_complete(const struct record *r);

#endif
