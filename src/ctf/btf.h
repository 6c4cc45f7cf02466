/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CTF_BTF_H
#define CTF_BTF_H

/*
 * BTF as it is in the file, with look-ups of types by number and by name.
 *
 * A blob is hostile.  Before a record is returned, it is checked to be within
 * the blob, and its name within the strings; types end before the first record
 * that fails.  The meaning of records is not checked: numbers of types may have
 * any value, and types may contain themselves.
 *
 * The BTF of a module continues that of vmlinux: its types' numbers and its
 * strings' offsets begin where those of the base end.  (Layout:
 * Documentation/bpf/btf.rst; <linux/btf.h>.)
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/btf.h>

#include "base/err.h"
#include "base/str.h"

#define BTF_NKINDS (BTF_KIND_ENUM64 + 1)

/*
 * Length of the header up to `str_len`, which every kernel's BTF has.
 * <linux/btf.h> of Linux 7 adds members behind it.
 */
#define BTF_HEADER_LEN (offsetof(struct btf_header, str_len) + sizeof(uint32_t))

struct btf_blob;

/*
 * Open a file; `base` is the blob that it continues, or NULL, and must outlive
 * it.  Returns NULL with *err if it cannot be read or is malformed.
 */
CHECKED struct btf_blob *btf_blob_open(
    const char *path, struct btf_blob *base, struct err *err);
/* btf_blob_open() for bytes in memory, which are copied. */
CHECKED struct btf_blob *btf_blob_copy(
    const void *data, size_t len, struct btf_blob *base, struct err *err);
void btf_blob_close(struct btf_blob *b);

/*
 * The fault of the record after the last good one; NULL: none found yet.
 */
const char *btf_blob_problem(const struct btf_blob *b);

/*
 * A blob's own types have numbers first <= id < end; lower ones are the base's.
 */
uint32_t btf_blob_first(const struct btf_blob *b);
uint32_t btf_blob_end(struct btf_blob *b);
/* Type `id`, of the blob or its base; NULL for void (0) and beyond the end. */
const struct btf_type *btf_blob_type(struct btf_blob *b, uint32_t id);
/* The string at an offset; "" beyond the end. */
const char *btf_blob_name(struct btf_blob *b, uint32_t off);
/*
 * The first own type of that kind and name, or 0.
 */
uint32_t btf_blob_find(struct btf_blob *b, unsigned kind, const char *name);

/*
 * Bit offset of a member of the struct (or typedef of one) of that name;
 * searches unnamed members too; -1: none.
 */
int64_t btf_blob_member(
    struct btf_blob *b, const char *type, const char *member);

/*
 * Append the type in C ("const struct file *"); false, and nothing appended, if
 * C has no name for it.
 */
bool btf_type_text(struct btf_blob *b, uint32_t id, struct strbuf *out);

static inline unsigned
btf_type_kind(const struct btf_type *t)
{
	return BTF_INFO_KIND(t->info);
}

static inline uint32_t
btf_type_vlen(const struct btf_type *t)
{
	return BTF_INFO_VLEN(t->info);
}

/* The data behind the record: members, parameters, ... */
static inline const void *
btf_type_tail(const struct btf_type *t)
{
	return t + 1;
}

#endif
