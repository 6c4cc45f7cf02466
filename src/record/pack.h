/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef RECORD_PACK_H
#define RECORD_PACK_H

/*
 * Packed events: the items of a block, in which a record is what differs from
 * the last one of its EPID (doc/formats.md, "Packed events").
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "record/format.h"

struct record_packer;

struct record_packer *record_packer_create(void);
void record_packer_destroy(struct record_packer *p);
/* A block begins: forget the records of earlier ones. */
void record_pack_begin(struct record_packer *p);
/* Append a record of e->size bytes: in the raw bytes, it is a whole item. */
void record_pack_data(struct record_packer *p, struct strbuf *out,
    const struct record_e_data *e, const void *data);
/* Append another item, with its header and padding. */
void record_pack_item(struct strbuf *out, const void *item, size_t len);

/*
 * Unpack into the `len` bytes at `raw`.  The packed bytes are hostile; false:
 * they do not stand for exactly so many.
 */
bool record_unpack(const char *packed, size_t n, char *raw, size_t len);

#endif
