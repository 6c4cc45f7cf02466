/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONSUME_UNITS_H
#define CONSUME_UNITS_H

/* Numbers with a unit, for people: option units. */
#include <stddef.h>
#include <stdint.h>

/* The choices of option units, in their order. */
enum units { UNITS_NONE, UNITS_NS, UNITS_US, UNITS_MS, UNITS_S, UNITS_BYTES };

#define UNITS_MAX 32 /* bytes of a text */

/*
 * Write the number in the largest unit of which it has at least one, with three
 * digits: 16384 ns is "16.4us", 16384 bytes are "16K".  UNITS_NONE: all digits.
 */
void out_units(int64_t v, enum units units, char *buf, size_t len);

#endif
