/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_KMSG_H
#define BASE_KMSG_H

/*
 * Faults that end processes, as the kernel's log tells them.
 *
 * The kernel writes a line when a thread gets SIGSEGV, SIGILL, SIGTRAP or
 * SIGBUS for what it did and has no handler.  That line is the only witness
 * once the process has gone.  Root reads the log; others may not on most
 * systems (kernel.dmesg_restrict).  Processes choose their names, which are in
 * these lines: what is read here is for messages only.
 */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/mem.h"

struct kmsg_fault {
	pid_t tid;
	uint64_t ip, sp;
	char module[64]; /* the file's name without its folder; "": none */
	bool has_off;	 /* newer kernels say it */
	uint64_t off;	 /* of ip in that file, if has_off */
	char code[256];	 /* the bytes around ip, in hex; "": not told */
	bool is_told;	 /* for the caller */
};
struct kmsg_faults {
	VEC(struct kmsg_fault) v;
};

/* A descriptor for what is logged from now on, or -errno: also where the log
 * has other numbers for processes than we have. */
int kmsg_open(void);
/* Append the faults that were logged since the last time. */
void kmsg_read(int fd, struct kmsg_faults *out);
/* One line, without what precedes the text.  False: it tells no fault. */
bool kmsg_parse(const char *line, struct kmsg_fault *f);

#endif
