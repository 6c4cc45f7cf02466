/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DWARF -> nodes of a CTF build, unit by unit.
 *
 * A reference to a struct, union or enum with a name becomes a reference to
 * its tag; the body is converted when its turn comes.  So recursion only goes
 * through derived types and unnamed bodies, and its depth is bounded: real
 * programs need a dozen levels.
 *
 * dwz(1) moves entries that units share to partial units; these count as part
 * of every unit that imports them.
 */
#include "ctf/dwarf_build.h"

#include <dwarf.h>
#include <elfutils/known-dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/vec.h"
#include "ctf/addrmap.h"
#include "ctf/dwarf_die.h"

#define MAX_DEPTH 100
#define MAX_IMPORTS 8 /* partial units importing partial units */

struct dwarf_build_entry {
	bool is_begun;
	ctf_ref ref;	 /* 0: not made yet */
	uint32_t queued; /* unit that has queued it, plus 1 */
};

struct dwarf_build_state {
	struct dw_build *out;
	struct ctf_build *b;
	const struct dw_lib *lib;
	uint32_t unit;
	unsigned depth;
	struct addrmap dies;
	VEC(struct dwarf_build_entry) entries;
	VEC(Dwarf_Die) queue; /* bodies that the unit refers to */
	VEC(struct skipped {
		int tag;
		unsigned n;
	})
	skipped;
};

static ctf_ref convert(struct dwarf_build_state *st, Dwarf_Die *die);

static uint32_t
entry_of(struct dwarf_build_state *st, const Dwarf_Die *die)
{
	uint32_t i = addrmap_number(&st->dies, die->addr);

	while (st->entries.n <= i)
		VEC_PUSH(&st->entries, (struct dwarf_build_entry){ 0 });
	return i;
}

static void
skip(struct dwarf_build_state *st, Dwarf_Die *die)
{
	int tag = st->lib->dwarf_tag(die);

	VEC_FOREACH(&st->skipped, s) {
		if (s->tag == tag) {
			s->n++;
			return;
		}
	}
	VEC_PUSH(&st->skipped, (struct skipped){ tag, 1 });
}

/* ---- references ---------------------------------------------------------- */

/*
 * Queue a body that the current unit refers to, for conversion at the unit's
 * end.
 */
static void
queue(struct dwarf_build_state *st, const Dwarf_Die *die)
{
	uint32_t i = entry_of(st, die);

	if (st->entries.v[i].queued == st->unit + 1)
		return;
	st->entries.v[i].queued = st->unit + 1;
	VEC_PUSH(&st->queue, *die);
}

static ctf_ref
reference(struct dwarf_build_state *st, Dwarf_Die *die)
{
	enum ctf_kind kind = dw_tag_kind(st->lib, die);
	struct dw_type t;

	if (kind == CTF_K_UNKNOWN)
		return convert(st, die);
	dw_type(st->lib, die, &t);
	if (t.is_alias || t.name == NULL)
		return convert(st, die);
	if (t.kind != CTF_K_FORWARD)
		queue(st, die);
	return ctf_build_tag(st->b, kind, ctf_build_name(st->b, t.name));
}

static ctf_ref
void_type(struct dwarf_build_state *st)
{
	struct ctf_node n = { .kind = CTF_K_INTEGER,
		.name = ctf_build_name(st->b, "void"),
		.encoding = CTF_INT_SIGNED << 24 };

	return ctf_build_add(st->b, &n);
}

static ctf_ref
ref_of(struct dwarf_build_state *st, struct dw_type *t)
{
	return t->has_ref ? reference(st, &t->ref) : void_type(st);
}

/* ---- kinds --------------------------------------------------------------- */

/* The type of array indices; DWARF does not always give it. */
static ctf_ref
index_type(struct dwarf_build_state *st)
{
	struct ctf_node n = { .kind = CTF_K_INTEGER,
		.size = 8,
		.name = ctf_build_name(st->b, "long unsigned int"),
		.encoding = 64 };

	return ctf_build_add(st->b, &n);
}

