/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ledger's memory.  Each process has a ledger and most scripts need little
 * of it, so dtrace and the guardian map its beginning only:
 *
 *	| struct ent_ledger | writes | moves | (the rest of the object)
 *
 * dtrace maps more when there are more plans.  A guardian, forked before that,
 * maps more when it finds that the ledger has grown.  Each step doubles both
 * tables and copies the moves further back; the old copy stays valid until
 * `step` is changed.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "inproc/enter_impl.h"

static size_t
bytes_at(uint64_t step)
{
	return sizeof(struct ent_ledger) + 2 * ENT_MOVES_BYTES(step);
}

int
ent_ledger_create(struct inproc_entry *e)
{
	size_t all = bytes_at(ENT_STEPS), len = bytes_at(0);
	char *p = mmap(NULL, all, PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return -errno;
	len = (len + ENT_PAGE - 1) & -(size_t)ENT_PAGE;
	munmap(p + len, all - len);
	e->ledger = (struct ent_ledger *)(void *)p;
	e->ledger_len = len;
	return 0;
}

void
ent_ledger_destroy(struct inproc_entry *e)
{
	if (e->ledger != NULL)
		munmap(e->ledger, e->ledger_len);
}

static int
map_to(struct inproc_entry *e, uint64_t step)
{
	size_t len = (bytes_at(step) + ENT_PAGE - 1) & -(size_t)ENT_PAGE;
	void *p;

	if (len <= e->ledger_len)
		return 0;
	p = mremap(e->ledger, e->ledger_len, len, MREMAP_MAYMOVE);
	if (p == MAP_FAILED)
		return -errno;
	e->ledger = p;
	e->ledger_len = len;
	return 0;
}

int
ent_ledger_see(struct inproc_entry *e)
{
	return map_to(e, e->ledger->step);
}

int
ent_ledger_grow(struct inproc_entry *e, uint64_t nwrites, uint64_t nmoves)
{
	while (e->ledger->step < ENT_STEPS &&
	    (nwrites > ENT_WRITES_AT(e->ledger->step) ||
		nmoves > ENT_MOVES_AT(e->ledger->step))) {
		uint64_t step = e->ledger->step + 1;
		int rc = map_to(e, step);
		struct ent_ledger *l = e->ledger;

		if (rc != 0)
			return rc;
		memcpy((char *)(l + 1) + ENT_MOVES_BYTES(step), ent_moves(l),
		    l->nmoves * sizeof(struct inproc_move));
		__atomic_store_n(&l->step, step, __ATOMIC_RELEASE);
	}
	return 0;
}
