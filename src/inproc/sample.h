/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef INPROC_SAMPLE_H
#define INPROC_SAMPLE_H

/*
 * Stop one thread for some microseconds, to see where it is or to send it
 * elsewhere:
 *
 *	if (inproc_sample_ask(tid))
 *		poll until the answer is not WAIT
 *	HERE: inproc_sample_send() or inproc_sample_pass()
 *
 * The thread gets no signal, and its system call is not disturbed: a thread
 * that waits in one is let go again.  Make all calls from one thread of dtrace,
 * and not while enter.h's functions stop the process.
 */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

bool inproc_sample_ask(pid_t tid);

enum inproc_sampled {
	INPROC_SAMPLE_WAIT,   /* not stopped yet: ask again */
	INPROC_SAMPLE_PASSED, /* it runs on, or has ended */
	INPROC_SAMPLE_HERE,   /* stopped, with these registers */
};
enum inproc_sampled inproc_sample_poll(
    pid_t pid, pid_t tid, struct user_regs_struct *regs);
void inproc_sample_pass(pid_t tid);
/*
 * The thread goes on with other registers, as if it had not been in a system
 * call.
 */
void inproc_sample_send(pid_t tid, struct user_regs_struct *regs);

#endif
