/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The probes of a fleet (dtrace --fleet -l), and how many hosts have each.
 *
 * A host counts once for a probe, however often it lists it: it has a bit for
 * each probe.  Hosts can name what they like, so the memory is bounded.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "fleet/probes.h"
#include "libdtrace/fleet.h"
#include "record/format.h"

#define LIST_MAX_BYTES ((size_t)256 << 20) /* of names */
#define FIRST_SLOTS 4096

/* The slot of the probe, or the free one where it belongs. */
static uint32_t *
find_slot(struct fleet_list *l, const char *text, size_t len)
{
	size_t i = hash_bytes(text, len) & (l->nslots - 1);

	while (l->slots[i] != 0) {
		const struct fleet_probe *p = &l->probes.v[l->slots[i] - 1];

		if (p->len == len && memcmp(p->text, text, len) == 0)
			break;
		i = (i + 1) & (l->nslots - 1);
	}
	return &l->slots[i];
}

static void
grow_slots(struct fleet_list *l)
{
	if (l->nslots != 0 && l->probes.n + 1 < l->nslots / 2)
		return;
	free(l->slots);
	l->nslots = l->nslots != 0 ? 2 * l->nslots : FIRST_SLOTS;
	l->slots = mem_alloc(l->nslots * sizeof(*l->slots));
	for (size_t i = 0; i < l->probes.n; i++) {
		const struct fleet_probe *p = &l->probes.v[i];

		*find_slot(l, p->text, p->len) = (uint32_t)i + 1;
	}
}

/* The number of the probe, from 1; 0: there is no room. */
static uint32_t
take_probe(struct fleet_list *l, const char *text, size_t len)
{
	uint32_t *slot;
	char *copy;

	grow_slots(l);
	slot = find_slot(l, text, len);
	if (*slot != 0)
		return *slot;
	if (l->nbytes + len > LIST_MAX_BYTES)
		return 0;
	copy = mem_alloc(len);
	memcpy(copy, text, len);
	l->nbytes += len;
	VEC_PUSH(&l->probes, ((struct fleet_probe){ copy, len, 0 }));
	*slot = (uint32_t)l->probes.n;
	return *slot;
}

/* Count the host once. */
static void
count_host(struct fleet_list *l, struct fleet_host *fh, uint32_t number)
{
	size_t word = (number - 1) / 64;
	uint64_t bit = UINT64_C(1) << (number - 1) % 64;

	while (fh->listed.n <= word)
		VEC_PUSH(&fh->listed, 0);
	if ((fh->listed.v[word] & bit) != 0)
		return;
	fh->listed.v[word] |= bit;
	l->probes.v[number - 1].nhosts++;
}

const char *
dt_fleet_list_take(
    struct fleet_list *l, struct fleet_host *fh, const char *block, size_t len)
{
	size_t at = sizeof(struct record_bhdr), n;
	const char *text;

	while (
	    at < len && (text = fl_probes_next(block, len, &at, &n)) != NULL) {
		uint32_t number = take_probe(l, text, n);

		if (number == 0)
			return "the hosts list more probes than this console "
			       "can keep: describe fewer";
		count_host(l, fh, number);
	}
	return at < len ? "its list of probes is malformed" : NULL;
}

/* ---- the result ---------------------------------------------------------- */

static int
compare(const void *a, const void *b)
{
	const char *x[FL_PROBE_PARTS], *y[FL_PROBE_PARTS];
	int rc = 0;

	fl_probes_split(((const struct fleet_probe *)a)->text, x);
	fl_probes_split(((const struct fleet_probe *)b)->text, y);
	for (size_t i = 0; rc == 0 && i < FL_PROBE_PARTS; i++)
		rc = strcmp(x[i], y[i]);
	return rc;
}

static int
give(const struct fleet_probe *fp, dt_probe_f *f, void *arg)
{
	struct strbuf plain[FL_PROBE_PARTS] = { 0 };
	const char *parts[FL_PROBE_PARTS];
	struct dt_probe p = { .id = fp->nhosts };
	int rc;

	fl_probes_split(fp->text, parts);
	for (size_t i = 0; i < FL_PROBE_PARTS; i++) {
		strbuf_adds(&plain[i], "");
		strbuf_add_plain(&plain[i], parts[i], "");
	}
	p.prov = plain[0].s;
	p.mod = plain[1].s;
	p.func = plain[2].s;
	p.name = plain[3].s;
	rc = f(&p, arg);
	for (size_t i = 0; i < FL_PROBE_PARTS; i++)
		strbuf_fini(&plain[i]);
	return rc;
}

int
dt_fleet_list_give(struct fleet_list *l, dt_probe_f *f, void *arg)
{
	int rc = 0;

	/* the slots have no meaning behind this */
	if (l->probes.n != 0)
		qsort(l->probes.v, l->probes.n, sizeof(*l->probes.v), compare);
	for (size_t i = 0; rc == 0 && i < l->probes.n; i++)
		rc = give(&l->probes.v[i], f, arg);
	return rc;
}

void
dt_fleet_list_destroy(struct fleet_list *l)
{
	if (l == NULL)
		return;
	VEC_FOREACH(&l->probes, p)
		free(p->text);
	VEC_FREE(&l->probes);
	free(l->slots);
	free(l);
}
