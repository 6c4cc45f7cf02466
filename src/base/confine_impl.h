/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_CONFINE_IMPL_H
#define BASE_CONFINE_IMPL_H

/* Shared by the two sides of base/confine.h. */
#include "base/confine.h"

enum confine_kind {
	CONFINE_JOB,  /* to the child; with the file, and the answer's */
	CONFINE_FILE, /* to the child; with what it has asked for, or none */
	CONFINE_OPEN, /* from the child, as all that follow */
	CONFINE_DONE,
	CONFINE_FAILED,	 /* text: why */
	CONFINE_UNREADY, /* it lacks what the job needs */
};

struct confine_msg {
	uint32_t kind;
	uint32_t len; /* of text */
	confine_job_f *run;
	bool (*is_ready)(void);
	uint64_t max; /* analysismax */
	char text[CONFINE_ARG_MAX + 1];
};

/* False: the other side has gone.  A text that was received has an end; of
 * descriptors there are as many as came, -1 where there is none. */
bool confine_send(
    int sock, const struct confine_msg *m, const int *fds, size_t nfds);
bool confine_receive(int sock, struct confine_msg *m, int *fds, size_t nfds);

/* The child: give up everything, then do jobs until the channel is closed. */
void confine_serve(int sock, uint64_t max) __attribute__((noreturn));

#endif
