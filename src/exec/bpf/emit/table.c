/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables: what a program that serves many probes reads about each.
 *
 *	place 0	| a bit per clause | id | names | EPID of each clause |
 *	place 1	| ...
 *
 * The place is the probe's cookie, or its system call number; in the latter
 * case one probe may have two places.  Programs only read entries; dtrace maps
 * them into its memory and fills them before it attaches the probe.
 */
#include "exec/bpf/bpf_impl.h"

#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/mman.h>

#include "base/err.h"
#include "base/vec.h"

#define TABLE_ROOM 4096 /* spare entries for later probes */

static char *
entry_at(const struct bx_group *g, uint32_t place)
{
	return g->ents + (size_t)place * bx_ent_size(&g->tr);
}

/* Call f for each place of the probe in the table. */
static uint32_t
probe_places(
    const struct bx_tr *t, const struct dt_probe *p, uint32_t places[2])
{
	if (!bx_ctx(t->facts->ctx)->by_number) {
		places[0] = *idmap_get(&t->facts->places, p->id);
		return 1;
	}
	places[0] = p->index;
	places[1] = p->compat_index;
	return p->compat_index != 0 ? 2 : 1;
}

static void
fill_names(struct bx_group *g, const struct dt_probe *p)
{
	uint32_t places[2], n = probe_places(&g->tr, p, places);

	for (uint32_t i = 0; i < n; i++)
		bx_ent_names(&g->tr, p, entry_at(g, places[i]));
}

static void
enable_pair(struct bx_group *g, uint32_t clause_no, const struct dt_probe *p,
    uint32_t epid)
{
	uint32_t places[2], n = probe_places(&g->tr, p, places);

	for (uint32_t i = 0; i < n; i++)
		bx_ent_enable(&g->tr, clause_no, epid, entry_at(g, places[i]));
}

static void
enable_pairs(struct bx_group *g, uint32_t clause_no)
{
	const struct plan_clause *pc = g->tr.facts->clauses.v[clause_no];

	for (uint32_t i = 0; i < pc->probes.n; i++) {
		const struct dt_probe *p = pc->probes.v[i];

		if (idmap_get(&g->tr.facts->places, p->id) != NULL)
			enable_pair(g, clause_no, p, pc->epid_base + i);
		for (size_t k = 0; k < p->norigins; k++) {
			if (idmap_get(&g->tr.facts->places,
				p->origins[k]->id) != NULL)
				enable_pair(g, clause_no, p->origins[k],
				    pc->epid_base + i);
		}
	}
}

/* Write the next parts into the probe's places, from its enabled clauses. */
static void
enter_parts(struct bx_group *g, const struct dt_probe *p)
{
	uint32_t places[2], n = probe_places(&g->tr, p, places);

	for (uint32_t i = 0; g->tr.parts.is_used && i < n; i++)
		bx_parts_enter(&g->tr, entry_at(g, places[i]));
}

static void
enable_group(struct bx_group *g)
{
	for (uint32_t c = 0; c < g->tr.facts->clauses.n; c++)
		enable_pairs(g, c);
	VEC_FOREACH(&g->tr.facts->probes, pp)
		enter_parts(g, *pp);
}

void
bx_tables_enable(struct bx_exec *x)
{
	for (size_t i = 0; i < x->ngroups; i++) {
		if (x->groups[i].ents != NULL)
			enable_group(&x->groups[i]);
	}
}

void
bx_table_add(struct bx_group *g, const struct plan_clause *pc,
    const struct dt_probe *p, uint32_t epid)
{
	uint32_t c = 0;

	while (g->tr.facts->clauses.v[c] != pc)
		c++;
	fill_names(g, p);
	enable_pair(g, c, p, epid);
	enter_parts(g, p);
}

static uint32_t
capacity(const struct bx_group *g)
{
	if (bx_ctx(g->tr.facts->ctx)->by_number)
		return DT_SYSCALL_NINDEX;
	return (uint32_t)g->tr.facts->probes.n + (g->grows ? TABLE_ROOM : 0);
}

static int
create(struct bx_exec *x, struct bx_group *g)
{
	uint32_t size = bx_ent_size(&g->tr), n = capacity(g);
	int fd = bx_map_array(size, n, BPF_F_MMAPABLE, "dt_probes");

	if (fd < 0)
		return fd;
	bx_map_take(x, g->tr.facts->table, fd);
	g->nents = n;
	g->ents_len = (size_t)size * n;
	g->ents =
	    mmap(NULL, g->ents_len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (g->ents == MAP_FAILED) {
		g->ents = NULL;
		return -errno;
	}
	VEC_FOREACH(&g->tr.facts->probes, pp)
		fill_names(g, *pp);
	return 0;
}

int
bx_table_create(struct bx_exec *x, struct bx_group *g, struct err *err)
{
	int rc = g->tr.facts->has_table ? create(x, g) : 0;

	if (rc != 0)
		err_take(err, rc, bx_map_error(x, g->tr.facts->table, rc));
	return rc;
}

void
bx_table_close(struct bx_group *g)
{
	if (g->ents != NULL)
		munmap(g->ents, g->ents_len);
	g->ents = NULL;
}
