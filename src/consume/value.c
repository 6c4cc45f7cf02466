/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Data as values of include/dtrace.h, by their D types.
 *
 * Like print.c, this trusts neither types nor the length of a record.
 */
#include "consume/event.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/vec.h"

#define DEPTH_MAX 64

/*
 * The values made of one datum, at most.  A value takes about 100 bytes, and
 * stands for one byte of a record, or a bit: without a bound, a large record
 * would take a hundred times its own memory.
 */
#define BUDGET 65536

/* ---- simple values ------------------------------------------------------ */

char *
value_copy(struct arena *a, const void *data, size_t size)
{
	char *to = arena_alloc(a, size + 1);

	if (size != 0)
		memcpy(to, data, size);
	return to;
}

dtrace_value_t
value_int(const char *name, int64_t v)
{
	return (dtrace_value_t){
		.dtva_kind = DTRACE_VALUE_INT, .dtva_name = name, .dtva_int = v
	};
}

dtrace_value_t
value_uint(const char *name, uint64_t v)
{
	return (dtrace_value_t){ .dtva_kind = DTRACE_VALUE_UINT,
		.dtva_name = name,
		.dtva_uint = v };
}

dtrace_value_t
value_bytes(const char *name, const void *data, size_t size)
{
	return (dtrace_value_t){ .dtva_kind = DTRACE_VALUE_BYTES,
		.dtva_name = name,
		.dtva_data = data,
		.dtva_size = size };
}

dtrace_value_t
value_text(struct arena *a, const char *name, const char *s, size_t len)
{
	return (dtrace_value_t){ .dtva_kind = DTRACE_VALUE_STRING,
		.dtva_name = name,
		.dtva_data = arena_strndup(a, s, len),
		.dtva_size = len };
}

/* ---- values by their types ---------------------------------------------- */

/* The bytes of a value, and how they are read. */
struct value_reading {
	struct arena *a;
	const char *data;
	uint64_t size; /* bytes recorded */
	unsigned depth;
	uint64_t left; /* values that may still follow */
};

typedef VEC(dtrace_value_t) value_list;

static dtrace_value_t read_type(struct value_reading *rd, struct ctf_type *t,
    uint64_t bit_off, uint32_t bits);

static bool
is_there(const struct value_reading *rd, uint64_t bit_off, uint64_t bits)
{
	uint64_t have;

	if (__builtin_mul_overflow(rd->size, 8, &have))
		return false;
	return bit_off <= have && bits <= have - bit_off;
}

static int64_t
sign_extended(uint64_t v, uint32_t bits)
{
	return (int64_t)(v << (64 - bits)) >> (64 - bits);
}

static dtrace_value_t
read_number(const struct value_reading *rd, const struct ctf_type *t,
    uint64_t bit_off, uint32_t bits)
{
	uint64_t v = value_bits_load(rd->data, bit_off, bits);
	dtrace_value_t val;

	if (t->kind == CTF_K_INTEGER && (t->encoding & CTF_INT_BOOL) != 0)
		return (dtrace_value_t){ .dtva_kind = DTRACE_VALUE_BOOL,
			.dtva_uint = v != 0 };
	val = (t->encoding & CTF_INT_SIGNED) != 0 ?
	    value_int(NULL, sign_extended(v, bits)) :
	    value_uint(NULL, v);
	val.dtva_size = (bits + 7) / 8;
	return val;
}

static dtrace_value_t
read_enum(const struct value_reading *rd, const struct ctf_type *t,
    uint64_t bit_off, uint32_t bits)
{
	uint64_t v = value_bits_load(rd->data, bit_off, bits);
	const char *name = value_enum_name(t, v, bits);
	dtrace_value_t val = { .dtva_kind = DTRACE_VALUE_ENUM,
		.dtva_int = sign_extended(v, bits) };

	if (name != NULL) {
		val.dtva_size = strlen(name);
		val.dtva_data = arena_strndup(rd->a, name, val.dtva_size);
	}
	return val;
}

