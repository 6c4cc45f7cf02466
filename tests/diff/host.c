/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The batch in the interpreter, and the rules for the interpreter alone:
 *
 *	every run agrees with dif_flow() on registers and the tuple stack
 *	a second run, in a new machine, ends the same way; so does compiled code
 *	a NOP anywhere changes nothing but the place of a fault
 *	an object that is printed and read again is the same object
 */
#include "diff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "dif/flow.h"

/* Addresses this close to the machine's memory count as its own. */
#define OWN_SLACK 65536

const char probe_names[6][16] = { "dtrace", "", "", "BEGIN", "dtrace:::BEGIN",
	"global" };
/* This process as the kernel sees it; texts are cut to the size of strings. */
static char comm[16];
#define TEXT_MAX 1024
enum { TEXT_CWD, TEXT_ROOT, TEXT_ARGS, NTEXTS };
static char texts[NTEXTS][TEXT_MAX], cut_texts[NTEXTS][TEXT_MAX];

static uint64_t
addr_of(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

/* Read comm, or the arguments with blanks between them, as one line. */
static void
read_proc(const char *name, char *to, size_t size)
{
	FILE *f = fopen(name, "re");
	size_t n = f != NULL ? fread(to, 1, size - 1, f) : 0;

	if (n > 0 && (to[n - 1] == '\n' || to[n - 1] == '\0'))
		n--;
	for (size_t i = 0; i < n; i++)
		to[i] = to[i] == '\0' ? ' ' : to[i];
	to[n] = '\0';
	if (f != NULL)
		fclose(f);
}

/* Read the facts that the kernel has about this process. */
static void
read_process(uint32_t strsize)
{
	if (comm[0] == '\0') {
		read_proc("/proc/self/comm", comm, sizeof(comm));
		read_proc("/proc/self/cmdline", texts[TEXT_ARGS], TEXT_MAX);
		if (getcwd(texts[TEXT_CWD], TEXT_MAX) == NULL)
			abort();
		strcpy(texts[TEXT_ROOT], "/");
	}
	for (int i = 0; i < NTEXTS; i++)
		snprintf(cut_texts[i], strsize, "%s", texts[i]);
}

static void
host_firing(struct in_firing *f, uint32_t epid)
{
	memset(f, 0, sizeof(*f));
	f->vars[RT_VAR_PID] = (uint64_t)getpid();
	f->vars[RT_VAR_TID] = (uint64_t)gettid();
	f->vars[RT_VAR_PPID] = (uint64_t)getppid();
	f->vars[RT_VAR_UID] = getuid();
	f->vars[RT_VAR_GID] = getgid();
	f->vars[RT_VAR_EPID] = epid;
	f->vars[RT_VAR_ID] = 1;
	f->vars[RT_VAR_CPU] = 0;
	f->vars[RT_VAR_PROBEPROV] = addr_of(probe_names[0]);
	f->vars[RT_VAR_PROBEMOD] = addr_of(probe_names[1]);
	f->vars[RT_VAR_PROBEFUNC] = addr_of(probe_names[2]);
	f->vars[RT_VAR_PROBENAME] = addr_of(probe_names[3]);
	f->vars[RT_VAR_PROBE] = addr_of(probe_names[4]);
	f->vars[RT_VAR_ZONENAME] = addr_of(probe_names[5]);
	f->vars[RT_VAR_EXECNAME] = addr_of(comm);
	f->vars[RT_VAR_THREADNAME] = addr_of(comm);
	f->vars[RT_VAR_CURTHREAD] = 0xffff800000001000;
	f->vars[RT_VAR_CWD] = addr_of(cut_texts[TEXT_CWD]);
	f->vars[RT_VAR_ROOT] = addr_of(cut_texts[TEXT_ROOT]);
	f->vars[RT_VAR_EXECARGS] = addr_of(cut_texts[TEXT_ARGS]);
	f->thread = (uint64_t)gettid();
}

/* ---- running ------------------------------------------------------------ */

/* One of the two machines. */
struct host {
	bool is_compiled;
	struct rt_range names[3], user;
	struct in_opts opts;
	VEC(const struct dif_obj *) objs;
	struct in_machine *m;
	struct jit_machine *jit;
};

static void
fire(struct host *h, const struct in_firing *f)
{
	if (h->is_compiled)
		jit_fire(h->jit, f);
	else
		in_fire(h->m, f);
}

static void
begin_clause(struct host *h, uint32_t epid)
{
	if (h->is_compiled)
		jit_clause(h->jit, epid);
	else
		in_clause(h->m, epid);
}

static void
run(struct host *h, uint32_t i, struct in_result *res)
{
	if (h->is_compiled)
		jit_run(h->jit, i, res);
	else
		in_run(h->m, i, res);
}

static int
read_result(const struct host *h, void *to, uint64_t addr, uint64_t size,
    bool is_string)
{
	if (h->is_compiled)
		return is_string ? jit_read_str(h->jit, to, addr, size) :
				   jit_read(h->jit, to, addr, size);
	return is_string ? in_read_str(h->m, to, addr, size) :
			   in_read(h->m, to, addr, size);
}

static bool
is_own(const struct host *h, uint64_t addr)
{
	return h->is_compiled ? jit_is_own(h->jit, addr, OWN_SLACK) :
				in_is_own(h->m, addr, OWN_SLACK);
}

static void
machine(struct host *h, const struct gen_env *env)
{
	struct err err = { 0 };

	read_process(env->strsize);
	h->names[0] = (struct rt_range){ .addr = addr_of(probe_names),
		.size = sizeof(probe_names) };
	h->names[1] =
	    (struct rt_range){ .addr = addr_of(comm), .size = sizeof(comm) };
	h->names[2] = (struct rt_range){ .addr = addr_of(cut_texts),
		.size = sizeof(cut_texts) };
	h->user = (struct rt_range){ .addr = env->user, .size = GEN_USER_SIZE };
	h->opts = (struct in_opts){ .strsize = env->strsize,
		.scratchsize = gen_scratch(env),
		.dynvarsize = DYNVAR_SIZE,
		.nspec = GEN_NSPEC,
		.kernel = { h->names, 3 },
		.user = { &h->user, 1 } };
	if (h->is_compiled)
		h->jit = jit_machine_create(
		    &h->opts, h->objs.v, (uint32_t)h->objs.n, &err);
	else
		h->m = in_machine_create(
		    &h->opts, h->objs.v, (uint32_t)h->objs.n, &err);
	if (err.text != NULL) {
		fprintf(stderr, "no machine: %s\n", err.text);
		exit(1);
	}
}

/* Record a result; for a bad address, the record is a fault without a place. */
static void
record_result(const struct host *h, const struct dif_obj *dp,
    struct in_result *res, const struct gen_env *env, struct outcome *out)
{
	const struct dif_type *t = &dp->rtype;
	uint32_t size = t->kind == DIF_TYPE_STRING ? env->strsize : t->size;
	char *to = strbuf_room(&out->data, size);
	int rc = 0;

	if (!(t->flags & DIF_TF_BYREF))
		memcpy(to, &res->value, size);
	else
		rc = read_result(
		    h, to, res->value, size, t->kind == DIF_TYPE_STRING);
	out->data.len += size;
	if (rc != 0)
		*res = (struct in_result){ true, DIF_FLT_BADADDR, UINT32_MAX,
			res->value };
}

static void
fire_clause(struct host *h, const struct gen_env *env, uint32_t first,
    const struct clause *c, struct outcome *out)
{
	struct in_result res;

	for (uint32_t i = 0; i < c->objs.n; i++) {
		run(h, first + i, &res);
		if (!res.is_fault)
			record_result(h, c->objs.v[i], &res, env, out);
		if (!res.is_fault)
			continue;
		out->is_fault = true;
		out->action = i + 1;
		out->fault = res.fault;
		out->offset = (int32_t)res.offset;
		out->value = res.value;
		out->value_is_own = is_own(h, res.value);
		return;
	}
}

static void
add_objects(struct host *h, const struct clause *c)
{
	VEC_FOREACH(&c->objs, dp)
		VEC_PUSH(&h->objs, *dp);
}

static void
host_fini(struct host *h)
{
	if (h->is_compiled)
		jit_machine_destroy(h->jit);
	else
		in_machine_destroy(h->m);
	VEC_FREE(&h->objs);
}

/* Take the bytes that were written to the process, and zero them. */
void
take_written(const struct gen_env *env, struct strbuf *out)
{
	char *p = (char *)(uintptr_t)(env->user + GEN_OUT_FIRST);

	if (out != NULL)
		strbuf_add(out, p, GEN_OUT_SIZE);
	memset(p, 0, GEN_OUT_SIZE);
}

/* Fire the observer after clause i; its first object is objs[observer]. */
static void
observe(struct host *h, struct batch *b, uint32_t observer, uint32_t i,
    struct outcomes *outs)
{
	struct outcome seen = { .clause = i, .is_observed = true };
	struct in_firing f;

	host_firing(&f, 0);
	fire(h, &f);
	fire_clause(h, &b->env, observer, &b->observer, &seen);
	take_written(&b->env, &seen.data);
	VEC_PUSH(outs, seen);
}

/* Coverage of the running object. */
struct meeting {
	struct host *h;
	struct coverage *cov;
	uint32_t strsize;
};

static void
meet(void *arg, uint32_t obj, uint32_t pc, const uint64_t *regs, uint32_t depth)
{
	struct meeting *me = arg;

	cover_instruction(me->cov, me->h->m, me->strsize,
	    me->h->objs.v[obj]->text[pc], regs, depth);
}

/* Count the end of a clause's object. */
static void
meet_end(struct coverage *cov, const struct batch *b, const struct clause *c,
    const struct outcome *out)
{
	const struct in_result res = { .is_fault = out->is_fault,
		.fault = out->fault,
		.offset = (uint32_t)out->offset,
		.value = out->value };

	cov->last = 0;
	cov->loaded_elem = false;
	if (out->is_fault && out->offset >= 0)
		cover_end(cov, &b->env, c->objs.v[out->action - 1], &res);
}

/* Fire the clause, and count if there is a coverage. */
static void
fire_watched(struct host *h, const struct batch *b, uint32_t first,
    const struct clause *c, struct coverage *cov, struct outcome *out)
{
	struct meeting me = { h, cov, b->env.strsize };

	if (cov != NULL)
		in_watch(h->m, meet, &me);
	fire_clause(h, &b->env, first, c, out);
	if (cov == NULL)
		return;
	in_watch(h->m, NULL, NULL);
	meet_end(cov, b, c, out);
}

static void
run_batch(bool is_compiled, struct batch *b, struct outcomes *outs,
    struct coverage *cov)
{
	struct host h = { .is_compiled = is_compiled };
	struct in_firing f;
	uint32_t first = 0, observer;

	VEC_FOREACH(&b->clauses, c)
		add_objects(&h, c);
	observer = (uint32_t)h.objs.n;
	add_objects(&h, &b->observer);
	machine(&h, &b->env);
	take_written(&b->env, NULL);
	for (uint32_t i = 0; i < b->clauses.n; i++) {
		const struct clause *c = &b->clauses.v[i];
		struct outcome out = { .clause = i };

		host_firing(&f, i + 1);
		if (i == 0 || !c->joins)
			fire(&h, &f);
		begin_clause(&h, i + 1);
		fire_watched(&h, b, first, c, cov, &out);
		VEC_PUSH(outs, out);
		first += (uint32_t)c->objs.n;
		if (batch_ends_firing(b, i))
			observe(&h, b, observer, i, outs);
	}
	host_fini(&h);
}

void
host_run(struct batch *b, struct coverage *cov)
{
	run_batch(false, b, &b->host, cov);
}

void
compiled_run(struct batch *b)
{
	run_batch(true, b, &b->compiled, NULL);
}

/* ---- claims of dif_flow() ----------------------------------------------- */

struct facts {
	const struct in_machine *m;
	const struct dif_obj *dp;
	struct dif_state *at;
	bool *is_reached;
	struct coverage *cov;
	uint32_t strsize;
	char *broken;
};

static bool
keep_state(void *arg, uint32_t pc, const struct dif_state *st)
{
	struct facts *fa = arg;

	fa->at[pc] = *st;
	fa->is_reached[pc] = true;
	return true;
}

static bool
value_holds(const struct facts *fa, const struct dif_value *v, uint64_t r)
{
	switch ((enum dif_kind)v->kind) {
	case DIF_K_CONST:
		return r == v->v;
	case DIF_K_STRING:
		return in_is_own(fa->m, r, 0);
	case DIF_K_SCRATCH:
		return v->v > v->size || v->size == 0 ||
		    (in_is_own(fa->m, r, 1) && ((r - v->v) & 7) == 0);
	case DIF_K_VAR:
	case DIF_K_ELEM:
		return r == v->v || in_is_own(fa->m, r - v->v, 0);
	case DIF_K_UNSET:
	case DIF_K_ANY:
		return true;
	}
	return false;
}

static void
check_facts(
    void *arg, uint32_t obj, uint32_t pc, const uint64_t *regs, uint32_t depth)
{
	struct facts *fa = arg;
	const struct dif_state *st = &fa->at[pc];

	(void)obj;
	cover_instruction(
	    fa->cov, fa->m, fa->strsize, fa->dp->text[pc], regs, depth);
	if (fa->broken != NULL)
		return;
	if (!fa->is_reached[pc])
		fa->broken = mem_printf("instruction %u runs, but dif_flow() "
					"does not reach it",
		    pc);
	else if (depth < st->depth_min || depth > st->depth_max)
		fa->broken = mem_printf("instruction %u: the tuple stack's "
					"depth is %u, not within %u ... %u",
		    pc, depth, st->depth_min, st->depth_max);
	for (unsigned r = 0; r < DIF_NREGS && fa->broken == NULL; r++) {
		if (!value_holds(fa, &st->regs[r], regs[r]))
			fa->broken = mem_printf(
			    "instruction %u: %%r%u is "
			    "0x%llx, but dif_flow() says kind %u, 0x%llx",
			    pc, r, (unsigned long long)regs[r],
			    st->regs[r].kind,
			    (unsigned long long)st->regs[r].v);
	}
}

static char *
check_flow(struct host *h, const struct gen_env *env, const struct clause *c,
    struct coverage *cov)
{
	char *broken = NULL;

	for (uint32_t i = 0; i < c->objs.n && broken == NULL; i++) {
		const struct dif_obj *dp = c->objs.v[i];
		struct facts fa = {
			.m = h->m, .dp = dp, .cov = cov, .strsize = env->strsize
		};
		struct in_result res;

		fa.at = mem_alloc(dp->ntext * sizeof(*fa.at));
		fa.is_reached = mem_alloc(dp->ntext);
		dif_flow(dp, keep_state, &fa);
		in_watch(h->m, check_facts, &fa);
		in_run(h->m, i, &res);
		broken = fa.broken;
		cover_end(cov, env, dp, &res);
		if (broken == NULL && res.is_fault &&
		    res.offset / 4 >= dp->ntext)
			broken = mem_printf("a fault at offset %u", res.offset);
		free(fa.at);
		free(fa.is_reached);
	}
	in_watch(h->m, NULL, NULL);
	return broken;
}

/* ---- changes without effect --------------------------------------------- */

static void
outcome_of(bool is_compiled, const struct gen_env *env, const struct clause *c,
    struct outcome *out)
{
	struct host h = { .is_compiled = is_compiled };
	struct in_firing f;

	memset(out, 0, sizeof(*out));
	add_objects(&h, c);
	machine(&h, env);
	host_firing(&f, 1);
	fire(&h, &f);
	take_written(env, NULL);
	fire_clause(&h, env, 0, c, out);
	if (!out->is_fault)
		take_written(env, &out->data);
	host_fini(&h);
}

/* Put a NOP before an instruction of the first object: the outcome is the
 * same. */
static char *
check_nop(const struct gen_env *env, const struct clause *c,
    const struct outcome *want)
{
	const struct dif_obj *dp = c->objs.v[0];
	uint32_t pc =
	    (uint32_t)(hash_bytes(dp->text, dp->ntext * sizeof(*dp->text)) %
		dp->ntext);
	struct clause nop = { 0 };
	struct outcome got;
	char *diff;

	VEC_FOREACH(&c->objs, objp)
		VEC_PUSH(&nop.objs, *objp);
	nop.objs.v[0] = gen_with_nop(dp, pc);
	outcome_of(false, env, &nop, &got);
	if (got.is_fault && got.action == 1 && got.offset > (int32_t)pc * 4)
		got.offset -= 4;
	diff = outcome_diff(want, &got);
	strbuf_fini(&got.data);
	dif_obj_destroy(nop.objs.v[0]);
	VEC_FREE(&nop.objs);
	return diff;
}

char *
host_check_text(const struct dif_obj *dp)
{
	struct strbuf text = { 0 }, again = { 0 };
	struct dif_obj *back = NULL;
	struct err err = { 0 };

	dif_format(dp, &text);
	if (dif_assemble(text.s, text.len, &back, &err) != 0) {
		strbuf_fini(&text);
		return err.text;
	}
	dif_format(back, &again);
	if (strcmp(text.s, again.s) != 0)
		err.text = mem_strdup("its text is another object's");
	strbuf_fini(&text);
	strbuf_fini(&again);
	dif_obj_destroy(back);
	return err.text;
}

/*
 * Does the outcome depend on addresses, which differ by machine?  Then it
 * differs in another interpreter, whose scratch memory is 0x1240 bytes higher.
 */
static bool
is_about_addresses(const struct gen_env *env, const struct clause *c,
    const struct outcome *want)
{
	uint32_t text[] = { dif_instr(DIF_OP_RET, 0, 0, 0) };
	struct dif_var local = { .id = DIF_VAR_USER_MIN + 0x3000,
		.kind = DIFV_KIND_SCALAR,
		.scope = DIFV_SCOPE_LOCAL,
		.type = { .flags = DIF_TF_BYREF, .size = 0x1238 } };
	struct dif_obj mover = {
		.text = text, .ntext = 1, .vartab = &local, .nvar = 1
	};
	struct host h = { 0 };
	struct outcome moved = { 0 };
	struct in_firing f;
	char *diff;

	add_objects(&h, c);
	VEC_PUSH(&h.objs, &mover);
	machine(&h, env);
	host_firing(&f, 1);
	fire(&h, &f);
	fire_clause(&h, env, 0, c, &moved);
	host_fini(&h);
	diff = outcome_diff(want, &moved);
	strbuf_fini(&moved.data);
	if (diff == NULL)
		return false;
	free(diff);
	return true;
}

/* Compare the compiled clause, unless its outcome depends on addresses. */
static char *
check_compiled(const struct gen_env *env, const struct clause *c,
    const struct outcome *want)
{
	struct outcome got;
	char *diff;

	outcome_of(true, env, c, &got);
	diff = outcome_diff(want, &got);
	if (diff != NULL && is_about_addresses(env, c, want)) {
		free(diff);
		diff = NULL;
	}
	strbuf_fini(&got.data);
	return diff;
}

/* With a sanitizer, each machine has other addresses. */
static bool
moves_by_itself(const struct gen_env *env, const struct clause *c,
    const struct outcome *want)
{
#ifdef __SANITIZE_ADDRESS__
	return is_about_addresses(env, c, want);
#else
	(void)env, (void)c, (void)want;
	return false;
#endif
}

/* Compare the outcome of a first run with those of other runs of the clause. */
static char *
check_outcome(const struct batch *b, const struct clause *c,
    const struct outcome *first, const struct outcome *second)
{
	char *broken = outcome_diff(first, second);

	if (broken == NULL)
		broken = check_compiled(&b->env, c, first);
	if (broken == NULL)
		broken = check_nop(&b->env, c, first);
	return broken;
}

char *
host_check(const struct batch *b, const struct clause *c, struct coverage *cov)
{
	struct host h = { 0 };
	struct in_firing f;
	struct outcome first, second;
	char *broken;

	add_objects(&h, c);
	machine(&h, &b->env);
	host_firing(&f, 1);
	in_fire(h.m, &f);
	broken = check_flow(&h, &b->env, c, cov);
	host_fini(&h);
	if (broken != NULL)
		return broken;
	outcome_of(false, &b->env, c, &first);
	outcome_of(false, &b->env, c, &second);
	if (!moves_by_itself(&b->env, c, &first))
		broken = check_outcome(b, c, &first, &second);
	strbuf_fini(&first.data);
	strbuf_fini(&second.data);
	return broken;
}
