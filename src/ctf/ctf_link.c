/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Find the body that a tag means.
 *
 * Most tags have one body in the whole program; a reference to the tag is a
 * reference to that body, also from units that only declare it.  A few tags are
 * ambiguous: two files have a `struct config` of their own.  A node that
 * reaches such a tag may mean different types in different units.  It becomes
 * several types of the file, which differ in their choice: the bodies of the
 * ambiguous tags that the node reaches.
 *
 * In a unit where a tag has no body, its choice is 0, which agrees with any.
 * Types whose choices agree become one type with the union of the choices.  So
 * structures that reach half of a program are copied only as often as units
 * really contradict each other.
 *
 * Choices grow while units are read, and so may the target of a reference:
 * references are written only when no choice grows any more.
 */
#include "ctf/ctf_build_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"

#define NONE UINT32_MAX
/* Limit of ambiguous tags; beyond it the first body is taken. */
#define MAX_AMBIGUOUS 4096

/* ---- tags and their bodies ----------------------------------------------- */

static struct link_tag *
tag_of(struct build_link *l, ctf_ref forward)
{
	return l->tags[forward] == 0 ? NULL : &l->table.v[l->tags[forward] - 1];
}

static struct link_tag *
make_tag(struct build_link *l, ctf_ref forward)
{
	struct link_tag t = { .forward = forward, .number = NONE };

	if (l->tags[forward] == 0) {
		VEC_PUSH(&l->table, t);
		l->tags[forward] = (uint32_t)l->table.n;
	}
	return tag_of(l, forward);
}

bool
build_link_has_body(const struct build_link *l, ctf_ref forward)
{
	return l->tags[forward] != 0;
}

/* The tag of a body, or 0; only tags with FORWARD nodes matter. */
static ctf_ref
forward_of(struct ctf_build *b, const struct ctf_node *n)
{
	return build_is_body(n) && n->name != 0 ?
	    ctf_build_tag(b, n->kind, n->name) :
	    0;
}

static void
add_body(struct build_link *l, ctf_ref body)
{
	ctf_ref forward = forward_of(l->b, build_node(l->b, body));
	struct link_tag *t;

	if (forward == 0)
		return;
	t = make_tag(l, forward);
	VEC_FOREACH(&t->bodies, known) {
		if (*known == body)
			return;
	}
	VEC_PUSH(&t->bodies, body);
	if (t->bodies.n == 2 && l->nambiguous < MAX_AMBIGUOUS)
		t->number = l->nambiguous++;
}

/* Make all FORWARD nodes before tables are sized by the number of nodes. */
static void
make_forwards(struct ctf_build *b)
{
	size_t n = b->nodes.n;

	for (ctf_ref r = 1; r <= n; r++) {
		struct ctf_node copy = *build_node(b, r);

		forward_of(b, &copy);
	}
}

/* ---- tags that a node reaches -------------------------------------------- */

static uint64_t *
reach_of(const struct build_link *l, ctf_ref r)
{
	return l->reach + (size_t)r * l->nwords;
}

struct spread {
	struct build_link *l;
	uint64_t *to;
	bool changed;
};

static void
spread_from(void *arg, ctf_ref r)
{
	struct spread *s = arg;
	const uint64_t *from = reach_of(s->l, r);

	for (uint32_t i = 0; i < s->l->nwords; i++) {
		uint64_t sum = s->to[i] | from[i];

		s->changed |= sum != s->to[i];
		s->to[i] = sum;
	}
}

static void
spread_tag(struct spread *s, ctf_ref r)
{
	struct link_tag *t = tag_of(s->l, r);

	if (t == NULL)
		return;
	if (t->number != NONE)
		s->to[t->number / 64] |= UINT64_C(1) << t->number % 64;
	VEC_FOREACH(&t->bodies, body)
		spread_from(s, *body);
}

/*
 * Repeat until nothing changes: nodes come after those that they refer to, so
 * only circles through tags need further rounds.
 */
