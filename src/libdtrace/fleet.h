/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LIBDTRACE_FLEET_H
#define LIBDTRACE_FLEET_H

/* Inside the console of a fleet. */
#include "base/idmap.h"
#include "fleet/bus.h"
#include "fleet/conf.h"
#include "fleet/keep.h"
#include "fleet/message.h"
#include "fleet/request.h"
#include "fleet/subject.h"
#include "libdtrace/dt_impl.h"

/* after which the user learns which hosts answered */
#define FLEET_ANSWER_NS UINT64_C(1000000000)
/* longest time for a host to compile */
#define FLEET_BEGIN_NS UINT64_C(30000000000)
#define FLEET_BEAT_NS UINT64_C(1000000000) /* between two beats */
/* longest time for a host to end a script */
#define FLEET_STOP_NS UINT64_C(20000000000)
/* a longer gap between looks means that this console was stopped */
#define FLEET_PAUSE_NS UINT64_C(1000000000)
/* A record waits so long for older ones of other hosts. */
#define FLEET_HOLD_NS UINT64_C(1500000000)
/* The most bytes of a recording before its first event. */
#define FLEET_START_MAX ((size_t)16 << 20)

enum fleet_state {
	FLEET_TRYING,
	FLEET_TRACING,
	FLEET_REFUSED,
	FLEET_LOST,
	FLEET_ENDED
};

struct fleet_host {
	char *name;
	/* another host whose name has this hash; or NULL */
	struct fleet_host *older;
	enum fleet_state state;
	char *why; /* FLEET_REFUSED: the host's reason */
	struct fl_stream stream;
	struct strbuf start; /* its recording, until that can be opened */
	int number;	     /* its number in the merge; -1: not there yet */
	uint64_t heard_ns;
	uint64_t kept_ns;     /* wall time of its last letter; attached only */
	uint64_t ntold;	      /* lost parts */
	bool is_counted;      /* it answered within FLEET_ANSWER_NS */
	VEC(uint64_t) listed; /* -l: a bit for each probe that it has */

	/* fleet_merger.c */
	struct fleet_merger *via; /* its data come by this merger; NULL */
	uint64_t sent;		  /* parts that it has sent there */
	uint64_t merged;	  /* those that the merger's data have */
	bool is_left;		  /* the merger does not read it */
	uint64_t direct_ns;	  /* when to ask it (again) to send here */
	struct fl_stream begin;	  /* its beginning, sent again */
	bool has_failed;	  /* the host reported why its script ended */
	bool has_whole_end;	  /* its recording has its end */
};

/* A merger that the request names. */
struct fleet_merger {
	char *name;
	bool has_answered, is_lost;
	struct fl_stream stream;
	/*
	 * Blocks and accounts that came since the last whole accounts.  The
	 * console counts the blocks when their accounts have come.
	 */
	struct strbuf blocks, accounts;
	struct strbuf start;	/* until its recording is open */
	int number;		/* in the merge; -1: not yet */
	uint64_t next_accounts; /* number of those that are expected */
	uint64_t heard_ns;
	size_t asked; /* hosts that were looked at to be asked, modulo all */
};

/* -l: the probes of all hosts. */
struct fleet_list {
	VEC(struct fleet_probe {
		char *text; /* fleet/probes.h */
		size_t len;
		uint32_t nhosts;
	})
	probes;
	size_t nbytes;	 /* of texts */
	uint32_t *slots; /* index + 1 of a probe; 0 is free */
	size_t nslots;	 /* a power of two */
};

/* --detach: what the request says beside its programs. */
struct fleet_detach {
	char *name;
	uint64_t max_bytes, life_ns;
};

/* --attach: the run's letters come from the server's stream. */
struct fleet_attach {
	char *name, *stream, *start_stream;
	struct fl_reader *reader;
	uint64_t wall_ns; /* when the last letter was sent */
	uint64_t until_ns;
	bool has_caught_up;
};

/* The program as the first host compiled it. */
struct fleet_program {
	struct dif_prog *dif;
	struct strbuf dof; /* its bytes */
};

struct dt_fleet {
	struct fl_conf conf;
	struct fl_bus *bus;
	char run[FL_RUN_TEXT];
	char *run_subject;

	/* what is asked; all are owned */
	VEC(const char *) patterns, args;
	VEC(struct fl_pair) options;
	VEC(struct fl_program) programs;

