/* SPDX-License-Identifier: BSD-2-Clause */
/* All that the command line says, and the state of the command. */
#ifndef DTRACE_CMD_H
#define DTRACE_CMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/str.h"
#include "base/vec.h"
#include "dtrace/build.h"
#include "dtrace/operands.h"
#include "libdtrace/dt.h"

/* -P -m -f -n -i -s, in order. */
struct dtrace_program {
	bool is_file;
	enum lang_pspec spec;
	const char *arg;
	char *name; /* for messages: without the clause's body */
	struct dt_prog *prog;
};

/* Anonymous tracing: -A stores, --anonymous traces, -a claims. */
enum anon { ANON_NONE, ANON_STORE, ANON_TRACE, ANON_CLAIM };

struct dtrace_cmd {
	struct dt_hdl *dtp;
	FILE *out;
	FILE *file;	    /* target of `out`; differs with -B */
	const char *output; /* -o */
	const char *dumps;  /* --dump */
	bool do_list, do_version, do_compile_only, do_dis;
	bool do_check;	  /* --check */
	bool is_handled;  /* -B */
	enum build build; /* -h, -G */
	int bits;	  /* -32, -64; 0: neither */
	enum anon anon;
	char *anon_program;
	VEC(const char *) replays; /* -r */
	const char *fleet;	   /* --fleet: a URL, or a file of settings */
	const char *author;	   /* --author: the file of a key */
	const char *detach;	   /* --detach NAME[,SIZE] */
	const char *attach;	   /* --attach NAME */
	const char *stop;	   /* --stop NAME */
	bool lists_runs;	   /* --list */
	VEC(const char *) hosts;   /* --hosts */
	VEC(const char *) labels;  /* --label */
	char *tool;		   /* run: the script's path */
	bool has_flame;		   /* --flame */
	bool has_timeline;	   /* --timeline */
	/* index in `settings` of the form of the output */
	size_t form;
	bool has_top;	 /* --top */
	struct top *top; /* the view of --top, or NULL */
	/* -t: tracing ends after this time; 0: not given */
	uint64_t end_ns;
	bool is_quiet, is_verbose;
	bool is_saving;	 /* linktype: -o is the program's */
	size_t nprinted; /* files that -S listed, not compiled */
	VEC(struct dtrace_setting {
		char letter; /* letter of the option */
		const char *name, *value;
	})
	settings;
	VEC(struct dtrace_target {
		const char *command; /* -c, or NULL */
		const char *pid;     /* -p: ids and names */
	})
	targets;
	struct strbuf named; /* which processes the names of -p are */
	VEC(struct dtrace_program) programs;
	VEC(char *) operands; /* $0, $1, ...; ends with NULL */
	struct split_command split;
	int status;
	bool has_ended_line;		/* the line was ended after a signal */
	bool has_no_trace;		/* a signal came before tracing began */
	bool has_told_output;		/* was told that output fails */
	VEC(const char *) types;	/* -T */
	const struct dif_pdesc *listed; /* for list.c: the pattern */
	struct dt_listing *listing;
	struct strbuf row; /* of the listing */
};

/* A step's result for "go on"; other results are exit statuses. */
#define GO_ON (-1)

#endif
