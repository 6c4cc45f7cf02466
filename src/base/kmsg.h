/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_KMSG_H
#define BASE_KMSG_H

/*
 * Faults that end processes, from the kernel's log.
 *
 * The kernel logs a line when a fault raises SIGSEGV, SIGILL, SIGTRAP or SIGBUS
 * in a thread without a handler.  Once the process has ended, that line is all
 * that is left.  Root reads the log; on most systems other users may not
 * (kernel.dmesg_restrict).  The lines contain process names, which processes
 * choose: use them in messages only.
 */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/vec.h"

struct kmsg_fault {
	pid_t tid;
	uint64_t ip, sp;
	char module[64]; /* the file's name without its folder; "": none */
	bool has_off;	 /* newer kernels log it */
	uint64_t off;	 /* offset of ip in that file, if has_off */
	char code[256];	 /* the bytes around ip, in hex; "": not logged */
	bool is_told;	 /* for the caller: already reported */
};
struct kmsg_faults {
	VEC(struct kmsg_fault) v;
};

/*
 * A descriptor for faults logged from now on, or -errno; -errno also if the log
 * numbers processes differently from ours.
 */
int kmsg_open(void);
/* Append the faults that were logged since the last call. */
void kmsg_read(int fd, struct kmsg_faults *out);
/* Parse one line, without its prefix. False: it is not about a fault. */
bool kmsg_parse(const char *line, struct kmsg_fault *f);

#endif
