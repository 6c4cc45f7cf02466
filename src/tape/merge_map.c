/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers of a host -> numbers of the fleet's plan.
 *
 * Two hosts have one enabling if the clause and the four parts of the probe's
 * name are the same; it is found by a hash of these, and compared, for a host
 * may choose names whose hashes are equal.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "tape/merge_impl.h"

static uint64_t
hash_enabling(uint32_t clause, const struct record_probe *p)
{
	uint64_t parts[] = { clause, hash_bytes(p->prov, strlen(p->prov)),
		hash_bytes(p->mod, strlen(p->mod)),
		hash_bytes(p->func, strlen(p->func)),
		hash_bytes(p->name, strlen(p->name)) };

	return hash_bytes(parts, sizeof(parts));
}

static bool
is_probe(const struct dt_probe *p, const struct record_probe *rp)
{
	return strcmp(p->name, rp->name) == 0 &&
	    strcmp(p->func, rp->func) == 0 && strcmp(p->mod, rp->mod) == 0 &&
	    strcmp(p->prov, rp->prov) == 0;
}

/* The slot of the enabling, or the free one where it belongs. */
static uint32_t *
find_slot(struct tape_merge *m, uint32_t clause, const struct record_probe *rp)
{
	size_t i = hash_enabling(clause, rp) & (m->nslots - 1);

	while (m->slots[i] != 0) {
		const struct merge_enabling *e =
		    &m->enablings.v[m->slots[i] - 1];

		if (e->clause == clause && is_probe(e->probe, rp))
			break;
		i = (i + 1) & (m->nslots - 1);
	}
	return &m->slots[i];
}

static void
grow_slots(struct tape_merge *m)
{
	size_t n = m->nslots != 0 ? 2 * m->nslots : 256;

	if (m->enablings.n + 1 < m->nslots / 2)
		return;
	free(m->slots);
	m->slots = mem_alloc(n * sizeof(*m->slots));
	m->nslots = n;
	for (size_t i = 0; i < m->enablings.n; i++) {
		const struct dt_probe *p = m->enablings.v[i].probe;
		const struct record_probe rp = { .prov = p->prov,
			.mod = p->mod,
			.func = p->func,
			.name = p->name };

		*find_slot(m, m->enablings.v[i].clause, &rp) = (uint32_t)i + 1;
	}
}

static struct dt_probe *
make_probe(const struct record_probe *rp)
{
	struct dt_probe *p = mem_alloc(sizeof(*p));

	/* the host's tables may end before the plan */
	*p = (struct dt_probe){ .id = rp->id,
		.prov = mem_strdup(rp->prov),
		.mod = mem_strdup(rp->mod),
		.func = mem_strdup(rp->func),
		.name = mem_strdup(rp->name),
		.kind = rp->kind < DT_PROBE_NKINDS ?
		    (enum dt_probe_kind)rp->kind :
		    DT_PROBE_USDT };
	return p;
}

static uint32_t
epid_of(struct tape_merge *m, uint32_t clause, const struct record_probe *rp)
{
	struct merge_enabling e = { .clause = clause };
	struct dt_probe *p;
	uint32_t *slot;

	grow_slots(m);
	slot = find_slot(m, clause, rp);
	if (*slot != 0)
		return m->enablings.v[*slot - 1].epid;
	p = make_probe(rp);
	VEC_PUSH(&m->probes, p);
	e.probe = p;
	e.epid = plan_add_late(m->pl, clause, p);
	VEC_PUSH(&m->enablings, e);
	*slot = (uint32_t)m->enablings.n;
	return e.epid;
}

static void
map_epid(struct tape_merge *m, struct merge_host *h, uint32_t epid)
{
	const struct record_enabling *e = record_enabling(h->r, epid);
	const struct record_probe *rp =
	    e != NULL ? record_probe(h->r, e->probe) : NULL;
	bool is_known = rp != NULL && e->clause < m->pl->clauses.n;

	VEC_PUSH(&h->epids, is_known ? epid_of(m, e->clause, rp) : 0);
}

static void
map_string(struct tape_merge *m, struct merge_host *h, uint32_t id)
{
	const char *s = record_string(h->r, id);

	VEC_PUSH(&h->strings, strtab_intern(m->pl->strs, s != NULL ? s : "?"));
}

void
merge_map_host(struct tape_merge *m, struct merge_host *h)
{
	while (h->epids.n < record_nenablings(h->r))
		map_epid(m, h, (uint32_t)h->epids.n + 1);
	while (h->strings.n < record_nstrings(h->r))
		map_string(m, h, (uint32_t)h->strings.n + 1);
}

uint32_t
merge_epid(const struct merge_host *h, uint32_t epid)
{
	return epid >= 1 && epid <= h->epids.n ? h->epids.v[epid - 1] : 0;
}

void
merge_strings(const struct tape_merge *m, const struct merge_host *h,
    const struct plan_rec *recs, size_t n, char *data, uint32_t base)
{
	for (size_t i = 0; i < n; i++) {
		char *at = data + recs[i].offset - base;
		uint32_t id;

		if (recs[i].store != PLAN_STR_ID)
			continue;
		memcpy(&id, at, sizeof(id));
		if ((id & PLAN_STR_PID) != 0)
			continue;
		id = id >= 1 && id <= h->strings.n ? h->strings.v[id - 1] :
						     m->unknown;
		memcpy(at, &id, sizeof(id));
	}
}

void
merge_map_fini(struct tape_merge *m)
{
	VEC_FOREACH(&m->probes, p) {
		free((char *)(uintptr_t)(*p)->prov);
		free((char *)(uintptr_t)(*p)->mod);
		free((char *)(uintptr_t)(*p)->func);
		free((char *)(uintptr_t)(*p)->name);
		free(*p);
	}
	VEC_FREE(&m->probes);
	VEC_FREE(&m->enablings);
	free(m->slots);
}
