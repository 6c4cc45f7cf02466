/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_CONFINE_IMPL_H
#define BASE_CONFINE_IMPL_H

/* Shared by the two sides of base/confine.h. */
#include "base/confine.h"

enum confine_kind {
	CONFINE_JOB,  /* to the child, with two descriptors: file and answer */
	CONFINE_FILE, /* to the child, with the requested descriptor or none */
	CONFINE_OPEN, /* from the child, like those below */
	CONFINE_DONE,
	CONFINE_READY,	 /* the child has given up its privileges */
	CONFINE_FAILED,	 /* text: the reason; code: -EIO, or another -errno */
	CONFINE_UNREADY, /* the child lacks libraries for the job */
};

struct confine_msg {
	uint32_t kind;
	uint32_t len; /* of the text */
	int32_t code;
	confine_job_f *run;
	bool (*is_ready)(void);
	uint64_t max; /* analysismax */
	char text[CONFINE_ARG_MAX + 1];
};

/*
 * False: the other side has ended.  confine_receive() terminates the text, and
 * sets descriptors that did not come to -1.
 */
bool confine_send(
    int sock, const struct confine_msg *m, const int *fds, size_t nfds);
bool confine_receive(int sock, struct confine_msg *m, int *fds, size_t nfds);

/*
 * Runs in the child: give up privileges, then do jobs until the channel is
 * closed.
 */
void confine_serve(int sock, uint64_t max) __attribute__((noreturn));

#endif
