/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The code of probes that come while tracing: it is put into the room behind
 * the region's first code.
 */
#include "exec/process/emit/compile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"
#include "exec/process/inside/fire.h"

void
pr_load_barrier_emit(struct pr_tr *t)
{
	struct x_asm *a = t->a;

	t->x->load_barrier_entry = a->at + x_here(a);
	pr_function(t, "wait for dtrace to see new code");
	x_label none = x_new_label(a);

	pr_ask_for_room(t, none);
	x_lea(a, X_RDI, X_IN_REGION(t->x->conf.own));
	x_lea(a, X_RSI, X_IN_REGION(t->x->conf_off));
	x_lea(a, X_RDX, X_AT(X_RSP, 8)); /* behind the return address */
	x_mov(a, X_RCX, X_RAX);
	pr_call(t, "pr_load_barrier");
	x_bind(a, none);
	x_ret(a);
}

static void
emit_late(struct pr_tr *t)
{
	pr_names_begin(t);
	VEC_FOREACH(&t->x->bodies, b) {
		if (b->entry == 0)
			pr_body_emit(t, b);
	}
	pr_names_end(t);
	x_finish(t->a);
}

/* Write descriptions, code and names of late probes to the room: the code
 * behind the rest, then the names. */
CHECKED static int
put_late(struct pr_exec *x, const struct x_asm *a, const struct strbuf *names,
    struct err *err)
{
	uint64_t code_end = (uint64_t)a->at + x_here(a);
	uint64_t end = code_end + names->len;
	int rc = end <= x->code_size ? 0 : -E2BIG;

	if (rc != 0)
		goto out;
	rc = code_file_put(&x->code, x->room, x->consts.s, x->consts.len);
	if (rc != 0)
		goto out;
	rc = code_file_put(&x->code, a->at, a->code.s, x_here(a));
	if (rc != 0)
		goto out;
	rc = code_file_put(&x->code, code_end, names->s, names->len);
	if (rc != 0)
		goto out;
	x->room = (uint32_t)((end + 15) & ~15ULL);
out:
	if (rc != 0)
		err_set(err, rc,
		    "no room for probes that came while tracing: %s",
		    strerror(-rc));
	return rc;
}

CHECKED static int
fill_room(struct pr_exec *x, struct err *err)
{
	struct x_asm a = { .at = pr_const(x, "", 0) };
	struct strbuf names = { 0 };
	struct pr_tr t = { .x = x,
		.a = &a,
		.names = &names,
		.error_at = x->error_at,
		.error_used = x->error_used };
	int rc;

	emit_late(&t);
	if (t.refused != NULL) {
		rc = err_take(err, -ENOTSUP, pr_refusal(x, &t));
	} else {
		rc = put_late(x, &a, &names, err);
	}
	free(t.refused);
	VEC_FREE(&t.exits);
	VEC_FREE(&t.slow);
	strbuf_fini(&names);
	x_fini(&a);
	return rc;
}

int
pr_compile_late(struct pr_exec *x, struct err *err)
{
	size_t nbodies = x->bodies.n;
	int rc;

	strbuf_reset(&x->consts);
	x->consts_at = x->room;
	rc = pr_bodies_make_late(x, err);
	if (rc == 0)
		rc = fill_room(x, err);
	if (rc != 0) /* bodies outside the region must not be planted */
		pr_bodies_cut(x, nbodies, x->consts_at);
	return rc;
}
