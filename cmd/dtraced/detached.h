/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DTRACED_DETACHED_H
#define DTRACED_DETACHED_H

/*
 * Detached runs of an agent (fleet/detached.h): a run goes on without a
 * console, and is taken up again when the agent is restarted.
 */
#include "dtraced/agent.h"

/* Subscribe to what comes while the agent is connected. */
CHECKED int detached_open(struct agent *a, struct err *err);
void detached_close(struct agent *a);
/* A letter on a subject of the stream: it is looked at soon. */
void detached_letter(struct agent *a, const struct fl_letter *letter);
/* Now and then, and behind a lost connection: what the server has kept. */
void detached_look(struct agent *a);
/* May this host begin the detached run? */
CHECKED int detached_check(
    const struct agent *a, const struct fl_request *rq, struct err *err);
/* The run has ended.  It is not taken up again, unless the agent ends it. */
void detached_end(struct agent *a, const struct run *r);

#endif
