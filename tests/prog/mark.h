/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_PROG_MARK_H
#define TESTS_PROG_MARK_H

/*
 * A mark is a system call that has no effect and that no library makes.
 *
 * getpriority() of an unknown kind fails with EINVAL after examining only
 * `which`, so a test may use the other argument registers for its own values:
 *
 *	syscall::getpriority:entry /arg0 == 0x7001/ { arg1 .. arg5 }
 */
#include <sys/syscall.h>
#include <unistd.h>

#define MARK_WHICH 0x7001L
#define MARK(a, b, c, d, e)                                                    \
	syscall(SYS_getpriority, MARK_WHICH, (long)(a), (long)(b), (long)(c),  \
	    (long)(d), (long)(e))
#define MARK1(a) MARK(a, 0, 0, 0, 0)

#endif