static void
find_reach(struct build_link *l)
{
	struct spread s = { .l = l, .changed = true };

	while (s.changed) {
		s.changed = false;
		for (ctf_ref r = 1; r <= l->b->nodes.n; r++) {
			const struct ctf_node *n = build_node(l->b, r);

			s.to = reach_of(l, r);
			if (n->kind == CTF_K_FORWARD)
				spread_tag(&s, r);
			else
				build_each_ref(n, spread_from, &s);
		}
	}
}

static bool
reaches_any(const struct build_link *l, ctf_ref r)
{
	const uint64_t *reach = l->nwords != 0 ? reach_of(l, r) : NULL;

	for (uint32_t i = 0; i < l->nwords; i++) {
		if (reach[i] != 0)
			return true;
	}
	return false;
}

static bool
reaches(const struct build_link *l, ctf_ref r, uint32_t number)
{
	return (reach_of(l, r)[number / 64] >> number % 64 & 1) != 0;
}

/* ---- types --------------------------------------------------------------- */

static bool
agrees(const struct build_link *l, ctf_ref node, const ctf_ref *a,
    const ctf_ref *b)
{
	for (uint32_t i = 0; i < l->nambiguous; i++) {
		if (a[i] != 0 && b[i] != 0 && a[i] != b[i] &&
		    reaches(l, node, i))
			return false;
	}
	return true;
}

static void
join(struct build_link *l, ctf_ref node, ctf_ref *to, const ctf_ref *from)
{
	for (uint32_t i = 0; i < l->nambiguous; i++) {
		if (from[i] == 0 || to[i] == from[i] || !reaches(l, node, i))
			continue;
		to[i] = from[i];
		l->has_grown = true;
	}
}

static uint32_t
new_type(struct build_link *l, ctf_ref node, const ctf_ref *choice)
{
	struct link_type t = { .node = node, .next = l->first[node] };

	if (choice != NULL) {
		t.choice =
		    arena_alloc(&l->arena, l->nambiguous * sizeof(*t.choice));
		join(l, node, t.choice, choice);
	}
	VEC_PUSH(&l->types, t);
	l->has_grown = true;
	l->first[node] = (uint32_t)l->types.n;
	return l->first[node];
}

/* The type of a node under a choice. */
static uint32_t
type_under(struct build_link *l, ctf_ref node, const ctf_ref *choice)
{
	if (choice == NULL || !reaches_any(l, node) ||
	    build_node(l->b, node)->kind == CTF_K_FORWARD)
		return l->first[node] != 0 ? l->first[node] :
					     new_type(l, node, NULL);
	for (uint32_t t = l->first[node]; t != 0; t = l->types.v[t - 1].next) {
		struct link_type *lt = &l->types.v[t - 1];

		if (!agrees(l, node, lt->choice, choice))
			continue;
		join(l, node, lt->choice, choice);
		return t;
	}
	return new_type(l, node, choice);
}

/* The node that a reference means: the tag's body, if it has one. */
static ctf_ref
meaning(struct build_link *l, ctf_ref r, const ctf_ref *choice)
{
	struct link_tag *t =
	    build_node(l->b, r)->kind == CTF_K_FORWARD ? tag_of(l, r) : NULL;

	if (t == NULL || t->bodies.n == 0)
		return r;
	if (t->number == NONE)
		return t->bodies.v[0];
	return choice != NULL && choice[t->number] != 0 ? choice[t->number] : r;
}

uint32_t
build_link_ref(struct build_link *l, uint32_t from, ctf_ref r)
{
	const ctf_ref *choice = l->types.v[from - 1].choice;

	return r == 0 ? 0 : type_under(l, meaning(l, r, choice), choice);
}

/* ---- units --------------------------------------------------------------- */

static void
read_unit(struct build_link *l, uint32_t unit, size_t *start, size_t *end)
{
	struct ctf_build *b = l->b;

	*start = b->units.v[unit];
	*end = unit + 1 < b->units.n ? b->units.v[unit + 1] : b->decls.n;
}

