/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print() and JSON: printing ends for any types, over data of any length.
 * Types come from files that may contain anything: members beyond their struct,
 * arrays without end, structs that contain themselves.
 *
 * Input: a byte n, n bytes of data, then instructions that make types; the last
 * instruction's type is printed.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/vec.h"
#include "consume/event.h"
#include "consumer.h"

#define TYPES_MAX 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
	const uint8_t *p, *end;
};

static uint32_t
next(struct input *in)
{
	return in->p < in->end ? *in->p++ : 0;
}

static uint32_t
next32(struct input *in)
{
	uint32_t v = 0;

	for (int i = 0; i < 4; i++)
		v = v << 8 | next(in);
	return v;
}

/* Types made so far; the first is int. */
struct types {
	struct ctf_graph g;
	struct ctf_type *v[TYPES_MAX];
	uint32_t n;
};

static struct ctf_type *
pick(struct types *ts, struct input *in)
{
	return ts->v[next(in) % ts->n];
}

static struct ctf_type *
make_number(struct types *ts, struct input *in, enum ctf_kind kind)
{
	struct ctf_type *t = ctf_new(&ts->g, kind);

	t->name = "number";
	t->size = next(in);
	t->encoding = next(in);
	return t;
}

static struct ctf_type *
make_enum(struct types *ts, struct input *in)
{
	struct ctf_type *t = ctf_new(&ts->g, CTF_K_ENUM);
	uint32_t n = next(in) % 8;

	t->size = next(in);
	for (uint32_t i = 0; i < n; i++)
		VEC_PUSH(&t->enums,
		    (struct ctf_enumerator){ "E", (int8_t)next(in) });
	return t;
}

/* Make a struct, which contains itself if the input says so. */
static struct ctf_type *
make_struct(struct types *ts, struct input *in, enum ctf_kind kind)
{
	struct ctf_type *t = ctf_new(&ts->g, kind);
	uint32_t n = next(in) % 16;

	t->name = next(in) % 2 ? "s" : NULL;
	t->size = next32(in);
	t->is_incomplete = next(in) == 1;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t flags = next(in);
		struct ctf_member m = { .name = flags & 1 ? "m" : NULL,
			.type = flags & 2 ? t : pick(ts, in),
			.bit_off = next(in),
			.bits = flags & 4 ? next(in) : 0 };

		if (flags & 8)
			m.bit_off <<= next(in) % 64;
		VEC_PUSH(&t->members, m);
	}
	return t;
}

static struct ctf_type *
make_type(struct types *ts, struct input *in)
{
	switch (next(in) % 9) {
	case 0:
		return make_number(ts, in, CTF_K_INTEGER);
	case 1:
		return make_number(ts, in, CTF_K_FLOAT);
	case 2:
		return ctf_pointer(&ts->g, pick(ts, in), next(in) % 2);
	case 3:
		return ctf_array(&ts->g, pick(ts, in), next32(in));
	case 4:
		return make_struct(ts, in, CTF_K_STRUCT);
	case 5:
		return make_struct(ts, in, CTF_K_UNION);
	case 6:
		return make_enum(ts, in);
	case 7:
		return ctf_qualified(&ts->g, pick(ts, in), CTF_K_CONST);
	default:
		return ts->g.t_string;
	}
}

static void
print_both(struct ctf_type *t, const char *data, uint32_t size)
{
	struct consumer *c = the_consumer();
	struct dif_action act = { .kind = DT_ACT_DIFEXPR, .type = t };
	struct plan_rec rec = {
		.size = size, .store = PLAN_BYTES, .src = &act
	};
	struct datum d = { .rec = &rec, .data = data };
	dtrace_value_t val;
	struct arena a;

	datum_print(c, &d, t);
	strbuf_reset(&c->buf);
	arena_init(&a);
	val = value_datum(c, &a, &d);
	json_datum(&c->buf, &val);
	arena_fini(&a);
	strbuf_reset(&c->buf);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, data + size };
	struct types ts = { .n = 1 };
	uint32_t n = next(&in);
	char *bytes;

	if (n > (size_t)(in.end - in.p))
		return 0;
	bytes = malloc(n != 0 ? n : 1); /* exact, for ASan to see overruns */
	if (n != 0)
		memcpy(bytes, in.p, n);
	in.p += n;
	ctf_graph_init(&ts.g);
	ts.v[0] = ts.g.t_int;
	while (in.p < in.end && ts.n < TYPES_MAX) {
		ts.v[ts.n] = make_type(&ts, &in);
		ts.n++;
	}
	print_both(ts.v[ts.n - 1], bytes, n);
	ctf_graph_fini(&ts.g);
	free(bytes);
	return 0;
}
