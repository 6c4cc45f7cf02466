/* SPDX-License-Identifier: BSD-2-Clause */
/* Collect types for a CTF file: a node is found again by its contents. */
#include "ctf/ctf_build_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"

#define FIRST_SLOTS 1024

struct ctf_build *
ctf_build_create(void)
{
	struct ctf_build *b = mem_alloc(sizeof(*b));

	arena_init(&b->arena);
	strtab_init(&b->names);
	b->nslots = FIRST_SLOTS;
	b->slots = mem_alloc(b->nslots * sizeof(*b->slots));
	VEC_PUSH(&b->units, 0);
	return b;
}

void
ctf_build_destroy(struct ctf_build *b)
{
	if (b == NULL)
		return;
	VEC_FREE(&b->nodes);
	VEC_FREE(&b->decls);
	VEC_FREE(&b->units);
	VEC_FREE(&b->symbols);
	free(b->slots);
	strtab_fini(&b->names);
	arena_fini(&b->arena);
	free(b);
}

uint32_t
ctf_build_name(struct ctf_build *b, const char *s)
{
	return s == NULL || *s == '\0' ? 0 : strtab_intern(&b->names, s);
}

const struct strtab *
ctf_build_names(const struct ctf_build *b)
{
	return &b->names;
}

/* ---- nodes --------------------------------------------------------------- */

/* The contents of a node but its items, without padding. */
struct key {
	uint64_t size, nelems;
	uint32_t name, ref, index, encoding, nitems, kind;
};

static struct key
key_of(const struct ctf_node *n)
{
	return (struct key){ n->size, n->nelems, n->name, n->ref, n->index,
		n->encoding, n->nitems, n->kind | (uint32_t)n->is_hidden << 8 };
}

static uint64_t
mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

static uint64_t
node_hash(const struct ctf_node *n)
{
	struct key k = key_of(n);
	uint64_t h = hash_bytes(&k, sizeof(k));

	for (uint32_t i = 0; i < n->nitems; i++) {
		h = mix(h, (uint64_t)n->items[i].name << 32 | n->items[i].type);
		h = mix(h, (uint64_t)n->items[i].value);
	}
	return h;
}

static bool
node_equal(const struct ctf_node *a, const struct ctf_node *b)
{
	struct key ka = key_of(a), kb = key_of(b);

	if (memcmp(&ka, &kb, sizeof(ka)) != 0)
		return false;
	for (uint32_t i = 0; i < a->nitems; i++) {
		if (a->items[i].name != b->items[i].name ||
		    a->items[i].type != b->items[i].type ||
		    a->items[i].value != b->items[i].value)
			return false;
	}
	return true;
}

/* The slot of the node, or the free one for it. */
static uint32_t *
find_slot(struct ctf_build *b, const struct ctf_node *n)
{
	size_t i = node_hash(n) & (b->nslots - 1);

	while (b->slots[i] != 0 && !node_equal(build_node(b, b->slots[i]), n))
		i = (i + 1) & (b->nslots - 1);
	return &b->slots[i];
}

static void
grow_slots(struct ctf_build *b)
{
	free(b->slots);
	b->nslots *= 2;
	b->slots = mem_alloc(b->nslots * sizeof(*b->slots));
	for (ctf_ref r = 1; r <= b->nodes.n; r++)
		*find_slot(b, build_node(b, r)) = r;
}

ctf_ref
ctf_build_add(struct ctf_build *b, const struct ctf_node *n)
{
	uint32_t *slot = find_slot(b, n);
	struct ctf_node copy = *n;
	struct ctf_item *items;

	if (*slot != 0)
		return *slot;
	if (n->nitems != 0) {
		items = arena_alloc(&b->arena, n->nitems * sizeof(*items));
		memcpy(items, n->items, n->nitems * sizeof(*items));
		copy.items = items;
	}
	VEC_PUSH(&b->nodes, copy);
	*slot = (uint32_t)b->nodes.n;
	if (b->nodes.n > b->nslots / 2)
		grow_slots(b);
	return (ctf_ref)b->nodes.n;
}

ctf_ref
ctf_build_tag(struct ctf_build *b, unsigned kind, uint32_t name)
{
	struct ctf_node n = {
		.kind = CTF_K_FORWARD, .name = name, .ref = kind
	};

	return ctf_build_add(b, &n);
}

void
build_each_ref(const struct ctf_node *n, build_ref_f *f, void *arg)
{
	if (n->kind != CTF_K_FORWARD && n->ref != 0)
		f(arg, n->ref);
	if (n->index != 0)
		f(arg, n->index);
	for (uint32_t i = 0; i < n->nitems; i++) {
		if (n->items[i].type != 0)
			f(arg, n->items[i].type);
	}
}

/* ---- units --------------------------------------------------------------- */

void
ctf_build_unit(struct ctf_build *b)
{
	VEC_PUSH(&b->units, b->decls.n);
}

uint32_t
ctf_build_nunits(const struct ctf_build *b)
{
	return (uint32_t)b->units.n;
}

void
ctf_build_declare(struct ctf_build *b, ctf_ref type)
{
	if (type != 0)
		VEC_PUSH(&b->decls, type);
}

void
ctf_build_symbol(struct ctf_build *b, bool is_func, ctf_ref type, uint32_t unit)
{
	VEC_PUSH(&b->symbols, (struct build_symbol){ is_func, type, unit });
}
