/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DTRACED_DETACHED_H
#define DTRACED_DETACHED_H

/*
 * Detached runs of an agent (fleet/detached.h): a run goes on without a
 * console, and is taken up again when the agent is restarted.
 */
#include "dtraced/agent.h"

/* Subscribe to the subjects of detached runs. */
CHECKED int detached_open(struct agent *a, struct err *err);
void detached_close(struct agent *a);
/* A letter has come.  If it is for the stream, read the stream soon. */
void detached_letter(struct agent *a, const struct fl_letter *letter);
/* Read the stream, if it is time or the connection was lost meanwhile. */
void detached_look(struct agent *a);
/* May this host begin the detached run? */
CHECKED int detached_check(
    const struct agent *a, const struct fl_request *rq, struct err *err);
/* The run has ended.  It is not taken up again, unless the agent ends it. */
void detached_end(struct agent *a, const struct run *r);

#endif