static ctf_ref
array(struct dwarf_build_state *st, struct dw_type *t)
{
	ctf_ref r = ref_of(st, t);

	for (unsigned i = t->ndims; i > 0; i--) {
		struct ctf_node n = { .kind = CTF_K_ARRAY,
			.ref = r,
			.index = index_type(st),
			.nelems = t->dims[i - 1] };

		r = ctf_build_add(st->b, &n);
	}
	return r;
}

typedef VEC(struct ctf_item) item_vec;

/* 0: cannot be the type of a bit-field. */
static ctf_ref
narrow_number(
    struct dwarf_build_state *st, const struct dw_type *t, uint32_t bits)
{
	struct ctf_node n = { .kind = CTF_K_INTEGER,
		.is_hidden = true,
		.name = ctf_build_name(st->b, t->name),
		.size = t->size };
	uint32_t form = t->encoding & 0xff000000;

	if (t->kind == CTF_K_ENUM)
		form = t->is_unsigned ? 0 : CTF_INT_SIGNED << 24;
	else if (t->kind != CTF_K_INTEGER)
		return 0;
	n.encoding = form | bits;
	return bits > 8 * t->size ? 0 : ctf_build_add(st->b, &n);
}

/*
 * CTF expresses the width of a bit-field by its type: an integer of that many
 * bits, and typedefs of it if the member's type is one.  An enum's bit-field
 * becomes an integer with the enum's name and signedness.  0: unknown.
 */
static ctf_ref
bitfield(struct dwarf_build_state *st, Dwarf_Die *die, uint32_t bits, int depth)
{
	struct ctf_node n = { .kind = CTF_K_TYPEDEF, .is_hidden = true };
	struct dw_type t;

	dw_type(st->lib, die, &t);
	if (depth == MAX_DEPTH || !t.has_ref)
		return narrow_number(st, &t, bits);
	if (t.is_alias || t.kind == CTF_K_CONST || t.kind == CTF_K_VOLATILE)
		return bitfield(st, &t.ref, bits, depth + 1);
	if (t.kind != CTF_K_TYPEDEF)
		return narrow_number(st, &t, bits);
	n.name = ctf_build_name(st->b, t.name);
	n.ref = bitfield(st, &t.ref, bits, depth + 1);
	return n.ref != 0 ? ctf_build_add(st->b, &n) : 0;
}

static void
add_members(struct dwarf_build_state *st, Dwarf_Die *die, item_vec *items)
{
	struct dw_iter it;

	dw_iter_init(&it, st->lib, die);
	while (dw_iter_next(&it)) {
		struct ctf_item item;
		struct dw_member m;

		if (!dw_member(st->lib, &it.die, &m)) {
			skip(st, &it.die);
			continue;
		}
		item.name = ctf_build_name(st->b, m.name);
		item.type = reference(st, &m.type);
		item.value = (int64_t)m.bit_off;
		if (m.bits != 0) {
			ctf_ref narrow = bitfield(st, &m.type, m.bits, 0);

			item.type = narrow != 0 ? narrow : item.type;
		}
		VEC_PUSH(items, item);
	}
}

static void
add_enumerators(struct dwarf_build_state *st, Dwarf_Die *die, item_vec *items)
{
	struct ctf_enumerator e;
	struct dw_iter it;

	dw_iter_init(&it, st->lib, die);
	while (dw_iter_next(&it)) {
		if (dw_enumerator(st->lib, &it.die, &e))
			VEC_PUSH(items,
			    (struct ctf_item){
				ctf_build_name(st->b, e.name), 0, e.value });
	}
}

static void
add_params(struct dwarf_build_state *st, Dwarf_Die *die, item_vec *items)
{
	struct dw_iter it;
	Dwarf_Die type;
	bool has_type;

	dw_iter_init(&it, st->lib, die);
	while (dw_iter_next(&it)) {
		struct ctf_item item = { 0 };
		int rc = dw_param(st->lib, &it.die, &type, &has_type);

		if (rc == 1)
			item.type =
			    has_type ? reference(st, &type) : void_type(st);
		if (rc != 0)
			VEC_PUSH(items, item);
	}
}

