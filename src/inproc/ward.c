/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Wards: children of a process that have no guardian of their own.
 *
 * A child of fork() has what its parent had.  As long as no work is done to the
 * child, the guardian of its parent can restore it, too.
 */
#include "inproc/enter.h"

#include "base/err.h"
#include "base/vec.h"
#include "inproc/enter_impl.h"

void
ent_rely_on(struct inproc_entry *e, struct inproc_entry *on)
{
	e->ward_of = on->ward_of != NULL ? on->ward_of : on;
	VEC_PUSH(&e->ward_of->wards, e);
}

void
ent_rely_on_nobody(struct inproc_entry *e)
{
	struct inproc_entry *on = e->ward_of;
	size_t n = 0;

	if (on == NULL)
		return;
	VEC_FOREACH(&on->wards, w) {
		if (*w != e)
			on->wards.v[n++] = *w;
	}
	on->wards.n = n;
	e->ward_of = NULL;
}

int
ent_need_guardian(struct inproc_entry *e, struct err *err)
{
	if (e->guardian_fd >= 0)
		return 0;
	ent_rely_on_nobody(e);
	return ent_guardian_start(e, err);
}

void
ent_release_wards(struct inproc_entry *e)
{
	while (e->wards.n > 0) {
		struct inproc_entry *w = e->wards.v[e->wards.n - 1];
		struct err err = { 0 };

		if (ent_has_ended(w))
			ent_rely_on_nobody(w);
		else
			err_forget(ent_need_guardian(w, &err), &err);
	}
}

int
ent_ask(struct inproc_entry *e, enum ent_work what, struct err *err)
{
	int rc;

	if (e->ledger->is_held)
		rc = ent_work(e, what, err);
	else
		rc = ent_need_guardian(e, err);
	if (rc == 0 && !e->ledger->is_held)
		rc = ent_guardian_ask(e, what, err);
	e->p.stop_ns = e->ledger->stop_ns;
	return rc;
}
