/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The batch in the kernel.  All its clauses are on one probe, so that the
 * runtime is verified once; a predicate on a variable that counts firings
 * selects the clause.  BPF_PROG_RUN runs the program, and its records are those
 * that dtrace would read.
 */
#include "diff.h"

#include <errno.h>
#include <bpf/bpf.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"
#include "exec/bpf/bpf_impl.h"

struct kernel {
	struct batch *b;
	struct dif_prog *prog;
	struct plan *pl;
	struct diags diags;
	struct dt_exec *x;
	uint64_t nfirings;
	VEC(struct strbuf) written; /* after each odd firing */
};

static const struct dt_probe probe = { .id = 1,
	.prov = probe_names[0],
	.mod = probe_names[1],
	.func = probe_names[2],
	.name = probe_names[3],
	.kind = DT_PROBE_RUN };

/* ---- the program -------------------------------------------------------- */

static void
add_action(struct dif_clause *cl, struct dif_obj *dp)
{
	const struct dif_action act = { .kind = DT_ACT_DIFEXPR, .difo = dp };

	VEC_PUSH(&cl->actions, act);
}

/* Add a clause; its objects still belong to the batch. */
static void
add_clause(struct kernel *k, const struct clause *c, uint64_t turn)
{
	struct dif_clause cl = { .pred = gen_is_turn(turn) };

	VEC_FOREACH(&c->objs, dp)
		add_action(&cl, *dp);
	VEC_PUSH(&k->prog->clauses, cl);
}

static void
add_counter(struct kernel *k)
{
	struct dif_clause cl = { 0 };

	add_action(&cl, gen_count());
	VEC_PUSH(&k->prog->clauses, cl);
}

/*
 * Clauses fire in even turns, and the observer in every odd one: its predicate
 * tests the number's lowest bit.
 */
static struct dif_obj *
gen_is_odd(void)
{
	struct dif_obj *dp = gen_is_turn(1);

	dp->text[2] = dif_instr(DIF_OP_AND, 1, 2, 1);
	dp->text[3] = dif_instr(DIF_OP_NOP, 0, 0, 0);
	dp->text[4] = dif_instr(DIF_OP_NOP, 0, 0, 0);
	return dp;
}

static void
add_observer(struct kernel *k)
{
	add_clause(k, &k->b->observer, 0);
	dif_obj_destroy(k->prog->clauses.v[k->prog->clauses.n - 1].pred);
	k->prog->clauses.v[k->prog->clauses.n - 1].pred = gen_is_odd();
}

/* A plan uses each object's summary of uses, which the verifier computes. */
static int
verify_clause(struct dif_clause *cl, struct err *err)
{
	if (cl->pred != NULL && dif_verify(cl->pred, err) != 0)
		return -1;
	VEC_FOREACH(&cl->actions, act) {
		if (dif_verify(act->difo, err) != 0)
			return -1;
	}
	return 0;
}

static int
verify_program(struct kernel *k, struct err *err)
{
	VEC_FOREACH(&k->prog->clauses, cl) {
		if (verify_clause(cl, err) != 0)
			return -1;
	}
	return 0;
}

static void
make_program(struct kernel *k)
{
	uint64_t turn = 0;

	k->prog = dif_prog_create();
	for (size_t i = 0; i < k->b->clauses.n; i++) {
		add_clause(k, &k->b->clauses.v[i], turn);
		if (batch_ends_firing(k->b, i))
			turn += 2;
	}
	k->nfirings = turn;
	add_observer(k);
	add_counter(k);
}

/* Free the program, but not the batch's objects in it. */
static void
free_program(struct kernel *k)
{
	for (size_t i = 0; i + 1 < k->prog->clauses.n; i++) {
		VEC_FOREACH(&k->prog->clauses.v[i].actions, act)
			act->difo = NULL;
	}
	dif_prog_destroy(k->prog);
}

/* ---- records ------------------------------------------------------------ */

static void
take_fault(const struct dt_errinfo *err, struct outcome *out)
{
	out->is_fault = true;
	out->action = err->action;
	out->fault = (enum dif_fault)err->fault;
	out->offset = err->offset;
	out->value = err->value;
	out->value_is_own = err->value >= 0xffff800000000000ULL;
}

