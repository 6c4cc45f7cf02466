/* SPDX-License-Identifier: BSD-2-Clause */
/* A tracepoint of LTTng-UST with two arguments.  LTTng's headers read this file
 * several times. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER bench
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "lttng_record.h"

#if !defined(BENCH_LTTNG_RECORD_H) ||                                          \
    defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define BENCH_LTTNG_RECORD_H

#include <lttng/tracepoint.h>
#include <stdint.h>

LTTNG_UST_TRACEPOINT_EVENT(bench, record,
    LTTNG_UST_TP_ARGS(uint64_t, a, const void *, p),
    LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint64_t, a, a)
	    lttng_ust_field_integer_hex(uint64_t, p, (uint64_t)(uintptr_t)p)))

#endif

#include <lttng/tracepoint-event.h>