	struct fl_keep *keep;	     /* NULL: it was not needed */
	struct fleet_detach *detach; /* NULL: the console stays */
	struct fleet_attach *attach; /* NULL: the run is this console's */

	VEC(struct fleet_host *) hosts;
	struct idmap named; /* hash of a name: index of the newest host */
	VEC(struct fleet_merger *) mergers;
	uint64_t direct_ns; /* when hosts are asked next to send here */
	uint64_t left_ns;   /* when a host has left its merger last; 0 */
	struct record_space *space;
	struct fleet_list *list;  /* NULL: hosts trace */
	struct tape_merge *merge; /* NULL: no host has begun */
	struct fleet_program program;
	struct fl_key key;
	uint64_t asked_ns, beat_ns;
	uint64_t stop_ns; /* when hosts were told to stop; 0: not yet */
	/* time when the server was away last; 0: never */
	uint64_t cut_ns;
	uint64_t looked_ns;	     /* time of the last dt_fleet_look() */
	uint64_t ndropped;	     /* lost letters that the user knows of */
	bool has_told_hosts, is_cut; /* the server is away */
	bool has_lost;
	int status; /* the first exit status of a host that is not 0 */
};

/* fleet_ask.c: send the request: 0, or -1. */
CHECKED int dt_fleet_send(struct dt_hdl *h);
/* fleet_ask.c: a request that is signed: malloced, or NULL with the message. */
void *dt_fleet_seal(
    struct dt_hdl *h, struct fl_request *rq, uint64_t life_ns, size_t *n);
/* fleet.c: ask, and hear the hosts while there is something to wait for. */
CHECKED int dt_fleet_gather(
    struct dt_hdl *h, bool (*must)(const struct dt_fleet *f));
/*
 * No host runs the script: set the message, a host's reason or `text`; returns
 * -1.
 */
CHECKED int dt_fleet_nobody(struct dt_hdl *h, const char *text);

/* A run that the server keeps. */
struct fleet_kept {
	char id[FL_RUN_TEXT];
	struct fl_request *request; /* owned */
	uint64_t bytes;		    /* that are kept */
	VEC(struct fleet_kept_host {
		char *name;
		bool runs, is_heard; /* as its last letter says */
		bool has_answered;   /* a request to stop */
	})
	hosts;
	struct strbuf names; /* of those that run it; one not heard has a '?' */
};
struct fleet_runs {
	VEC(struct fleet_kept) v;
};
/* fleet_runs.c: all runs; 0, or -1 with the message. */
CHECKED int dt_fleet_read_runs(struct dt_hdl *h, struct fleet_runs *out);
void dt_fleet_free_runs(struct fleet_runs *runs);
/* The run of that name: this author's, or the only one; NULL with the message.
 */
struct fleet_kept *dt_fleet_find_run(
    struct dt_hdl *h, struct fleet_runs *runs, const char *name);
/* Is this console's key that of its author? */
bool dt_fleet_is_mine(const struct dt_hdl *h, const struct fleet_kept *k);
/* The run's host of this name, or NULL. */
struct fleet_kept_host *dt_fleet_kept_host(
    const struct fleet_kept *k, const char *name);
/* Remove what the server keeps of the run, after dt_fleet_read_runs(): 0, or -1
 * with the message. */
CHECKED int dt_fleet_forget_run(struct dt_hdl *h, const char *run);
/* fleet_detach.c: keep the signed request, and send it to the hosts. */
CHECKED int dt_fleet_keep_request(
    struct dt_hdl *h, const void *bytes, size_t n);
void dt_fleet_detach_free(struct fleet_detach *d);

/* fleet_attach.c: instead of fleet.c's and fleet_host.c's. */
CHECKED int dt_fleet_attach_go(struct dt_hdl *h);
CHECKED int dt_fleet_attach_letters(struct dt_hdl *h);
/* Wall time until which all has come. */
uint64_t dt_fleet_wall(const struct dt_fleet *f);
bool dt_fleet_attach_must_go_on(const struct dt_fleet *f);
/* The console leaves: tell the user what it has not read. */
void dt_fleet_attach_leave(struct dt_hdl *h);
void dt_fleet_attach_free(struct fleet_attach *at);
/* Take beginnings until this wall time; or the first of this host. */
void dt_fleet_read_starts(
    struct dt_hdl *h, uint64_t until_ns, const char *host);
/* fleet_host.c: take a letter of a host's beginning (fleet/detached.h), if it
 * is of this host; NULL: of all.  Was it the last one of a beginning? */