static dtrace_value_t
read_float(
    const struct value_reading *rd, const struct ctf_type *t, uint64_t bit_off)
{
	dtrace_value_t val = { .dtva_kind = DTRACE_VALUE_FLOAT,
		.dtva_data = rd->data + bit_off / 8,
		.dtva_size = t->size };
	long double ld;
	float f;

	if (t->size == sizeof(f)) {
		memcpy(&f, val.dtva_data, sizeof(f));
		val.dtva_float = (double)f;
	} else if (t->size == sizeof(val.dtva_float))
		memcpy(&val.dtva_float, val.dtva_data, sizeof(double));
	else {
		memcpy(&ld, val.dtva_data, sizeof(ld));
		val.dtva_float = (double)ld;
	}
	return val;
}

/* Are the bytes characters, followed only by NULs? */
static bool
array_is_text(const struct value_reading *rd, const struct ctf_type *t,
    uint64_t bit_off, size_t *lenp)
{
	const char *s;
	size_t n;

	if (!value_type_is_char(ctf_resolve(t->ref)) || bit_off % 8 != 0 ||
	    !is_there(rd, bit_off, t->nelems * 8))
		return false;
	s = rd->data + bit_off / 8;
	n = strnlen(s, t->nelems);
	*lenp = n;
	while (n < t->nelems && s[n] == '\0')
		n++;
	return n == t->nelems;
}

/* Make a struct of the list's values, which is freed. */
static dtrace_value_t
struct_of(const struct value_reading *rd, value_list *list)
{
	dtrace_value_t *elems = arena_alloc(rd->a, list->n * sizeof(*elems));
	dtrace_value_t val = { .dtva_kind = DTRACE_VALUE_STRUCT,
		.dtva_count = (uint32_t)list->n,
		.dtva_elems = elems };

	if (list->n != 0)
		memcpy(elems, list->v, list->n * sizeof(*elems));
	VEC_FREE(list);
	return val;
}

/* The elements of which at least a bit was recorded. */
static uint64_t
elements_there(const struct value_reading *rd, const struct ctf_type *t,
    uint64_t bit_off, uint64_t size)
{
	uint64_t n;

	if (size == 0 || size > UINT32_MAX || !is_there(rd, bit_off, 1))
		return 0;
	n = (rd->size * 8 - bit_off + size * 8 - 1) / (size * 8);
	return n < t->nelems ? n : t->nelems;
}

/* The recorded bytes of an array whose elements are beyond the budget. */
static dtrace_value_t
array_bytes(const struct value_reading *rd, uint64_t bit_off, uint64_t size)
{
	uint64_t off = bit_off / 8;

	if (bit_off % 8 != 0)
		return (dtrace_value_t){ .dtva_kind = DTRACE_VALUE_NONE };
	return value_bytes(NULL, rd->data + off,
	    size < rd->size - off ? size : rd->size - off);
}

static dtrace_value_t
read_array(struct value_reading *rd, const struct ctf_type *t, uint64_t bit_off)
{
	uint64_t size = ctf_resolve(t->ref)->size;
	uint64_t n = elements_there(rd, t, bit_off, size);
	dtrace_value_t *elems;
	size_t len;

	if (t->nelems <= rd->size && array_is_text(rd, t, bit_off, &len))
		return value_text(rd->a, NULL, rd->data + bit_off / 8, len);
	if (n > rd->left)
		return array_bytes(rd, bit_off, n * size);
	elems = arena_alloc(rd->a, n * sizeof(*elems));
	for (uint64_t i = 0; i < n; i++)
		elems[i] = read_type(rd, t->ref, bit_off + i * size * 8, 0);
	return (dtrace_value_t){ .dtva_kind = DTRACE_VALUE_ARRAY,
		.dtva_count = (uint32_t)n,
		.dtva_elems = elems };
}

