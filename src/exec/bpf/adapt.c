/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probes that are made of others (provider.h, struct dt_adapt).
 *
 *	the origin's arguments, saved by its context's prologue
 *	  --> predicate: false, or a fault: this is no firing
 *	  --> each argument that a clause uses; 0 after a fault
 *	then the clauses, which see nothing of the origin but its context
 */
#include "exec/bpf/tr.h"

#include <string.h>

typedef bool difo_f(const struct dif_obj *dp, const void *arg);

static bool
any_obj(const struct dt_adapt *ad, difo_f *f, const void *arg)
{
	if (ad->pred != NULL && f(ad->pred, arg))
		return true;
	for (size_t i = 0; i < ad->nargs; i++) {
		if (f(ad->args[i], arg))
			return true;
	}
	return false;
}

static bool
uses_var(const struct dif_obj *dp, const void *arg)
{
	return bx_difo_uses_var(dp, *(const uint32_t *)arg);
}

bool
bx_adapt_uses_var(const struct dt_adapt *ad, uint32_t id)
{
	return any_obj(ad, uses_var, &id);
}

static bool
needs_slot(const struct dif_obj *dp, const void *arg)
{
	return bx_difo_needs_slot(arg, dp);
}

bool
bx_adapt_needs_slot(const struct bx_layout *lo, const struct dt_adapt *ad)
{
	return any_obj(ad, needs_slot, lo);
}

static bool
uses_tls(const struct dif_obj *dp, const void *arg)
{
	(void)arg;
	return bx_difo_uses_tls(dp);
}

/* r0 <- the object's value, 0 after a fault. */
static void
value_or_zero(struct bx_tr *t, const struct dif_obj *dp)
{
	struct bx_asm *a = &t->a;
	bx_label fault, done;

	bx_difo(t, dp);
	if (t->stubs.n == 0)
		return;
	fault = bx_new_label(a);
	done = bx_new_label(a);
	bx_ja(a, done);
	bx_emit_stubs(t, fault);
	bx_bind(a, fault);
	if (bx_adapt_needs_slot(t->lo, t->adapt))
		bx_sti(a, 8, R9, offsetof(struct rt_mstate, fault), 0);
	bx_movi(a, R0, 0);
	bx_bind(a, done);
}

void
bx_adapt(struct bx_tr *t, bx_label done)
{
	const struct dt_adapt *ad = t->adapt;
	struct bx_asm *a = &t->a;
	int own[10];

	t->pc = t->clauses.v[0];
	bx_note(t, (struct diag_span){ 0 }, "adaption");
	memcpy(own, t->arg_off, sizeof(own));
	memcpy(t->arg_off, t->origin_off, sizeof(own));
	if (any_obj(ad, uses_tls, NULL))
		bx_find_tls(t);
	if (bx_adapt_uses_var(ad, DIF_VAR_TIMESTAMP))
		bx_need_time(t);
	if (bx_adapt_needs_slot(t->lo, ad))
		bx_need_slot(t, done);
	if (ad->pred != NULL) {
		value_or_zero(t, ad->pred);
		bx_jcci(a, BPF_JEQ, R0, 0, done);
	}
	for (size_t n = 0; n < 10; n++) {
		if (own[n] == 0)
			continue;
		if (n < ad->nargs)
			value_or_zero(t, ad->args[n]);
		else
			bx_movi(a, R0, 0);
		bx_stx(a, 8, R10, own[n], R0);
	}
	memcpy(t->arg_off, own, sizeof(own));
}
