/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONSUME_FOLDED_H
#define CONSUME_FOLDED_H

#include "consume/event.h"

/* Append the keys of a row, each behind a `;`: oformat=folded, flame. */
void folded_keys(const dtrace_event_t *ev, struct strbuf *sb);

#endif