/* Members of an anonymous struct or union become members of its owner. */
static void
read_members(struct value_reading *rd, const struct ctf_type *t,
    uint64_t bit_off, value_list *list)
{
	VEC_FOREACH(&t->members, m) {
		const struct ctf_type *mt = ctf_resolve(m->type);
		bool is_sou =
		    mt->kind == CTF_K_STRUCT || mt->kind == CTF_K_UNION;

		if (m->name != NULL) {
			dtrace_value_t val = read_type(
			    rd, m->type, bit_off + m->bit_off, m->bits);

			val.dtva_name = m->name;
			VEC_PUSH(list, val);
		} else if (is_sou && rd->depth < DEPTH_MAX && rd->left > 0) {
			rd->left--;
			rd->depth++;
			read_members(rd, mt, bit_off + m->bit_off, list);
			rd->depth--;
		}
	}
}

static dtrace_value_t
read_struct(
    struct value_reading *rd, const struct ctf_type *t, uint64_t bit_off)
{
	value_list list = { 0 };

	read_members(rd, t, bit_off, &list);
	return struct_of(rd, &list);
}

static dtrace_value_t
read_string(const struct value_reading *rd, uint64_t bit_off)
{
	uint64_t off = bit_off / 8;

	if (off > rd->size)
		return (dtrace_value_t){ .dtva_kind = DTRACE_VALUE_NONE };
	return value_text(rd->a, NULL, rd->data + off,
	    strnlen(rd->data + off, rd->size - off));
}

static bool
is_float(
    const struct value_reading *rd, const struct ctf_type *t, uint64_t bit_off)
{
	return t->kind == CTF_K_FLOAT &&
	    (t->size == sizeof(float) || t->size == sizeof(double) ||
		t->size == sizeof(long double)) &&
	    is_there(rd, bit_off, t->size * 8);
}

/* Is the value a recorded number of 1 to 64 bits? */
static bool
is_number(const struct value_reading *rd, const struct ctf_type *t,
    uint64_t bit_off, uint32_t bits)
{
	return (t->kind == CTF_K_INTEGER || t->kind == CTF_K_ENUM ||
		   t->kind == CTF_K_POINTER) &&
	    bits >= 1 && bits <= 64 && is_there(rd, bit_off, bits);
}

static dtrace_value_t
read_resolved(struct value_reading *rd, const struct ctf_type *t,
    uint64_t bit_off, uint32_t bits)
{
	if (is_number(rd, t, bit_off, bits))
		return t->kind == CTF_K_ENUM ?
		    read_enum(rd, t, bit_off, bits) :
		    read_number(rd, t, bit_off, bits);
	if (is_float(rd, t, bit_off))
		return read_float(rd, t, bit_off);
	if (t->kind == CTF_K_ARRAY)
		return read_array(rd, t, bit_off);
	if (t->kind == CTF_K_STRUCT || t->kind == CTF_K_UNION)
		return read_struct(rd, t, bit_off);
	if (t->kind == CTF_K_D_STRING)
		return read_string(rd, bit_off);
	return (dtrace_value_t){ .dtva_kind = DTRACE_VALUE_NONE };
}

static dtrace_value_t
read_type(struct value_reading *rd, struct ctf_type *t, uint64_t bit_off,
    uint32_t bits)
{
	const struct ctf_type *r = ctf_resolve(t);
	dtrace_value_t val;

	if (rd->depth == DEPTH_MAX || rd->left == 0 || r->is_incomplete ||
	    !is_there(rd, bit_off, 0))
		return (dtrace_value_t){ .dtva_kind = DTRACE_VALUE_NONE };
	rd->left--;
	rd->depth++;
	val = read_resolved(rd, r, bit_off,
	    bits != 0 ? bits : (uint32_t)(r->size < 16 ? r->size * 8 : 0));
	rd->depth--;
	return val;
}

/* ---- addresses ---------------------------------------------------------- */

static const char *
copy_name(struct arena *a, const char *name)
{
	return name != NULL ? arena_strdup(a, name) : NULL;
}

