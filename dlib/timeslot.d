/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A key of time: @[timeslot(1s)] = count() has a row for each second.
 *
 * The value is the time at which the current interval began, as walltimestamp,
 * so that %Y prints it and intervals of all CPUs and hosts have the same
 * bounds.
 */
inline int64_t timeslot[int64_t interval] =
    walltimestamp / interval * interval;
