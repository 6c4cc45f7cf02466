/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DTRACED_AGENT_H
#define DTRACED_AGENT_H

/* The agent: it has a connection, a policy, and the scripts that run. */
#include "dtraced/uplink.h"
#include "dtraced/script.h"
#include "fleet/budget.h"
#include "fleet/conf.h"
#include "fleet/journal.h"
#include "fleet/keep.h"
#include "fleet/message.h"
#include "fleet/policy.h"
#include "fleet/request.h"
#include "fleet/seen.h"
#include "fleet/subject.h"

/*
 * The receiver of a run's data: the console or a merger.  A merger takes
 * aggregations alone.  Whether the script makes records is known when its
 * recording has begun.
 */
struct route {
	const char *host;     /* this agent's name */
	const char *merger;   /* NULL: the data go to the console */
	char *subject;	      /* on which the merger hears this host */
	bool is_known;	      /* the receiver is chosen */
	bool is_direct;	      /* the console asked the host to leave it */
	struct strbuf tables; /* of the recording, up to FL_BLOCK_MAX */
	bool has_tables;      /* `tables` has all of them */
	/* The last blocks that the merger got, for a console that lost it. */
	struct strbuf kept;
	VEC(struct route_block {
		uint64_t number; /* of its first part */
		size_t size;
	})
	blocks;
	size_t kept_max;    /* bytes */
	uint64_t direct_ns; /* the console asked last; 0: never */
	bool has_told;	    /* it is reported that tables were too large */
};

/* A script that runs for a console. */
struct run {
	char id[FL_RUN_TEXT];
	char *subject;		    /* to the console */
	struct fl_request *request; /* NULL: it was refused */
	struct fl_budget *budget;
	struct fl_cost cost;
	uint64_t began_ns;
	struct script script;
	struct strbuf data;  /* its recording: the beginning of a block */
	struct strbuf told;  /* its standard error: the beginning of a line */
	struct strbuf why;   /* the reason why it does not trace */
	bool traces;	     /* it has said that it traces */
	bool has_header;     /* the recording's header was sent */
	struct strbuf start; /* detached: the first blocks of the recording */
	bool has_start;	     /* the first blocks were sent */
	uint64_t nparts, nlost;
	uint64_t skip;	   /* bytes of a block that is too large */
	uint64_t beat_ns;  /* when the console was heard last */
	uint64_t cut_ns;   /* when the server was away last; 0 */
	uint64_t until_ns; /* the author may run it so long */
	uint64_t alive_ns; /* when the console hears of it next */
	unsigned nlooks;   /* at its cost */
	uint64_t kill_ns;  /* it was told to end, and is killed then; 0 */
	char *end;	   /* why it was told to end; NULL: the console said */
	struct route route;
};

struct agent {
	struct fl_conf conf;
	char *name;
	struct fl_host host;
	struct fl_policy *policy;
	struct fl_seen *seen;
	struct uplink uplink;
	struct fl_journal *journal;
	/* the journal goes to standard error; set before opening */
	bool is_verbose;
	int stats_fd; /* while scripts run: fl_budget_enable()'s; or -1 */
	VEC(struct run *) runs;
	uint64_t here_ns; /* time of the next announcement */

	/* detached.c */
	struct fl_keep *keep;
	/* requests that begin soon; NULL: one was stopped */
	VEC(struct fl_request *)
	held;
	/* number of the next letter in the stream of requests */
	uint64_t next_kept;
	uint64_t look_ns; /* time of the next look into that stream */
	uint64_t soon_ns; /* until this time, looks are frequent */
	bool was_connected, is_ending;
};

/* A fl_journal_f, for option -v: to standard error. */
void agent_say(int priority, const char *line, void *arg);
/* 0, or -errno with *err: nothing is sent without a policy and a connection. */
CHECKED int agent_open(struct agent *a, const char *conf, struct err *err);
/*
 * Wait for work, at most timeout_ms, and do it.  Returns 0; or -errno with *err
 * if no server accepts this agent any more.
 */
CHECKED int agent_work(struct agent *a, int timeout_ms, struct err *err);
/* End all scripts, and wait for them. */
void agent_close(struct agent *a);

/* The run takes the request over. */
void agent_start(struct agent *a, struct fl_request *rq);
/* Tell the console and the journal that the request is refused. */
void agent_refuse(struct agent *a, const char *id, const char *why);
/* The run with this id, or NULL. */
struct run *agent_find(const struct agent *a, const char *id);

/* route.c: choose one of the request's mergers, or none. */
void route_init(struct run *r, const char *host);
void route_fini(struct run *r);
/* Choose the receiver; false: it cannot be known yet. */
bool route_is_known(struct run *r, struct fl_bus *bus);
const char *route_subject(const struct run *r);
/* The merger that the data go to; NULL: none. */
const char *route_merger(const struct run *r);
/* Keep a block for a merger, whether or not the server took it; `number` is
 * that of its first part. */
void route_keep(struct run *r, uint64_t number, const char *block, size_t size);
/* FL_DIRECT: send to the console what it lacks, and all from now on. */
void route_direct(struct run *r, struct fl_bus *bus, const struct fl_msg *msg);

/* run.c */
/* Take the request over. */
void run_take_request(struct run *r, struct fl_request *rq, const char *host);
/* Send bytes in parts, the first of this number; how many were not taken. */
uint64_t run_send_parts(struct fl_bus *bus, enum fl_kind kind,
    const char *subject, const char *bytes, size_t size, uint64_t *number);
struct run *run_create(const char *id, const char *host);
void run_destroy(struct run *r);
/* Tell the console.  FL_ALIVE takes no text: it names the merger.  The merger
 * hears FL_ENDED, too. */
void run_tell(
    struct run *r, struct fl_bus *bus, enum fl_kind kind, const char *text);
/* Read what the script wrote, and send it. */
void run_read(struct run *r, struct fl_bus *bus);
/*
 * Do what is due for the run.  False: it has ended, and all its data are sent.
 */
bool run_look(struct run *r, struct fl_bus *bus);
/* End the script; `why` is NULL or malloced, and the run takes it over. */
void run_end(struct run *r, char *why);
void run_journal(const struct run *r, struct fl_journal *j);

#endif
