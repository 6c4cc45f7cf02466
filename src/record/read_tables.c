/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tables of a recording.
 *
 * Each entry has its own number, so that a lost block does not shift others.
 * Entries that never came are NULL to callers.
 */
#include "record/read_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

/* An entry's number may be ahead of what came by a lost block. */
#define MAX_AHEAD 1000000
#define MAX_CPUS 8192 /* the kernel's limit (NR_CPUS) */
#define MAX_ARGS 64

void
record_tables_init(struct record_tables *t)
{
	arena_init(&t->arena);
	t->max = RECORD_TABLES_MAX;
}

void
record_tables_fini(struct record_tables *t)
{
	free(t->program);
	VEC_FREE(&t->clauses);
	VEC_FREE(&t->aggs);
	VEC_FREE(&t->probes);
	VEC_FREE(&t->enablings);
	VEC_FREE(&t->strings);
	VEC_FREE(&t->names);
	VEC_FREE(&t->mappings);
	idmap_fini(&t->mapped);
	VEC_FREE(&t->built);
	VEC_FREE(&t->processes);
	VEC_FREE(&t->sources);
	VEC_FREE(&t->labels);
	free(t->slots);
	arena_fini(&t->arena);
}

/* Count bytes; false: the tables have too many. */
static bool
take(struct record_tables *t, uint64_t bytes)
{
	if (bytes > t->max - t->size)
		return false;
	t->size += bytes;
	return true;
}

static const char *
keep(struct record_tables *t, const char *s)
{
	size_t len = strlen(s) + 1;

	return take(t, len) ? arena_strdup(&t->arena, s) : NULL;
}

/* Take a string and keep it; false: there is none. */
static bool
keep_next(struct record_tables *t, struct record_payload *pl, const char **to)
{
	const char *s = record_take_string(pl);

	*to = s != NULL ? keep(t, s) : NULL;
	return *to != NULL;
}

/* Room for entry `n`, from 0; false: its number is impossible. */
#define GROW(t, vec, number)                                                   \
	((uint64_t)(number) < (uint64_t)(vec)->n + MAX_AHEAD &&                \
	    grow((t), (void **)&(vec)->v, &(vec)->n, &(vec)->cap, (number),    \
		sizeof(*(vec)->v)))

static bool
grow(struct record_tables *t, void **v, size_t *n, size_t *cap, uint32_t number,
    size_t size)
{
	size_t want = (size_t)number + 1;

	if (want <= *n)
		return true;
	if (!take(t, (want - *n) * size))
		return false;
	if (want > *cap)
		*v = vec_grow(*v, cap, want, size);
	memset((char *)*v + *n * size, 0, (want - *n) * size);
	*n = want;
	return true;
}

static bool
read_machine(struct record_tables *t, struct record_payload *pl)
{
	const struct record_t_machine *m = record_take(pl, sizeof(*m));
	struct record_machine *to = &t->machine;

	if (m == NULL || m->ncpus == 0 || m->ncpus > MAX_CPUS)
		return false;
	*to = (struct record_machine){ .ncpus = m->ncpus,
		.is_in_process = (m->flags & 1) != 0,
		.target = m->target,
		.time_ns = m->time_ns,
		.wall_ns = m->wall_ns };
	t->has_machine = keep_next(t, pl, &to->host) &&
	    keep_next(t, pl, &to->release) && keep_next(t, pl, &to->arch) &&
	    keep_next(t, pl, &to->dtrace) && keep_next(t, pl, &to->command);
	return t->has_machine;
}

static bool
read_clause(struct record_tables *t, struct record_payload *pl)
{
	const struct record_t_clause *c = record_take(pl, sizeof(*c));

	if (c == NULL || !GROW(t, &t->clauses, c->number))
		return false;
	t->clauses.v[c->number] =
	    (struct record_clause){ c->size, c->epid_base, c->nepids };
	return true;
}

