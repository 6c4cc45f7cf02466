/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONSUME_OFORMAT_H
#define CONSUME_OFORMAT_H

/*
 * Option oformat: a form of the output that is made of typed events.
 *
 * Each form is one row of oformats.def and one set of operations.  Records and
 * rows arrive as the structs of include/dtrace.h (event.h).  A form either
 * appends to consumer.buf as events arrive, or keeps what arrives and makes a
 * document of it in write().
 */
#include "consume/event.h"

struct oformat_ops {
	/* The state, consumer.formatted; NULL: the form has none. */
	void *(*create)(const struct consumer *c);
	void (*destroy)(void *state);
	/* First and last in a stream.  NULL: it has no such thing. */
	void (*start)(struct consumer *c);
	void (*end)(struct consumer *c, int status);
	/* NULL: records have no place; those with data are counted. */
	void (*record)(const struct chew *ch, const dtrace_event_t *ev);
	void (*row)(struct consumer *c, const dtrace_event_t *ev);
	/*
	 * Rows of these aggregations follow; they replace rows that came
	 * before.  NULL: the form needs no notice.
	 */
	void (*table)(struct consumer *c, struct agg *const *aggs, size_t n);
	/* Both or none; NULL: losses are messages, as they are with text. */
	void (*fault)(
	    struct consumer *c, const struct dt_record *rec, const char *text);
	void (*drop)(struct consumer *c, const char *kind, uint64_t n, int cpu,
	    const char *text);
	/*
	 * Append the document to consumer.buf.  It replaces the file's
	 * contents.  NULL: the output is a stream.
	 */
	void (*write)(struct consumer *c);
	/*
	 * Write what has come to files of its own.  NULL: it has none, and all
	 * goes through consumer.buf.
	 */
	void (*flush)(struct consumer *c);
	bool needs_whose;  /* records have pid, tid and execname (whose.c) */
	bool is_binary;	   /* not for a terminal */
	bool is_folder;	   /* -o names a folder, which has the files */
	bool is_whole;	   /* a stream that cannot follow another one */
	bool is_refreshed; /* write() is called at each aggrefresh, too */
	const char *holds; /* "aggregations", if record is NULL */
};

#define OFORMAT(choice, name) extern const struct oformat_ops oformat_##name;
#include "consume/oformats.def"
#undef OFORMAT

/* The operations of a choice of option oformat; NULL: text. */
const struct oformat_ops *oformat_by_choice(size_t choice);
bool oformat_is_refreshed(const struct consume_opts *opts);

/*
 * Programs read standard output: nothing but the trace may be there.  So what
 * commands write to it goes to standard error.
 */
static inline bool
oformat_owns_stdout(const struct consume_opts *opts)
{
	return opts->oformat != NULL && opts->out_name == NULL;
}

/* Are drops, faults and limits of stacks part of the output? */
static inline bool
oformat_has_losses(const struct consumer *c)
{
	return c->opts.oformat != NULL && c->opts.oformat->drop != NULL;
}

/* The text that a form makes of each aggregation, as of its last printing. */
struct oformat_texts {
	size_t n;	      /* aggregations */
	struct strbuf *texts; /* [n] */
	VEC(size_t) places;   /* of the aggregations whose rows follow */
};
void oformat_texts_init(struct oformat_texts *t, const struct consumer *c);
void oformat_texts_fini(struct oformat_texts *t);
/* For table(): the texts of these aggregations begin anew. */
void oformat_texts_begin(struct oformat_texts *t, const struct consumer *c,
    struct agg *const *aggs, size_t n);

/* The run whose output it is; what is not known is "" or 0. */
const struct consume_run *oformat_run(const struct consumer *c);
/* Does a record hold data, and not only effects? */
bool oformat_has_data(const dtrace_event_t *ev);
void oformat_record(const struct chew *ch, const dtrace_event_t *ev);
void oformat_table(struct consumer *c, struct agg *const *aggs, size_t n);
/* Begin the output. */
void oformat_start(struct consumer *c);
/* Write the document, if the form makes one. */
void oformat_write(struct consumer *c);
/* Write the last document, and tell what had no place in the output. */
void oformat_end(struct consumer *c);

#endif