/* A node with members, enumerators or arguments. */
static ctf_ref
with_items(struct dwarf_build_state *st, Dwarf_Die *die, struct dw_type *t)
{
	struct ctf_node n = { .kind = (uint8_t)t->kind,
		.size = t->size,
		.name = t->kind == CTF_K_FUNCTION ?
		    0 :
		    ctf_build_name(st->b, t->name) };
	item_vec items = { 0 };
	ctf_ref r;

	if (t->kind == CTF_K_FUNCTION) {
		n.size = 0;
		n.ref = ref_of(st, t);
		add_params(st, die, &items);
	} else if (t->kind == CTF_K_ENUM) {
		add_enumerators(st, die, &items);
	} else {
		add_members(st, die, &items);
	}
	n.items = items.v;
	n.nitems = (uint32_t)items.n;
	r = ctf_build_add(st->b, &n);
	VEC_FREE(&items);
	return r;
}

static ctf_ref
leaf(struct dwarf_build_state *st, const struct dw_type *t)
{
	struct ctf_node n = { .kind = (uint8_t)t->kind,
		.size = t->size,
		.name = ctf_build_name(st->b, t->name),
		.encoding = t->encoding };

	return ctf_build_add(st->b, &n);
}

static ctf_ref
derived(struct dwarf_build_state *st, struct dw_type *t)
{
	struct ctf_node n = { .kind = (uint8_t)t->kind,
		.name = t->kind == CTF_K_TYPEDEF ?
		    ctf_build_name(st->b, t->name) :
		    0 };

	n.ref = ref_of(st, t);
	return ctf_build_add(st->b, &n);
}

static ctf_ref
make(struct dwarf_build_state *st, Dwarf_Die *die)
{
	struct dw_type t;

	dw_type(st->lib, die, &t);
	if (t.is_alias)
		return ref_of(st, &t);
	switch (t.kind) {
	case CTF_K_INTEGER:
	case CTF_K_FLOAT:
		return leaf(st, &t);
	case CTF_K_POINTER:
	case CTF_K_TYPEDEF:
	case CTF_K_VOLATILE:
	case CTF_K_CONST:
	case CTF_K_RESTRICT:
		return derived(st, &t);
	case CTF_K_ARRAY:
		return array(st, &t);
	case CTF_K_FUNCTION:
	case CTF_K_STRUCT:
	case CTF_K_UNION:
	case CTF_K_ENUM:
		return with_items(st, die, &t);
	case CTF_K_FORWARD:
		return ctf_build_tag(st->b, dw_tag_kind(st->lib, die),
		    ctf_build_name(st->b, t.name));
	default:
		skip(st, die);
		t = (struct dw_type){ .kind = CTF_K_UNKNOWN };
		return leaf(st, &t);
	}
}

/* The node of a DIE; 0, unknown, if the type contains itself. */
static ctf_ref
convert(struct dwarf_build_state *st, Dwarf_Die *die)
{
	uint32_t i = entry_of(st, die);
	ctf_ref r;

	if (st->entries.v[i].is_begun)
		return st->entries.v[i].ref;
	if (st->depth == MAX_DEPTH)
		return 0;
	st->entries.v[i].is_begun = true;
	st->depth++;
	r = make(st, die);
	st->depth--;
	st->entries.v[i].ref = r; /* entries may have moved */
	return r;
}

/* ---- units --------------------------------------------------------------- */

static void
add_symbol(struct dwarf_build_state *st, Dwarf_Die *die)
{
	bool is_func = st->lib->dwarf_tag(die) == DW_TAG_subprogram;
	struct dw_symbol s = { .is_func = is_func,
		.unit = st->unit,
		.name = ctf_build_name(st->b, st->lib->dwarf_diename(die)) };
	Dwarf_Die type;

	if (s.name == 0)
		return;
	s.has_addr = dw_address(st->lib, die, &s.addr);
	if (is_func)
		s.type = convert(st, die);
	else if (dw_ref(st->lib, die, &type))
		s.type = reference(st, &type);
	VEC_PUSH(&st->out->symbols, s);
}

static void read_children(
    struct dwarf_build_state *st, Dwarf_Die *parent, unsigned depth);