static bool
read_agg(struct record_tables *t, struct record_payload *pl)
{
	const struct record_t_agg *a = record_take(pl, sizeof(*a));
	const char *name, *remark;

	if (a == NULL || a->id == 0 || a->kind > UINT16_MAX ||
	    !keep_next(t, pl, &name) || !keep_next(t, pl, &remark) ||
	    !GROW(t, &t->aggs, a->id - 1))
		return false;
	t->aggs.v[a->id - 1] = (struct record_agg){ name, remark,
		(uint16_t)a->kind, a->arg, a->key_size, a->val_size };
	return true;
}

static bool
read_arg(
    struct record_tables *t, struct record_payload *pl, struct record_arg *arg)
{
	const uint8_t *bytes = record_take(pl, 2);
	const char *xlate;

	if (bytes == NULL || !keep_next(t, pl, &arg->native) ||
	    !keep_next(t, pl, &xlate))
		return false;
	arg->mapping = bytes[0];
	arg->is_userland = (bytes[1] & RECORD_ARG_USERLAND) != 0;
	arg->xlate = (bytes[1] & RECORD_ARG_XLATE) != 0 ? xlate : NULL;
	return true;
}

static bool
read_probe(struct record_tables *t, struct record_payload *pl)
{
	const struct record_t_probe *p = record_take(pl, sizeof(*p));
	struct record_probe to = { 0 };
	struct record_arg *args;

	if (p == NULL || p->kind > UINT16_MAX || p->nargs > MAX_ARGS ||
	    !keep_next(t, pl, &to.prov) || !keep_next(t, pl, &to.mod) ||
	    !keep_next(t, pl, &to.func) || !keep_next(t, pl, &to.name) ||
	    !take(t, p->nargs * sizeof(*args)))
		return false;
	args = arena_alloc(&t->arena, p->nargs * sizeof(*args) + 1);
	for (uint32_t i = 0; i < p->nargs; i++) {
		if (!read_arg(t, pl, &args[i]))
			return false;
	}
	to.id = p->id;
	to.kind = (uint16_t)p->kind;
	to.nargs = p->nargs;
	to.args = args;
	if (!GROW(t, &t->probes, p->number))
		return false;
	t->probes.v[p->number] = to;
	return true;
}

/* An entry that is not there has the probe ABSENT. */
#define ABSENT UINT32_MAX

static bool
read_enabling(struct record_tables *t, struct record_payload *pl)
{
	const struct record_t_enabling *e = record_take(pl, sizeof(*e));
	size_t before = t->enablings.n;

	if (e == NULL || e->epid == 0 || !GROW(t, &t->enablings, e->epid - 1))
		return false;
	for (size_t i = before; i < t->enablings.n; i++)
		t->enablings.v[i].probe = ABSENT;
	t->enablings.v[e->epid - 1] =
	    (struct record_enabling){ e->clause, e->probe };
	return true;
}

static bool
read_string(struct record_tables *t, struct record_payload *pl)
{
	const struct record_t_string *st = record_take(pl, sizeof(*st));
	const char *s;

	if (st == NULL || st->id == 0 || !keep_next(t, pl, &s) ||
	    !GROW(t, &t->strings, st->id - 1))
		return false;
	t->strings.v[st->id - 1] = s;
	return true;
}

static bool
read_source(struct record_tables *t, struct record_payload *pl)
{
	const struct record_t_source *s = record_take(pl, sizeof(*s));
	struct record_program_source to = { 0 };

	if (s == NULL || !keep_next(t, pl, &to.name) ||
	    !keep_next(t, pl, &to.text) || !take(t, sizeof(to)))
		return false;
	to.nprobes = s->nprobes;
	if ((s->flags & RECORD_SOURCE_HAS_NAME) == 0)
		to.name = NULL;
	if ((s->flags & RECORD_SOURCE_HAS_TEXT) == 0)
		to.text = NULL;
	VEC_PUSH(&t->sources, to);
	return true;
}

