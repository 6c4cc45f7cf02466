/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROVIDER_TRACEPOINT_H
#define PROVIDER_TRACEPOINT_H

/* Facts about a tracepoint besides its name, which is the probe's name. */
#include "provider/provider.h"

/* The tracepoint's typedef in the BTF of vmlinux; 0: it is a module's.  For
 * DT_PROBE_TRACEPOINT. */
uint32_t dt_tracepoint_btf_id(const struct dt_probe *p);

#endif
