/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recording firings: with option record, a clause without a body records
 * what its probe says, and a replay runs other programs over it.
 *
 *	syscall:::		CPU and time (of every record), pid, tid,
 *				execname, ppid, uid, gid, errno, arg0 ...,
 *				the stacks that are asked for
 *	syscall:::, arg 0	tid, copyinstr(arg0): probes whose arg0 is a string
 *	syscall:::, arg 1	...
 *
 * These are ordinary actions, so every substrate records firings as it is.  A
 * fault ends a clause, and takes its record.  So each string has a clause of
 * its own, which follows that of the firing: a string that is not in memory
 * costs nothing but itself.
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "libdtrace/dt_impl.h"

#define NARGS 10

/* The data to record for a clause without a body. */
struct wanted {
	/* the largest number of arguments of one of its probes */
	uint32_t nargs;
	bool is_syscall; /* all its probes are system calls */
	/* [argument]: one of its probes has a string there */
	bool strings[NARGS];
};

static bool
is_string(const struct dt_argdesc *a)
{
	const char *t = a->native;

	if (strncmp(t, "const ", 6) == 0)
		t += 6;
	return a->is_userland &&
	    (strcmp(t, "char *") == 0 || strcmp(t, "string") == 0);
}

/* Is argument n of the probe the address of a string in the process? */
static bool
has_string(const struct dt_probe *p, uint32_t n)
{
	struct dt_argdesc args[DT_NARGS_MAX];
	size_t nargs = dt_probe_args(dt_probe_shown(p), args);

	for (size_t i = 0; i < nargs; i++) {
		if (args[i].mapping == n && is_string(&args[i]))
			return true;
	}
	return false;
}

/* The native arguments of a probe; functions do not tell how many they have. */
static uint32_t
nargs_of(const struct dt_probe *p)
{
	struct dt_argdesc args[DT_NARGS_MAX];
	size_t nargs = dt_probe_args(dt_probe_shown(p), args);
	uint32_t n = 0;

	if (nargs == 0)
		return p->kind == DT_PROBE_RUN ? 0 : NARGS;
	for (size_t i = 0; i < nargs; i++)
		n = args[i].mapping >= n ? args[i].mapping + 1U : n;
	/* profile, pid: those that D has beyond args[] */
	return n < 2 ? 2 : n < NARGS ? n : NARGS;
}

static struct wanted
wanted_of(const struct dt_prog *p, size_t clause)
{
	struct wanted w = { .is_syscall = true };

	VEC_FOREACH(&p->matches[clause].probes, pp) {
		uint32_t n = nargs_of(*pp);

		w.nargs = n > w.nargs ? n : w.nargs;
		w.is_syscall &= strcmp((*pp)->prov, "syscall") == 0;
		for (uint32_t i = 0; i < NARGS; i++)
			w.strings[i] |= has_string(*pp, i);
	}
	if (dt_match_may_grow(p, clause)) {
		w.nargs = NARGS;
		w.is_syscall = false;
	}
	return w;
}

/* ---- actions ------------------------------------------------------------- */

static struct dif_obj *
object_create(uint32_t ntext)
{
	struct dif_obj *dp = mem_alloc(sizeof(*dp));

	dp->ntext = ntext;
	dp->text = mem_alloc(ntext * sizeof(*dp->text));
	return dp;
}

static struct dif_obj *
variable(uint16_t var, uint32_t size)
{
	struct dif_obj *dp = object_create(2);

	dp->text[0] = dif_instr_w(DIF_OP_LDGS, var, 1);
	dp->text[1] = dif_instr(DIF_OP_RET, 0, 0, 1);
	dp->rtype = (struct dif_type){
		.kind = DIF_TYPE_CTF, .ckind = CTF_K_INTEGER, .size = size
	};
	if (size == 0)
		dp->rtype = (struct dif_type){ .kind = DIF_TYPE_STRING,
			.flags = DIF_TF_BYREF };
	return dp;
}

static struct dif_obj *
string_at(uint16_t var)
{
	struct dif_obj *dp = object_create(4);

	dp->text[0] = dif_instr_w(DIF_OP_LDGS, var, 1);
	dp->text[1] = dif_instr(DIF_OP_PUSHTV, 0, 0, 1);
	dp->text[2] = dif_instr_w(DIF_OP_CALL, DIF_SUBR_COPYINSTR, 1);
	dp->text[3] = dif_instr(DIF_OP_RET, 0, 0, 1);
	dp->rtype =
	    (struct dif_type){ .kind = DIF_TYPE_STRING, .flags = DIF_TF_BYREF };
	return dp;
}

/* Take the object. */
static int
add(struct dt_hdl *h, struct dif_clause *c, enum dif_firing datum,
    struct dif_obj *dp)
{
	bool is_string = dp->rtype.kind == DIF_TYPE_STRING;
	struct dif_action act = { .kind = DT_ACT_DIFEXPR,
		.is_signed = !is_string,
		.group = DIF_FIRING_GROUP + datum,
		.difo = dp,
		.span = c->span };
	struct err err = { 0 };

	if (dif_verify(dp, &err) != 0) {
		dif_obj_destroy(dp);
		return dt_fail_err(h, &err);
	}
	act.type_name = mem_strdup(is_string ? "string" :
		dp->rtype.size == 4	     ? "int" :
					       "int64_t");
	VEC_PUSH(&c->actions, act);
	return 0;
}