static bool
read_label(struct record_tables *t, struct record_payload *pl)
{
	struct record_label to = { 0 };

	if (record_take(pl, sizeof(struct record_t_label)) == NULL ||
	    !keep_next(t, pl, &to.name) || !keep_next(t, pl, &to.value) ||
	    !take(t, sizeof(to)))
		return false;
	VEC_PUSH(&t->labels, to);
	return true;
}

static bool
read_process(struct record_tables *t, struct record_payload *pl)
{
	const struct record_t_process *p = record_take(pl, sizeof(*p));
	struct record_process to = { 0 };

	if (p == NULL || !keep_next(t, pl, &to.name) ||
	    !keep_next(t, pl, &to.path) || !take(t, sizeof(to)))
		return false;
	to.pid = p->pid;
	VEC_PUSH(&t->processes, to);
	return true;
}

/* ---- names -------------------------------------------------------------- */

static uint64_t
name_hash(uint32_t kind, uint64_t pid, uint64_t addr)
{
	uint64_t key[3] = { kind, pid, addr };

	return hash_bytes(key, sizeof(key));
}

/* The slot of the address's newest name, or a free one. */
static uint32_t *
name_slot(
    const struct record_tables *t, uint32_t kind, uint64_t pid, uint64_t addr)
{
	size_t i = name_hash(kind, pid, addr) & (t->nslots - 1);

	for (;; i = (i + 1) & (t->nslots - 1)) {
		const struct record_named *n;

		if (t->slots[i] == 0)
			return &t->slots[i];
		n = &t->names.v[t->slots[i] - 1];
		if (n->kind == kind && n->pid == pid && n->addr == addr)
			return &t->slots[i];
	}
}

/* Fill all slots again.  The newest name of an address comes last. */
static void
grow_slots(struct record_tables *t)
{
	free(t->slots);
	t->nslots = t->nslots != 0 ? 2 * t->nslots : 1024;
	t->slots = mem_alloc(t->nslots * sizeof(*t->slots));
	VEC_FOREACH(&t->names, n)
		*name_slot(t, n->kind, n->pid, n->addr) =
		    (uint32_t)(n - t->names.v) + 1;
}

static bool
keep_name(struct record_tables *t, struct record_payload *pl, uint32_t flags,
    struct record_name *to)
{
	const char *module = record_take_string(pl);
	const char *name = record_take_string(pl);

	if (module == NULL || name == NULL)
		return false;
	to->is_found = (flags & RECORD_NAME_FOUND) != 0;
	if ((flags & RECORD_NAME_HAS_MODULE) != 0)
		to->module = keep(t, module);
	if ((flags & RECORD_NAME_HAS_NAME) != 0)
		to->name = keep(t, name);
	/* a name is printed behind its module */
	return !to->is_found || to->module != NULL ||
	    (flags & RECORD_NAME_HAS_MODULE) == 0;
}

static bool
read_name(struct record_tables *t, struct record_payload *pl)
{
	const struct record_t_name *n = record_take(pl, sizeof(*n));
	struct record_named to = { 0 };
	uint32_t *slot;

	if (n == NULL || !keep_name(t, pl, n->flags, &to.name) ||
	    !take(t, sizeof(to) + 2 * sizeof(*slot)) ||
	    t->names.n >= UINT32_MAX / 4)
		return false;
	to.pid = n->pid;
	to.addr = n->addr;
	to.seq = n->seq;
	to.kind = n->kind;
	to.name.offset = n->offset;
	to.name.addr = n->to;
	if (2 * (t->names.n + 1) > t->nslots)
		grow_slots(t);
	slot = name_slot(t, to.kind, to.pid, to.addr);
	to.older = *slot;
	VEC_PUSH(&t->names, to);
	*slot = (uint32_t)t->names.n;
	return true;
}

