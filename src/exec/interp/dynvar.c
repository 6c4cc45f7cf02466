/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Associative arrays: a chained hash table in a pool of fixed size.
 *
 *	element: | header | value, 8-aligned | key |
 *
 * Offsets in the pool take the place of pointers; 0 is none, since the pool's
 * first bytes are never given out.  The key says which array it belongs to.
 */
#include "exec/interp/interp_impl.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define ELEM_MIN_CLASS 5 /* 32 bytes: the header fits */
#define ELEM_AVERAGE 64	 /* a bucket for so many bytes of pool */
#define POOL_MAX (1U << 31)

struct elem {
	uint32_t next;
	uint32_t hash;
	uint32_t value_size, key_len;
	uint32_t class;
	uint32_t pad;
};

static struct elem *
elem_at(const struct in_dynvars *d, uint32_t off)
{
	return (struct elem *)(void *)(d->pool + off);
}

static uint8_t *
elem_value(struct elem *e)
{
	return (uint8_t *)(e + 1);
}

static bool
elem_matches(struct elem *e, uint32_t hash, const uint8_t *key, uint32_t len)
{
	return e->hash == hash && e->key_len == len &&
	    memcmp(elem_value(e) + e->value_size, key, len) == 0;
}

/* The link that leads to the element with this key, or to the chain's end. */
static uint32_t *
find_link(struct in_dynvars *d, uint32_t hash, const uint8_t *key, uint32_t len)
{
	uint32_t *link = &d->buckets[hash & (d->nbuckets - 1)];

	while (*link != 0 && !elem_matches(elem_at(d, *link), hash, key, len))
		link = &elem_at(d, *link)->next;
	return link;
}

uint8_t *
in_dyn_find(struct in_dynvars *d, const uint8_t *key, uint32_t len)
{
	uint32_t *link = find_link(d, (uint32_t)hash_bytes(key, len), key, len);

	return *link != 0 ? elem_value(elem_at(d, *link)) : NULL;
}

static uint32_t
class_of(uint64_t size)
{
	uint32_t class = ELEM_MIN_CLASS;

	while ((uint64_t)1 << class < size)
		class ++;
	return class;
}

/* Offset of a free element, or 0. */
static uint32_t
elem_take(struct in_dynvars *d, uint32_t class)
{
	uint32_t off;

	if (class >= IN_POOL_CLASSES)
		return 0;
	off = d->free[class];
	if (off != 0) {
		d->free[class] = elem_at(d, off)->next;
		return off;
	}
	if ((uint64_t)1 << class > d->size - d->used)
		return 0;
	off = d->used;
	d->used += 1U << class;
	return off;
}

uint8_t *
in_dyn_create(
    struct in_dynvars *d, const uint8_t *key, uint32_t len, uint32_t value_size)
{
	uint32_t hash = (uint32_t)hash_bytes(key, len);
	uint32_t *link = find_link(d, hash, key, len), class;
	struct elem *e;

	if (*link != 0)
		return elem_value(elem_at(d, *link));
	value_size = (value_size + 7) & ~7U;
	class = class_of(sizeof(*e) + (uint64_t)value_size + len);
	*link = elem_take(d, class);
	if (*link == 0) {
		d->drops++;
		return NULL;
	}
	e = elem_at(d, *link);
	*e = (struct elem){ .hash = hash,
		.value_size = value_size,
		.key_len = len,
		.class = class };
	memset(elem_value(e), 0, value_size);
	memcpy(elem_value(e) + value_size, key, len);
	return elem_value(e);
}

void
in_dyn_delete(struct in_dynvars *d, const uint8_t *key, uint32_t len)
{
	uint32_t *link = find_link(d, (uint32_t)hash_bytes(key, len), key, len);
	uint32_t off = *link;
	struct elem *e;

	if (off == 0)
		return;
	e = elem_at(d, off);
	*link = e->next;
	e->next = d->free[e->class];
	d->free[e->class] = off;
}

bool
in_dyn_init(struct in_dynvars *d, uint64_t size)
{
	void *p;

	if (size < 1U << ELEM_MIN_CLASS)
		size = 1U << ELEM_MIN_CLASS;
	if (size > POOL_MAX)
		return false;
	/* untouched pages cost nothing */
	p = mmap(NULL, size, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return false;
	d->pool = p;
	d->size = (uint32_t)size;
	d->used = 1U << ELEM_MIN_CLASS;
	d->nbuckets = 16;
	while (d->nbuckets < size / ELEM_AVERAGE && d->nbuckets < 1U << 16)
		d->nbuckets *= 2;
	d->buckets = mem_alloc(d->nbuckets * sizeof(*d->buckets));
	return true;
}

void
in_dyn_fini(struct in_dynvars *d)
{
	if (d->pool != NULL)
		munmap(d->pool, d->size);
	free(d->buckets);
}
