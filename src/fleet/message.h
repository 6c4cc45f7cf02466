/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef FLEET_MESSAGE_H
#define FLEET_MESSAGE_H

/*
 * Messages of a fleet beside requests (doc/fleet.md).
 *
 *	"DTF1" | u16 kind | u16 0 | u32 text | u32 data | u64 number | u64 value
 *	the text, without a NUL | the data
 *
 * Numbers are little-endian.  A message is hostile; nothing is allocated for
 * what it claims.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

enum fl_kind {
	/* agent -> console */
	FL_TRYING = 1, /* the agent has a request, and checks it */
	FL_TRACING,    /* the script runs */
	FL_REFUSED,    /* the script does not run, or ended; text: why */
	FL_TOLD,       /* text: a message of dtrace on the host */
	FL_PART,       /* a part of a block: value, data */
	/* number: parts sent so far; value: of those, lost; text: the merger
	 * that they went to */
	FL_ALIVE,
	FL_ENDED, /* the script has ended; number: as of FL_ALIVE */
	FL_HERE,  /* to everybody: text has the host's facts */
	FL_START, /* a part of the recording's beginning, sent again */
	/* merger -> console: number: parts sent so far; data: accounts of hosts
	 * (fleet/account.h); value: twice the number of this message of the
	 * run, plus 1 if more accounts follow */
	FL_MERGED,
	/* console -> agents */
	FL_BEAT = 64, /* the console is there */
	FL_STOP,      /* end the script */
	/* text: a merger; the hosts that data has accounts of send to the
	 * console now, from there on */
	FL_DIRECT,
};

/*
 * A console or an agent that was not heard for FL_SILENCE_NS is gone.  While
 * the server is away nobody can be heard, and both wait for FL_CUT_NS.
 */
#define FL_SILENCE_NS UINT64_C(5000000000)
#define FL_CUT_NS UINT64_C(30000000000)
/*
 * Is a peer gone that was heard at heard_ns?  The server was away last at
 * cut_ns, or never (0); is_cut: it is away now.
 */
bool fl_is_silent(
    uint64_t now, uint64_t heard_ns, uint64_t cut_ns, bool is_cut);

/* Sizes of a message. */
#define FL_TEXT_MAX 4096U
#define FL_DATA_MAX (512U << 10)

struct fl_msg {
	enum fl_kind kind;
	uint64_t number, value;
	const char *text; /* ends at its length, not at a NUL */
	size_t text_len;
	const void *data;
	size_t len;
};

/* Append a message.  A text that is too long is cut. */
void fl_msg_encode(const struct fl_msg *msg, struct strbuf *out);
/* The message in these bytes, which it borrows; false: it is none. */
bool fl_msg_decode(const void *bytes, size_t len, struct fl_msg *out);
/* The text, with control characters as escapes.  Malloced. */
char *fl_msg_text(const struct fl_msg *msg);

/* FL_PART: the bytes of the block, and where this part begins in it. */
#define FL_BLOCK_MAX (4U << 20)
#define FL_PART_VALUE(size, at) ((uint64_t)(size) << 32 | (at))

/*
 * The blocks of a host, from its parts.  Parts are numbered from 0.  If one is
 * missing, its block is left out, and counted.
 */
struct fl_stream {
	struct strbuf block;
	uint32_t size;	/* of the block that is being put together */
	uint64_t next;	/* number of the part that is expected */
	uint64_t nlost; /* parts that did not come, or were no parts */
	bool is_broken; /* the rest of the block is left out */
};

/* Take a part: true if a block is whole, in s->block until the next call. */
bool fl_stream_add(struct fl_stream *s, const struct fl_msg *msg);
/* The sender has sent `nparts` parts: count those that did not come as lost. */
void fl_stream_sent(struct fl_stream *s, uint64_t nparts);
void fl_stream_fini(struct fl_stream *s);

#endif
