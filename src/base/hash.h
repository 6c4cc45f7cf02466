/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* For tables in memory only; never store the value. */
uint64_t hash_bytes(const void *data, size_t len);

#endif
