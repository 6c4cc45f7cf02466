/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packed events: whatever bytes a block has come back as they were, and hostile
 * packed bytes are refused or make a block of the right size.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "base/mem.h"
#include "base/str.h"
#include "record/format.h"
#include "record/pack.h"

#define ROUNDS 300
#define ITEMS 60
#define MIX 2654435761U

static uint32_t
next(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed * MIX >> 8;
}

/* A block: its raw bytes, and these packed. */
struct block {
	struct record_packer *packer;
	struct strbuf raw, packed;
};

static void
begin(struct block *b)
{
	if (b->packer == NULL)
		b->packer = record_packer_create();
	strbuf_reset(&b->raw);
	strbuf_reset(&b->packed);
	record_pack_begin(b->packer);
}

static void
fini(struct block *b)
{
	record_packer_destroy(b->packer);
	strbuf_fini(&b->raw);
	strbuf_fini(&b->packed);
}

static void
add_padded(struct strbuf *sb, const void *data, size_t len)
{
	static const char zeroes[8];

	strbuf_add(sb, data, len);
	strbuf_add(sb, zeroes, (8 - len % 8) % 8);
}

/* The bytes behind `data` must not be read: it is an own copy. */
static void
add_record(struct block *b, const struct record_e_data *e, const void *data)
{
	struct record_item item = { RECORD_DATA, 0,
		(uint32_t)sizeof(*e) + e->size };
	char *copy = mem_alloc(e->size + 1);

	memcpy(copy, data, e->size);
	copy = realloc(copy, e->size != 0 ? e->size : 1);
	record_pack_data(b->packer, &b->packed, e, copy);
	free(copy);
	strbuf_add(&b->raw, &item, sizeof(item));
	strbuf_add(&b->raw, e, sizeof(*e));
	add_padded(&b->raw, data, e->size);
}

/* The record's own header: EPID, and the time's halves. */
static void
set_header(char *data, const struct record_e_data *e)
{
	uint32_t head[3] = { e->epid, (uint32_t)(e->time_ns >> 32),
		(uint32_t)e->time_ns };

	memcpy(data, head, e->size < sizeof(head) ? e->size : sizeof(head));
}

/* Records of all sizes and EPIDs, some of which repeat the one before. */
static void
add_any_record(struct block *b, uint32_t *seed)
{
	static char data[10000];
	struct record_e_data e = { .time_ns = next(seed),
		.epid = next(seed) % 3 != 0 ? next(seed) % 4 : next(seed),
		.next_epid = next(seed) % 4,
		.cpu = next(seed) % 2,
		.size = next(seed) % 8 != 0 ? next(seed) % 70 :
					      next(seed) % 10000 };

	if (next(seed) % 8 == 0)
		e.time_ns = (uint64_t)next(seed) << 40 | next(seed);
	for (uint32_t n = next(seed) % 9; n > 0; n--)
		data[next(seed) % sizeof(data)] = (char)next(seed);
	if (next(seed) % 4 != 0)
		set_header(data, &e);
	add_record(b, &e, data);
}

static void
add_other(struct block *b, uint32_t *seed)
{
	struct record_item item = { (uint16_t)(2 + next(seed) % 11), 0,
		next(seed) % 50 };
	char payload[50];
	size_t at = b->raw.len;

	for (size_t i = 0; i < sizeof(payload); i++)
		payload[i] = (char)next(seed);
	strbuf_add(&b->raw, &item, sizeof(item));
	add_padded(&b->raw, payload, item.len);
	record_pack_item(&b->packed, b->raw.s + at, b->raw.len - at);
}

static void
add_items(struct block *b, uint32_t *seed)
{
	for (uint32_t n = next(seed) % ITEMS; n > 0; n--) {
		if (next(seed) % 10 == 0)
			add_other(b, seed);
		else
			add_any_record(b, seed);
	}
}