const struct record_name *
record_find_name(const struct record *r, enum record_name_kind kind,
    uint64_t pid, uint64_t addr)
{
	const struct record_tables *t = &r->tables;
	const struct record_named *n = NULL;
	uint32_t at = t->nslots != 0 ? *name_slot(t, kind, pid, addr) : 0;

	for (; at != 0; at = n->older) {
		n = &t->names.v[at - 1];
		if (n->seq <= r->seq)
			break;
	}
	return n != NULL ? &n->name : NULL;
}

/* ---- mappings ------------------------------------------------------------ */

/* A process has fewer files.  A hostile table must not take much time. */
#define MAX_MAPPINGS 4096

static bool
is_build_id(const char *s)
{
	size_t len = strspn(s, "0123456789abcdef");

	return s[len] == '\0' && len <= RECORD_BUILD_ID_MAX;
}

static bool
read_mapping(struct record_tables *t, struct record_payload *pl)
{
	const struct record_t_mapping *m = record_take(pl, sizeof(*m));
	struct record_mapped to = { 0 };
	const uint32_t *newest;

	if (m == NULL || m->pid == 0 || m->pid > INT32_MAX ||
	    m->start >= m->end || !take(t, sizeof(to) + sizeof(*newest)) ||
	    !keep_next(t, pl, &to.map.path) ||
	    !keep_next(t, pl, &to.map.build_id) ||
	    !is_build_id(to.map.build_id))
		return false;
	to.map.pid = m->pid;
	to.map.start = m->start;
	to.map.end = m->end;
	to.map.offset = m->offset;
	to.map.vaddr = m->vaddr;
	to.seq = m->seq;
	newest = idmap_get(&t->mapped, (uint32_t)m->pid);
	to.older = newest != NULL ? *newest : 0;
	VEC_PUSH(&t->mappings, to);
	idmap_put(&t->mapped, (uint32_t)m->pid, (uint32_t)t->mappings.n);
	return true;
}

const struct record_mapping *
record_find_mapping(const struct record *r, uint64_t pid, uint64_t addr)
{
	const struct record_tables *t = &r->tables;
	const struct record_mapped *found = NULL;
	const uint32_t *newest =
	    pid - 1 < INT32_MAX ? idmap_get(&t->mapped, (uint32_t)pid) : NULL;
	uint32_t at = newest != NULL ? *newest : 0;

	for (unsigned n = 0; at != 0 && n < MAX_MAPPINGS; n++) {
		const struct record_mapped *m = &t->mappings.v[at - 1];

		at = m->older;
		if (addr < m->map.start || addr >= m->map.end)
			continue;
		found = m;
		if (m->seq <= r->seq)
			break;
	}
	return found != NULL ? &found->map : NULL;
}

/* ---- build ids of the kernel --------------------------------------------- */

#define MAX_BUILT 4096 /* as MAX_MAPPINGS */

static bool
read_build_id(struct record_tables *t, struct record_payload *pl)
{
	const struct record_t_build_id *b = record_take(pl, sizeof(*b));
	struct record_built to = { 0 };

	if (b == NULL || t->built.n == MAX_BUILT || !take(t, sizeof(to)) ||
	    !keep_next(t, pl, &to.module) || !keep_next(t, pl, &to.build_id) ||
	    !is_build_id(to.build_id))
		return false;
	to.seq = b->seq;
	VEC_PUSH(&t->built, to);
	return true;
}

const char *
record_find_build_id(const struct record *r, const char *module)
{
	const char *found = NULL;

	for (size_t i = r->tables.built.n; i-- > 0;) {
		const struct record_built *b = &r->tables.built.v[i];

		if (strcmp(b->module, module) != 0)
			continue;
		found = b->build_id;
		if (b->seq <= r->seq)
			break;
	}
	return found;
}

/* ---- items -------------------------------------------------------------- */