bool dt_fleet_take_start(
    struct dt_hdl *h, const struct fl_letter *letter, const char *only);
/* Beginnings are taken: 0, or -1. */
CHECKED int dt_fleet_open_starts(struct dt_hdl *h);
/* fleet_host.c: take one letter: 0, or -1. */
CHECKED int dt_fleet_take_letter(
    struct dt_hdl *h, const struct fl_letter *letter);

/* fleet_host.c: take all letters; 0, or -1 with the message. */
CHECKED int dt_fleet_letters(struct dt_hdl *h);
/* Tell of hosts that are silent, and of lost data. */
void dt_fleet_look(struct dt_hdl *h);
/*
 * Text (malloced): which hosts trace and which do not.  From this call on,
 * changes are reported one by one.
 */
char *dt_fleet_hosts_text(struct dt_hdl *h);
size_t dt_fleet_count(const struct dt_fleet *f, enum fleet_state state);

/* fleet_program.c: a merge of hosts that run the program of this recording; it
 * goes into the handle's plan.  NULL with the message. */
struct tape_merge *dt_fleet_take_program(
    struct dt_hdl *h, struct fleet_program *p, const struct record *r);
/* Does no clause of the plan make records? */
bool dt_fleet_is_without_records(const struct plan *pl);
/* The host's number in the merge, which takes the recording over; or -errno
 * with *err, and the recording is closed. */
CHECKED int dt_fleet_add_host(const struct fleet_program *p,
    struct tape_merge *m, struct record *r, const char *name, struct err *err);
void dt_fleet_program_fini(struct fleet_program *p);
/* fleet_host.c: add a host or merger to the console's merge.  -1 without *err:
 * the handle has the message, and the console ends. */
CHECKED int dt_fleet_join(
    struct dt_hdl *h, struct record *r, const char *name, struct err *err);

/* fleet_same.c: does this program describe its data as the first host's does?
 * The bytes are hostile.  0, or -errno with *err. */
CHECKED int dt_fleet_same(const struct fleet_program *p, const void *dof,
    size_t len, struct err *err);

/* fleet_merger.c: the mergers of the configuration. */
void dt_fleet_name_mergers(struct dt_hdl *h);
void dt_fleet_free_mergers(struct dt_fleet *f);
/* Take a letter of a merger: 0, or -1. */
CHECKED int dt_fleet_take_merged(
    struct dt_hdl *h, const struct fl_letter *letter);
/* A host says how much it has sent, and where. */
void dt_fleet_take_sent(
    struct dt_hdl *h, struct fleet_host *fh, const struct fl_msg *msg);
/* Take a part of a host's beginning (FL_START): 0, or -1. */
CHECKED int dt_fleet_take_beginning(
    struct dt_hdl *h, struct fleet_host *fh, const struct fl_msg *msg);
/* Tell of mergers that are silent, and of lost data. */
void dt_fleet_look_at_mergers(struct dt_hdl *h, uint64_t now);
/* Must a merger send more, since hosts have ended that sent it? */
bool dt_fleet_must_merge(const struct dt_fleet *f);
/* Must the console wait for beginnings of hosts that left their merger, before
 * it stops all?  A host that has ended sends nothing again. */
bool dt_fleet_must_begin(const struct dt_fleet *f);
/* The run is over.  Parts that ended hosts sent, and no merger merged, count as
 * lost. */
void dt_fleet_settle(struct dt_hdl *h);
void dt_fleet_free_host(struct fleet_host *fh);
/* fleet_host.c: report the host as lost.  Records that all hosts have come from
 * another host then. */
void dt_fleet_lose_host(
    struct dt_hdl *h, struct fleet_host *fh, const char *why);
/* The host of this name, or NULL. */
struct fleet_host *dt_fleet_find_host(struct dt_fleet *f, const char *name);
bool dt_fleet_is_there(const struct fleet_host *fh);

/* fleet_list.c: take a block of the host; NULL, or why it is lost. */
const char *dt_fleet_list_take(
    struct fleet_list *l, struct fleet_host *fh, const char *block, size_t len);
/* In the order of names; dt_probe.id is the number of hosts.  0, or f's first
 * nonzero result; nothing more is taken. */
int dt_fleet_list_give(struct fleet_list *l, dt_probe_f *f, void *arg);
void dt_fleet_list_destroy(struct fleet_list *l);

#endif