static void
test_round_trips(void **state)
{
	struct block b = { 0 };
	uint32_t seed = 1;

	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		char *again;

		begin(&b);
		add_items(&b, &seed);
		again = mem_alloc(b.raw.len + 1);
		assert_true(
		    record_unpack(b.packed.s, b.packed.len, again, b.raw.len));
		if (b.raw.len != 0)
			assert_memory_equal(again, b.raw.s, b.raw.len);
		free(again);
	}
	fini(&b);
}

/* Records as `trace(arg0)` makes them take a few bytes each. */
static void
add_counter(struct block *b, uint64_t i)
{
	struct record_e_data e = { .time_ns = (UINT64_C(7) << 32) + 1000 * i,
		.epid = 5,
		.next_epid = 5,
		.size = 24 };
	uint64_t data[3] = { 0, 0, i };

	set_header((char *)data, &e);
	add_record(b, &e, data);
}

static void
test_size(void **state)
{
	struct block b = { 0 };

	(void)state;
	begin(&b);
	for (uint64_t i = 0; i < 1000; i++)
		add_counter(&b, i);
	assert_in_range(b.packed.len, 1000, 7 * 1000);
	fini(&b);
}

/* No part of packed bytes stands for the whole. */
static void
test_cut(void **state)
{
	struct block b = { 0 };
	uint32_t seed = 3;
	char *again;

	(void)state;
	begin(&b);
	while (b.raw.len < 2000)
		add_items(&b, &seed);
	again = mem_alloc(b.raw.len);
	for (size_t n = 0; n < b.packed.len; n++) {
		/* what is behind the end must not be read: an own copy */
		char *part = mem_alloc(n + 1);

		memcpy(part, b.packed.s, n);
		part = realloc(part, n != 0 ? n : 1);
		assert_false(record_unpack(part, n, again, b.raw.len));
		free(part);
	}
	assert_false(
	    record_unpack(b.packed.s, b.packed.len, again, b.raw.len - 1));
	free(again);
	fini(&b);
}

static void
test_hostile(void **state)
{
	struct block b = { 0 };
	uint32_t seed = 4;
	size_t nrefused = 0;
	char *again;

	(void)state;
	begin(&b);
	while (b.raw.len < 4000)
		add_items(&b, &seed);
	again = mem_alloc(b.raw.len);
	for (int i = 0; i < 20 * ROUNDS; i++) {
		char *bytes = mem_alloc(b.packed.len);

		memcpy(bytes, b.packed.s, b.packed.len);
		for (uint32_t n = next(&seed) % 5; n > 0; n--)
			bytes[next(&seed) % b.packed.len] = (char)next(&seed);
		nrefused +=
		    !record_unpack(bytes, b.packed.len, again, b.raw.len);
		free(bytes);
	}
	assert_true(nrefused > ROUNDS);
	free(again);
	fini(&b);
}

/* Steps that cannot be. */
static void
test_refused(void **state)
{
	static const struct {
		const char *bytes;
		size_t n;
	} refused[] = {
		{ "\x20", 1 },	   /* no step */
		{ "\x02\x01", 2 }, /* neither */
		{ "\x00\x00", 2 }, /* a literal of no bytes */
		{ "\x00\x09"
		  "12345678",
		    10 },		   /* longer than it is */
		{ "\x11\x81\x20\x00", 4 }, /* a record of 4097 bytes */
		{ "\x03\xff\xff\xff\xff\x1f\x00", 7 }, /* EPID of 33 bits */
		{ "\x11\x08\x00\x02\x01\x01", 6 },     /* word 1 of one */
		{ "\x01\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 12 },
		{ "\x11\x08\x00\x01\x06"
		  "123456",
		    11 }, /* a word of 6 bytes */
	};
	char raw[64];

	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		assert_false(record_unpack(
		    refused[i].bytes, refused[i].n, raw, sizeof(raw)));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trips),
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