/* Choose a body for each ambiguous tag in a unit. */
static void
choose(struct build_link *l, uint32_t unit)
{
	size_t i, end;

	if (l->nambiguous == 0 || l->chosen == unit)
		return;
	l->chosen = unit;
	memset(l->unit_choice, 0, l->nambiguous * sizeof(*l->unit_choice));
	for (read_unit(l, unit, &i, &end); i < end; i++) {
		ctf_ref r = l->b->decls.v[i];
		ctf_ref forward = forward_of(l->b, build_node(l->b, r));
		struct link_tag *t = forward != 0 ? tag_of(l, forward) : NULL;

		if (t != NULL && t->number != NONE)
			l->unit_choice[t->number] = r;
	}
}

static const ctf_ref *
unit_choice(const struct build_link *l)
{
	return l->nambiguous != 0 ? l->unit_choice : NULL;
}

static void
link_unit(struct build_link *l, uint32_t unit)
{
	size_t i, end;

	choose(l, unit);
	for (read_unit(l, unit, &i, &end); i < end; i++) {
		ctf_ref r = meaning(l, l->b->decls.v[i], unit_choice(l));

		type_under(l, r, unit_choice(l));
	}
}

uint32_t
build_link_symbol(struct build_link *l, uint32_t unit, ctf_ref r)
{
	if (r == 0)
		return 0;
	choose(l, unit);
	return type_under(l, meaning(l, r, unit_choice(l)), unit_choice(l));
}

struct in_unit {
	struct build_link *l;
	uint32_t unit;
};

static void
link_part(void *arg, ctf_ref r)
{
	struct in_unit *in = arg;

	build_link_symbol(in->l, in->unit, r);
}

/* The type of a function symbol is not written, only the types in it. */
static void
link_symbol(struct build_link *l, const struct build_symbol *s)
{
	struct in_unit in = { l, s->unit };

	if (!s->is_func)
		build_link_symbol(l, s->unit, s->type);
	else if (s->type != 0)
		build_each_ref(build_node(l->b, s->type), link_part, &in);
}

struct from {
	struct build_link *l;
	uint32_t type;
};

static void
touch(void *arg, ctf_ref r)
{
	struct from *from = arg;

	build_link_ref(from->l, from->type, r);
}

/* Add the types that types refer to, until there are no new ones. */
static void
close_types(struct build_link *l)
{
	struct from from = { .l = l };

	do {
		l->has_grown = false;
		for (uint32_t t = 1; t <= l->types.n; t++) {
			from.type = t;
			build_each_ref(build_node(l->b, l->types.v[t - 1].node),
			    touch, &from);
		}
	} while (l->has_grown);
}

void
build_link_init(struct build_link *l, struct ctf_build *b)
{
	size_t n;

	memset(l, 0, sizeof(*l));
	arena_init(&l->arena);
	l->b = b;
	make_forwards(b);
	n = b->nodes.n + 1;
	l->first = mem_alloc(n * sizeof(*l->first));
	l->tags = mem_alloc(n * sizeof(*l->tags));
	for (ctf_ref r = 1; r < n; r++)
		add_body(l, r);
	l->nwords = (l->nambiguous + 63) / 64;
	l->reach = mem_alloc(n * l->nwords * sizeof(*l->reach) + 1);
	l->unit_choice =
	    mem_alloc((l->nambiguous + 1) * sizeof(*l->unit_choice));
	if (l->nambiguous != 0)
		find_reach(l);
	l->chosen = NONE;
	for (uint32_t unit = 0; unit < b->units.n; unit++)
		link_unit(l, unit);
	VEC_FOREACH(&b->symbols, s)
		link_symbol(l, s);
	close_types(l);
}

void
build_link_fini(struct build_link *l)
{
	VEC_FOREACH(&l->table, t)
		VEC_FREE(&t->bodies);
	VEC_FREE(&l->table);
	VEC_FREE(&l->types);
	free(l->first);
	free(l->tags);
	free(l->reach);
	free(l->unit_choice);
	arena_fini(&l->arena);
}