static void
take_data(const struct plan_clause *pc, const struct dt_record *rec,
    struct outcome *out)
{
	VEC_FOREACH(&pc->recs, r)
		strbuf_add(&out->data, rec->data + r->offset, r->size);
}

static int
take_record(const struct dt_record *rec, void *arg)
{
	struct kernel *k = arg;
	struct outcome out = { 0 };

	if (rec->epid == 0)
		take_fault(&rec->err, &out);
	else
		take_data(plan_by_epid(k->pl, rec->epid, NULL), rec, &out);
	VEC_PUSH(&k->b->kernel, out);
	return 0;
}

/* ---- running ------------------------------------------------------------ */

static void
note_written(struct kernel *k)
{
	struct strbuf sb = { 0 };

	take_written(&k->b->env, &sb);
	VEC_PUSH(&k->written, sb);
}

/* Add the written bytes to the outcomes of the observer, which fired in odd
 * turns. */
static void
add_written(struct kernel *k)
{
	size_t n = 0;

	for (size_t i = 0; i < k->b->host.n; i++) {
		const struct strbuf *sb = &k->written.v[n];

		if (!k->b->host.v[i].is_observed)
			continue;
		strbuf_add(&k->b->kernel.v[i].data, sb->s, sb->len);
		n++;
	}
}

static int
run_all(struct kernel *k, struct err *err)
{
	uint64_t args[12] = { 0 };
	LIBBPF_OPTS(
	    bpf_test_run_opts, o, .ctx_in = args, .ctx_size_in = sizeof(args));

	take_written(&k->b->env, NULL);
	for (uint64_t i = 0; i < k->nfirings; i++) {
		if (bpf_prog_test_run_opts(
			bx_of(k->x)->groups[0].progs.v[0], &o) != 0)
			return err_set(err, -EINVAL, "BPF_PROG_RUN failed");
		if (i % 2 == 1)
			note_written(k);
	}
	dt_exec_bpf.drain(k->x, false, take_record, k);
	if (k->b->kernel.n == k->b->host.n) {
		add_written(k);
		return 0;
	}
	if (k->b->host.n == 0)
		return 0;
	return err_set(
	    err, -EINVAL, "%zu records, not %zu", k->b->kernel.n, k->b->host.n);
}

static int
load_and_run(struct kernel *k, const struct dt_exec_opts *opts, struct err *err)
{
	int rc;

	plan_add_program(k->pl, k->prog, &k->diags);
	VEC_FOREACH(&k->pl->clauses, pc)
		plan_clause_add_probe(pc, &probe);
	plan_finish(k->pl);
	rc = dt_exec_bpf.load(k->pl, opts, &k->diags, &k->x, err);
	if (rc != 0)
		return rc;
	rc = run_all(k, err);
	dt_exec_bpf.destroy(k->x);
	return rc;
}

int
kernel_run(struct batch *b, struct err *err)
{
	const struct plan_opts popts = {
		.strsize = b->env.strsize, .stackframes = 20, .printsize = 256
	};
	const struct dt_exec_opts opts = { .bufsize = 8 << 20,
		.bufsize_set = true,
		.bufpolicy = DT_BUF_SWITCH,
		.aggsize = 1 << 20,
		.dynvarsize = DYNVAR_SIZE,
		.strsize = b->env.strsize,
		.nspec = GEN_NSPEC,
		.cpu = -1,
		.target = -1,
		.scratchsize = gen_scratch(&b->env) };
	struct kernel k = { .b = b };
	int rc;

	diags_init(&k.diags);
	make_program(&k);
	k.pl = plan_create(&popts);
	rc = verify_program(&k, err);
	if (rc == 0)
		rc = load_and_run(&k, &opts, err);
	VEC_FOREACH(&k.written, sb)
		strbuf_fini(sb);
	VEC_FREE(&k.written);
	plan_destroy(k.pl);
	free_program(&k);
	diags_fini(&k.diags);
	return rc;
}
