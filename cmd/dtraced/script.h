/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DTRACED_SCRIPT_H
#define DTRACED_SCRIPT_H

/*
 * A script in a process of its own: a child that traces by the published
 * library, and records into a pipe.  The child ends when the agent does.
 */
#include <sys/types.h>

#include "base/err.h"
#include "dtrace.h"
#include "fleet/request.h"

struct script {
	pid_t pid;
	int pidfd;
	int data_fd;  /* its recording */
	int told_fd;  /* lines of its standard error */
	int state_fd; /* SCRIPT_TRACES, or the reason why it does not trace */
};

#define SCRIPT_TRACES '+' /* the script traces; anything else is a reason */

/* The child's descriptors beside the standard ones. */
enum { SCRIPT_DATA_FD = 3, SCRIPT_STATE_FD = 4 };
/* The work of a child; returns the child's exit status. */
typedef int script_body_f(void *arg);
/* Run f in a child: 0, or -errno with *err. */
CHECKED int script_spawn(
    script_body_f *f, void *arg, struct script *out, struct err *err);
/* In the child: report why it does not trace; or, once, that it does. */
void script_say(const char *text);
void script_say_begun(void);

/* 0, or -errno with *err. */
CHECKED int script_start(const struct fl_request *rq,
    const struct fl_host *host, struct script *out, struct err *err);

/* Option fleetlabel: the values of label() in scripts.  0, or -1. */
CHECKED int script_set_labels(dtrace_hdl_t *h, const struct fl_host *host);

#endif