static void
read_imported(struct dwarf_build_state *st, Dwarf_Die *die, unsigned depth)
{
	Dwarf_Attribute a;
	Dwarf_Die unit;

	if (depth < MAX_IMPORTS &&
	    st->lib->dwarf_attr(die, DW_AT_import, &a) != NULL &&
	    st->lib->dwarf_formref_die(&a, &unit) != NULL)
		read_children(st, &unit, depth + 1);
}

/*
 * Can the entry be found by name?  Enumerators count as names.  Other unnamed
 * types are written only when a named one or a symbol refers to them; the rest
 * are types of local variables.
 */
static bool
can_be_found(struct dwarf_build_state *st, Dwarf_Die *die)
{
	return st->lib->dwarf_diename(die) != NULL ||
	    st->lib->dwarf_tag(die) == DW_TAG_enumeration_type;
}

static void
read_child(struct dwarf_build_state *st, Dwarf_Die *die, unsigned depth)
{
	switch (st->lib->dwarf_tag(die)) {
	case DW_TAG_base_type:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_typedef:
		if (can_be_found(st, die))
			ctf_build_declare(st->b, convert(st, die));
		return;
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
	case DW_TAG_const_type:
	case DW_TAG_volatile_type:
	case DW_TAG_restrict_type:
	case DW_TAG_array_type:
	case DW_TAG_subroutine_type:
		return; /* see can_be_found() */
	case DW_TAG_variable:
	case DW_TAG_subprogram:
		add_symbol(st, die);
		return;
	case DW_TAG_imported_unit:
		read_imported(st, die, depth);
		return;
	default:
		skip(st, die);
	}
}

static void
read_children(struct dwarf_build_state *st, Dwarf_Die *parent, unsigned depth)
{
	struct dw_iter it;

	dw_iter_init(&it, st->lib, parent);
	while (dw_iter_next(&it))
		read_child(st, &it.die, depth);
}

/* Convert queued bodies, which may be in type units or inside functions. */
static void
read_queue(struct dwarf_build_state *st)
{
	for (size_t i = 0; i < st->queue.n; i++) {
		Dwarf_Die die = st->queue.v[i];

		ctf_build_declare(st->b, convert(st, &die));
	}
	st->queue.n = 0;
}

/* DWARF's name of a tag, or NULL. */
static const char *
tag_name(int tag)
{
	static const struct {
		int tag;
		const char *name;
	} names[] = {
#define DWARF_ONE_KNOWN_DW_TAG(NAME, CODE) { CODE, "DW_TAG_" #NAME },
		DWARF_ALL_KNOWN_DW_TAG
#undef DWARF_ONE_KNOWN_DW_TAG
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (names[i].tag == tag)
			return names[i].name;
	}
	return NULL;
}

static void
note_skipped(struct dwarf_build_state *st)
{
	VEC_FOREACH(&st->skipped, s) {
		const char *name = tag_name(s->tag);
		char number[16];

		snprintf(number, sizeof(number), "tag 0x%x", (unsigned)s->tag);
		strbuf_printf(&st->out->notes,
		    "left out: %s (%u times), which "
		    "C has no place for\n",
		    name != NULL ? name : number, s->n);
	}
}

int
dw_build_all(struct dw_build *out, struct ctf_build *b,
    const struct dw_file *df, struct err *err)
{
	struct dwarf_build_state st = { .out = out, .b = b, .lib = df->lib };
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	int rc;

	memset(out, 0, sizeof(*out));
	out->b = b;
	while ((rc = dw_next_unit(df, &cu, &die, err)) > 0) {
		if (st.lib->dwarf_tag(&die) != DW_TAG_compile_unit)
			continue;
		ctf_build_unit(b);
		st.unit = ctf_build_nunits(b) - 1;
		read_children(&st, &die, 0);
		read_queue(&st);
	}
	note_skipped(&st);
	addrmap_fini(&st.dies);
	VEC_FREE(&st.entries);
	VEC_FREE(&st.queue);
	VEC_FREE(&st.skipped);
	return rc;
}

void
dw_build_fini(struct dw_build *out)
{
	VEC_FREE(&out->symbols);
	strbuf_fini(&out->notes);
}