static bool
read_item(struct record *r, unsigned type, struct record_payload *pl)
{
	struct record_tables *t = &r->tables;

	switch ((enum record_table_item)type) {
	case RECORD_T_MACHINE:
		return t->has_machine || read_machine(t, pl);
	case RECORD_T_CLAUSE:
		return read_clause(t, pl);
	case RECORD_T_AGG:
		return read_agg(t, pl);
	case RECORD_T_PROBE:
		return read_probe(t, pl);
	case RECORD_T_ENABLING:
		return read_enabling(t, pl);
	case RECORD_T_STRING:
		return read_string(t, pl);
	case RECORD_T_NAME:
		return read_name(t, pl);
	case RECORD_T_PROCESS:
		return read_process(t, pl);
	case RECORD_T_SOURCE:
		return read_source(t, pl);
	case RECORD_T_MAPPING:
		return read_mapping(t, pl);
	case RECORD_T_BUILD_ID:
		return read_build_id(t, pl);
	case RECORD_T_LABEL:
		return read_label(t, pl);
	}
	return r->is_newer; /* a newer item */
}

void
record_read_tables(struct record *r)
{
	struct record_item item;
	struct record_payload pl;
	size_t nbad = 0;

	while (record_next_item(r, &item, &pl))
		nbad += !read_item(r, item.type, &pl);
	if (nbad != 0)
		record_note_damage(r,
		    "%zu entries of the tables at offset %llu are not valid",
		    nbad, (unsigned long long)r->block.at);
}

void
record_read_program(struct record *r)
{
	struct record_tables *t = &r->tables;

	if (t->program != NULL || r->block.len == 0 || !take(t, r->block.len))
		return;
	t->program = mem_alloc(r->block.len);
	memcpy(t->program, r->block.raw, r->block.len);
	t->program_len = r->block.len;
}

/* ---- answers ------------------------------------------------------------ */

const struct record_machine *
record_machine(const struct record *r)
{
	return &r->tables.machine;
}

const void *
record_program(const struct record *r, size_t *len)
{
	*len = r->tables.program_len;
	return r->tables.program;
}

uint32_t
record_nprobes(const struct record *r)
{
	return (uint32_t)r->tables.probes.n;
}

const struct record_probe *
record_probe(const struct record *r, uint32_t n)
{
	return n < r->tables.probes.n && r->tables.probes.v[n].prov != NULL ?
	    &r->tables.probes.v[n] :
	    NULL;
}

uint32_t
record_nenablings(const struct record *r)
{
	return (uint32_t)r->tables.enablings.n;
}

const struct record_enabling *
record_enabling(const struct record *r, uint32_t epid)
{
	const struct record_tables *t = &r->tables;

	return epid - 1 < t->enablings.n &&
		t->enablings.v[epid - 1].probe != ABSENT ?
	    &t->enablings.v[epid - 1] :
	    NULL;
}

uint32_t
record_nclauses(const struct record *r)
{
	return (uint32_t)r->tables.clauses.n;
}

const struct record_clause *
record_clause(const struct record *r, uint32_t n)
{
	return n < r->tables.clauses.n ? &r->tables.clauses.v[n] : NULL;
}

uint32_t
record_naggs(const struct record *r)
{
	return (uint32_t)r->tables.aggs.n;
}

const struct record_agg *
record_agg(const struct record *r, uint32_t id)
{
	return id - 1 < r->tables.aggs.n &&
		r->tables.aggs.v[id - 1].name != NULL ?
	    &r->tables.aggs.v[id - 1] :
	    NULL;
}

const struct record_program_source *
record_program_source(const struct record *r, size_t n)
{
	return n < r->tables.sources.n ? &r->tables.sources.v[n] : NULL;
}

const struct record_label *
record_label(const struct record *r, size_t n)
{
	return n < r->tables.labels.n ? &r->tables.labels.v[n] : NULL;
}

const struct record_process *
record_process(const struct record *r, size_t n)
{
	return n < r->tables.processes.n ? &r->tables.processes.v[n] : NULL;
}

uint32_t
record_nstrings(const struct record *r)
{
	return (uint32_t)r->tables.strings.n;
}

const char *
record_string(const struct record *r, uint32_t id)
{
	return id - 1 < r->tables.strings.n ? r->tables.strings.v[id - 1] :
					      NULL;
}