/* Add the data of the first n kinds, which are variables. */
static int
add_variables(struct dt_hdl *h, struct dif_clause *c, enum dif_firing n)
{
	static const struct {
		uint16_t var;
		uint32_t size;
	} data[] = {
		[DIF_FIRING_PID] = { DIF_VAR_PID, 4 },
		[DIF_FIRING_TID] = { DIF_VAR_TID, 4 },
		[DIF_FIRING_EXECNAME] = { DIF_VAR_EXECNAME, 0 },
		[DIF_FIRING_PPID] = { DIF_VAR_PPID, 4 },
		[DIF_FIRING_UID] = { DIF_VAR_UID, 4 },
		[DIF_FIRING_GID] = { DIF_VAR_GID, 4 },
		[DIF_FIRING_ERRNO] = { DIF_VAR_ERRNO, 4 },
	};
	int rc = 0;

	for (enum dif_firing i = 0; i < n && rc == 0; i++)
		rc = add(h, c, i, variable(data[i].var, data[i].size));
	return rc;
}

int
dt_firing_add_thread(struct dt_hdl *h, struct dif_clause *c)
{
	return add_variables(h, c, DIF_FIRING_EXECNAME + 1);
}

/* A stack, if the option asks for it: of so many frames, or as many as stack()
 * has. */
static void
add_stack(struct dt_hdl *h, struct dif_clause *c, enum dt_opt opt,
    enum dif_firing datum)
{
	int64_t frames = dt_opt(h, opt);
	bool is_user = datum == DIF_FIRING_USTACK;

	if (!h->opts.vals[opt].is_set)
		return;
	if (frames == 0)
		frames = dt_opt(
		    h, is_user ? DT_OPT_USTACKFRAMES : DT_OPT_STACKFRAMES);
	VEC_PUSH(&c->actions,
	    ((struct dif_action){
		.kind = is_user ? DT_ACT_USTACK : DT_ACT_STACK,
		.arg = (uint64_t)frames,
		.group = DIF_FIRING_GROUP + datum,
		.span = c->span }));
}

static int
add_firing(struct dt_hdl *h, struct dif_clause *c, const struct wanted *w)
{
	int rc = add_variables(
	    h, c, w->is_syscall ? DIF_FIRING_ERRNO + 1 : DIF_FIRING_ERRNO);

	for (uint32_t i = 0; i < w->nargs && rc == 0; i++)
		rc = add(h, c, DIF_FIRING_ARG0 + i,
		    variable((uint16_t)(DIF_VAR_ARG0 + i), 8));
	if (rc != 0)
		return rc;
	add_stack(h, c, DT_OPT_RECORDSTACK, DIF_FIRING_STACK);
	add_stack(h, c, DT_OPT_RECORDUSTACK, DIF_FIRING_USTACK);
	return 0;
}

/* ---- strings ------------------------------------------------------------- */

static void
copy_pdescs(struct dif_clause *to, const struct dif_clause *from)
{
	VEC_FOREACH(&from->pdescs, d) {
		struct dif_pdesc copy = *d;

		copy.prov = mem_strdup(d->prov != NULL ? d->prov : "");
		copy.mod = mem_strdup(d->mod != NULL ? d->mod : "");
		copy.func = mem_strdup(d->func != NULL ? d->func : "");
		copy.name = mem_strdup(d->name != NULL ? d->name : "");
		VEC_PUSH(&to->pdescs, copy);
	}
}

static void
add_match(struct dt_prog *p, size_t clause, uint32_t n)
{
	size_t nclauses = p->dif->clauses.n;
	struct dt_match *m = mem_alloc(nclauses * sizeof(*m));

	memcpy(m, p->matches, (nclauses - 1) * sizeof(*m));
	free(p->matches);
	p->matches = m;
	m[nclauses - 1].is_met = mem_alloc(p->dif->clauses.v[clause].pdescs.n);
	memcpy(m[nclauses - 1].is_met, m[clause].is_met,
	    p->dif->clauses.v[clause].pdescs.n);
	VEC_FOREACH(&m[clause].probes, pp) {
		if (has_string(*pp, n))
			VEC_PUSH(&m[nclauses - 1].probes, *pp);
	}
}

/* A clause of the probes whose argument n is a string, if it is no NULL and the
 * firing is recorded. */
static int
add_string(struct dt_hdl *h, struct dt_prog *p, size_t clause, uint32_t n)
{
	const struct dif_clause *of = &p->dif->clauses.v[clause];
	uint16_t var = (uint16_t)(DIF_VAR_ARG0 + n);
	struct dif_clause c = { .span = of->span, .attr = of->attr };
	struct err err = { 0 };
	int rc;

	copy_pdescs(&c, of);
	c.pred = of->pred != NULL ? dt_firing_pred_and(of->pred, var) :
				    variable(var, 8);
	rc = dif_verify(c.pred, &err) != 0 ? dt_fail_err(h, &err) : 0;
	if (rc == 0)
		rc = add(h, &c, DIF_FIRING_TID, variable(DIF_VAR_TID, 4));
	if (rc == 0)
		rc = add(h, &c, DIF_FIRING_STR0 + n, string_at(var));
	VEC_PUSH(&p->dif->clauses, c);
	add_match(p, clause, n);
	return rc;
}

int
dt_firing_add(struct dt_hdl *h, struct dt_prog *p)
{
	size_t n = p->dif->clauses.n;
	int rc = 0;

	if (!h->opts.vals[DT_OPT_RECORD].is_set)
		return 0;
	for (size_t i = 0; i < n && rc == 0; i++) {
		struct dif_clause *c = &p->dif->clauses.v[i];
		struct wanted w;

		if (!c->default_action || c->actions.n != 0)
			continue;
		w = wanted_of(p, i);
		rc = add_firing(h, c, &w);
		/* firings are replayed in the order of time */
		if (rc == 0)
			rc = dt_setopt(h, "temporal", NULL);
		for (uint32_t k = 0; k < NARGS && rc == 0; k++) {
			if (w.strings[k])
				rc = add_string(h, p, i, k);
		}
	}
	return rc;
}
