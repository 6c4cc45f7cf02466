/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef FLEET_REQUEST_IMPL_H
#define FLEET_REQUEST_IMPL_H

/*
 * The bytes of a request:
 *
 *	magic (8) | author's public key (32) | field | ... | signature (64)
 *	field: number (2), length (4), bytes; little-endian
 *
 * The signature is over everything before it.  Fields are in the order of
 * request.def.
 */
#include "base/str.h"
#include "fleet/request.h"

#define FL_MAGIC "DTFLRQ\r\1"
#define FL_MAGIC_SIZE 8
#define FL_HEAD_SIZE (FL_MAGIC_SIZE + FL_PUBLIC_SIZE)
#define FL_SIGNATURE_SIZE 64

/* Append the fields.  What fl_request_decode() refuses is refused here. */
CHECKED int fl_request_encode(
    const struct fl_request *rq, struct strbuf *out, struct err *err);
/* Decode the fields into rq->memory; rq is fresh. */
CHECKED int fl_request_decode(
    const uint8_t *bytes, size_t n, struct fl_request *rq, struct err *err);

#endif
