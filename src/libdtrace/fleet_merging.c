/* SPDX-License-Identifier: BSD-2-Clause */
#include "libdtrace/merging.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "libdtrace/dt_product.h"
#include "libdtrace/fleet.h"

struct dt_merging {
	struct dt_hdl *h; /* its plan */
	struct record_space *space;
	const char *name;
	size_t max;
	struct fleet_program program;
	struct tape_merge *merge; /* both NULL: no host has begun */
	struct tape_fold *fold;
};

struct dt_merging *
dt_merging_open(const char *name, size_t max)
{
	struct dt_merging *m = mem_alloc(sizeof(*m));

	m->name = name;
	m->max = max;
	m->space = record_space_create();
	if (m->space != NULL)
		return m;
	free(m);
	return NULL;
}

/* Forget the program of a host that could not begin. */
static void
forget(struct dt_merging *m)
{
	tape_fold_destroy(m->fold);
	tape_merge_destroy(m->merge);
	dt_fleet_program_fini(&m->program);
	if (m->h != NULL)
		dt_close(m->h);
	m->program = (struct fleet_program){ 0 };
	m->fold = NULL;
	m->merge = NULL;
	m->h = NULL;
}

void
dt_merging_close(struct dt_merging *m)
{
	if (m == NULL)
		return;
	forget(m);
	record_space_destroy(m->space);
	free(m);
}

/* ---- hosts --------------------------------------------------------------- */

CHECKED static int
take_program(struct dt_merging *m, const struct record *r, struct err *err)
{
	m->h = dt_open();
	if (m->h == NULL)
		return err_set(err, -ENOMEM, "cannot read the program: %s",
		    strerror(ENOMEM));
	m->merge = dt_fleet_take_program(m->h, &m->program, r);
	if (m->merge == NULL)
		return err_set(err, -EINVAL, "%s", dt_errmsg(m->h));
	if (!dt_fleet_is_without_records(m->h->plan))
		return err_set(err, -EINVAL,
		    "its script makes records, which are not merged here");
	return 0;
}

CHECKED static int
create_fold(struct dt_merging *m, const struct record *r, struct err *err)
{
	const struct tape_fold_opts opts = { .pl = m->h->plan,
		.m = m->merge,
		.dof = m->program.dof.s,
		.dof_len = m->program.dof.len,
		.product = DT_PRODUCT,
		.name = m->name,
		.kernel = record_machine(r)->release,
		.max = m->max };

	return tape_fold_create(&opts, &m->fold, err);
}

/* A host that cannot begin leaves no program to the others. */
CHECKED static int
add_first(
    struct dt_merging *m, struct record *r, const char *host, struct err *err)
{
	int number, rc = take_program(m, r, err);

	if (rc != 0) {
		record_close(r);
		return rc;
	}
	number = dt_fleet_add_host(&m->program, m->merge, r, host, err);
	rc = number >= 0 ? create_fold(m, r, err) : number;
	return rc == 0 ? number : rc;
}

int
dt_merging_add(struct dt_merging *m, const char *host, const void *start,
    size_t len, struct err *err)
{
	struct record *r;
	int rc = record_open_fed(m->space, start, len, &r, err);

	if (rc != 0)
		return rc;
	if (m->merge != NULL)
		return dt_fleet_add_host(&m->program, m->merge, r, host, err);
	rc = add_first(m, r, host, err);
	if (rc < 0)
		forget(m);
	return rc;
}

bool
dt_merging_feed(struct dt_merging *m, int host, const void *data, size_t len)
{
	return tape_merge_feed(
	    m->merge, host, data, len, clock_read_ns(CLOCK_REALTIME));
}

size_t
dt_merging_damage(struct dt_merging *m, int host)
{
	size_t n = 0;

	while (tape_merge_damage(m->merge, host) != NULL)
		n++;
	return n;
}

bool
dt_merging_has_ended(const struct dt_merging *m, int host)
{
	int status;

	return tape_merge_has_ended(m->merge, host, &status);
}

/* ---- the merge ----------------------------------------------------------- */

int
dt_merging_take(struct dt_merging *m)
{
	return m->fold != NULL ? tape_fold_take(m->fold) : 0;
}

int
dt_merging_give(struct dt_merging *m, struct strbuf *out)
{
	int rc = dt_merging_take(m);

	return rc == 0 && m->fold != NULL ? tape_fold_give(m->fold, out) : rc;
}
