/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t
clock_read_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* The monotonic time, in which timestamps are given. */
static inline uint64_t
now_ns(void)
{
	return clock_read_ns(CLOCK_MONOTONIC);
}

/* Nanoseconds to add to now_ns() to get the date. */
static inline uint64_t
wall_offset_ns(void)
{
	uint64_t now = now_ns();

	return clock_read_ns(CLOCK_REALTIME) - now;
}

#endif
