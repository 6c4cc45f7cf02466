/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef FMT_PERCENTS_H
#define FMT_PERCENTS_H

/*
 * Lists of percents: of option aggpct, and of percentile(), whose list is
 * packed into the parameter word of an aggregating action.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

#define PERCENTS_MAX 8
struct percents {
	uint32_t n, v[PERCENTS_MAX]; /* in thousandths of a percent */
};

/* Parse "50,90,99.9".  False: it has another form, or a number out of range. */
bool pf_percents_parse(const char *s, struct percents *out);

/* "p99.9": without zeros at the end. */
void pf_percent_format(struct strbuf *sb, uint32_t percent);

/*
 * The word has a code of 12 bits for each percent, the first one lowest, and 0
 * ends them:
 *
 *	1 to 1000	0.1 to 100, in tenths
 *	1001 to 2000	90.01 to 100, in hundredths
 *	2001 to 3000	99.001 to 100, in thousandths
 *	3001 to 3999	0.001 to 0.999, in thousandths
 *
 * A percent with several codes has the lowest.
 */
#define PERCENTS_PACKED_MAX 5

/* False: there are none, or too many, or one has no code. */
bool pf_percents_pack(const struct percents *p, uint64_t *word);
/* False: the word was not made by pf_percents_pack(). */
bool pf_percents_unpack(uint64_t word, struct percents *out);

#endif