/* `name` is a helper's; "" if it has given none. */
static dtrace_frame_t
frame(struct arena *a, const struct symbol *sym, const char *name)
{
	dtrace_frame_t f = { .dtfr_address = sym->addr,
		.dtfr_module = copy_name(a, sym->module),
		.dtfr_symbol = copy_name(a, sym->name),
		.dtfr_offset = sym->offset };

	if (*name == '@')
		f.dtfr_annotation = copy_name(a, name + 1);
	else if (symbol_takes_name(sym, name))
		f.dtfr_helper = copy_name(a, name);
	return f;
}

static dtrace_value_t
stack(struct consumer *c, struct arena *a, const struct datum *d)
{
	bool is_user = d->rec->store == PLAN_USTACK;
	struct frames f = frames_of_stack(d);
	enum plan_limit limit = frames_limit(d, &f);
	dtrace_frame_t *frames = arena_alloc(a, f.n * sizeof(*frames));

	for (uint32_t i = 0; i < f.n; i++) {
		struct symbol sym = symbol_of_frame(c, d, &f, i);

		frames[i] = frame(a, &sym, frames_next_name(&f));
	}
	frames_note_full(c, &f, limit);
	return (dtrace_value_t){ .dtva_kind = is_user ? DTRACE_VALUE_USTACK :
							DTRACE_VALUE_STACK,
		.dtva_type = is_user ? "ustack" : "stack",
		.dtva_count = f.n,
		.dtva_frames = frames,
		.dtva_pid = is_user ? f.pid : 0,
		.dtva_limit = plan_limit_name(limit) };
}

static dtrace_value_t
address(struct consumer *c, struct arena *a, const struct datum *d)
{
	struct symbol sym = symbol_of(c, d);
	dtrace_frame_t *one = ARENA_NEW(a, dtrace_frame_t);

	*one = frame(a, &sym, "");
	return (dtrace_value_t){ .dtva_kind = sym.pid != 0 ?
		    DTRACE_VALUE_UADDRESS :
		    DTRACE_VALUE_ADDRESS,
		.dtva_type = sym.pid != 0 ? "_usymaddr" : "_symaddr",
		.dtva_count = 1,
		.dtva_frames = one,
		.dtva_pid = sym.pid };
}

/* ---- data --------------------------------------------------------------- */

/* Integers and pointers may be stored wider than their first use requires. */
static bool
is_plain_int(const struct datum *d, const struct ctf_type *t)
{
	if (!datum_is_int(d))
		return false;
	return t == NULL || t->kind == CTF_K_POINTER ||
	    (t->kind == CTF_K_INTEGER && (t->encoding & CTF_INT_BOOL) == 0);
}

static uint64_t
budget(uint64_t size)
{
	uint64_t n = value_max_count(size);

	return n < BUDGET ? n : BUDGET;
}

static dtrace_value_t
plain_int(const struct datum *d)
{
	dtrace_value_t val = datum_is_signed(d) ?
	    value_int(NULL, datum_int(d)) :
	    value_uint(NULL, datum_uint(d));

	val.dtva_size = d->rec->size;
	return val;
}

static dtrace_value_t
bytes(struct arena *a, const struct datum *d)
{
	struct ctf_type *t = d->rec->src != NULL ? d->rec->src->type : NULL;
	struct value_reading rd = { .a = a,
		.data = d->data,
		.size = d->rec->size,
		.left = budget(d->rec->size) };

	if (is_plain_int(d, t != NULL ? ctf_resolve(t) : NULL))
		return plain_int(d);
	if (t != NULL)
		return read_type(&rd, t, 0, 0);
	return value_bytes(NULL, d->data, d->rec->size);
}

dtrace_value_t
value_datum(struct consumer *c, struct arena *a, const struct datum *d)
{
	const struct dif_action *src = d->rec->src;
	dtrace_value_t val;
	const char *s;
	size_t len;

	if (PLAN_IS_STACK(d->rec->store))
		return stack(c, a, d);
	if (datum_is_symbol(d))
		return address(c, a, d);
	if (d->rec->store == PLAN_BYTES)
		val = bytes(a, d);
	else {
		s = datum_text(c->pl, d, &len);
		val = value_text(a, NULL, s, len);
	}
	val.dtva_type = src != NULL ? src->type_name : NULL;
	return val;
}
