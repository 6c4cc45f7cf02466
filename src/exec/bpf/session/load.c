/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Load groups: translate them, link them with the runtime, hand their programs
 * to the kernel, and explain a refusal of the kernel.
 */
#include "exec/bpf/bpf_impl.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"
#include "exec/source_place.h"

#define LOG_SIZE (1 << 20)
#define PROG_NAME "dtrace" /* as the kernel lists it */

static int
env_map_fd(void *arg, const char *sym)
{
	return bx_map_fd(arg, sym);
}

static int
env_constant(void *arg, const char *sym, uint64_t *value)
{
	struct bx_exec *x = arg;
	const struct rt_conf *c = &x->lo.conf;
	/* rtc_bufmask is final only after the buffers are created: that may
	 * lower their size */
	bool has_bufs =
	    strcmp(sym, "rtc_bufmask") != 0 || bx_map_fd(x, "rtm_bufs") >= 0;
	const struct {
		const char *sym;
		uint64_t value;
	} table[] = {
		{ "rtc_strsize", c->strsize },
		{ "rtc_memmask", c->memmask },
		{ "rtc_locals", c->locals },
		{ "rtc_tmp_a", c->tmp_a },
		{ "rtc_tmp_b", c->tmp_b },
		{ "rtc_tok", c->tok },
		{ "rtc_scratch_begin", c->scratch_begin },
		{ "rtc_scratch_end", c->scratch_end },
		{ "rtc_globals_size", bx_globals_size(&x->lo) },
		{ "rtc_tls_size", x->lo.tls_size },
		{ "rtc_tls_begin", TLS_BEGIN },
		{ "rtc_bufmask", x->bufs.parts[0].size - 1 },
		{ "rtc_bufpolicy", x->opts.bufpolicy },
		{ "rtc_nspec", x->opts.nspec },
		{ "rtc_unwind", c->unwind },
		{ "rtc_helper", c->helper },
		{ "rtc_fps", c->fps },
		{ "rtc_pidns_ino", x->lo.pidns.ino },
		{ "rtc_pidns_level", x->lo.pidns.level },
		{ "rtc_self_keys", c->self_keys },
		{ "rtc_self_words", c->self_words },
		{ "rtc_self_stride", c->self_stride },
		{ "rtc_rec_off", MEM_REC },
		{ "rtc_recmax",
		    x->lo.rec_max > sizeof(struct exec_errrec) ?
			x->lo.rec_max :
			sizeof(struct exec_errrec) },
	};

	for (size_t i = 0; has_bufs && i < sizeof(table) / sizeof(table[0]);
	     i++) {
		if (strcmp(table[i].sym, sym) == 0) {
			*value = table[i].value;
			return 0;
		}
	}
	return bx_koff(x, sym, value);
}

/* The D text that instruction `insn` of a main function comes from. */
static const struct bx_note *
note_at(const struct bx_asm *a, uint32_t insn)
{
	const struct bx_note *best = NULL;

	VEC_FOREACH(&a->notes, n) {
		if (n->insn > insn)
			break;
		if (n->span.source != 0)
			best = n;
	}
	return best;
}

static char *
line_copy(const char *s)
{
	return mem_strndup(s, strcspn(s, "\n"));
}

/* Explain the kernel's refusal: the log's last lines give the refusal and its
 * reason; the last "N: (op)" line names the instruction. */
static char *
refusal(const struct bx_exec *x, const struct bx_program *pr, const char *log,
    int err)
{
	static const char too_far[] =
	    "the kernel's code for this is so large that jumps over it "
	    "cannot be written (at most 32,767 instructions); split it";
	const struct bx_note *n = NULL;
	const char *reason = log, *p;
	char *place, *text, *msg;
	unsigned insn = 0;
	int used = 0;

	for (p = log; p != NULL && *p != '\0'; p = strchr(p, '\n')) {
		p += *p == '\n';
		if (sscanf(p, "%u: (%n", &insn, &used) == 1 && used > 0) {
			used = 0;
			n = note_at(pr->a, insn);
		} else if (sscanf(p, "insn %u cannot be patched", &insn) == 1) {
			n = note_at(pr->a, insn);
			reason = too_far;
		} else if (strncmp(p, "processed ", 10) != 0 && *p != '\0') {
			reason = p;
		}
	}
	place = exec_place(x->diags, n ? n->span : (struct diag_span){ 0 });
	text = line_copy(reason);
	msg = mem_printf("%s: the kernel refused the program for %s: %s%s%s",
	    place, pr->name, strerror(-err), *text ? ": " : "", text);
	free(place);
	free(text);
	return msg;
}

char *
bx_no_permission(void)
{
	char *msg = dt_bpf_refusal(), *why;

	if (msg != NULL)
		return msg;
	why = dt_privilege_refusal(DT_PRIV_KERNEL, "tracing in the kernel");
	msg = mem_printf("%s: run dtrace with sudo", why);
	free(why);
	return msg;
}

/*
 * Does the log say that the helper is not available?  It says "unknown func
 * NAME#36", or "program of this type cannot use helper NAME#36" from 6.12 on;
 * calls that the log lists begin otherwise.
 */
static bool
lacks(const char *log, const char *helper)
{
	static const char *const words[] = { "unknown func ",
		"cannot use helper " };
	size_t len = strlen(helper);

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t n = strlen(words[i]);

		for (const char *p = strstr(log, words[i]); p != NULL;
		     p = strstr(p + n, words[i])) {
			if (strncmp(p + n, helper, len) == 0 &&
			    p[n + len] == '#')
				return true;
		}
	}
	return false;
}

#define LOCKDOWN "(see /sys/kernel/security/lockdown)"

/*
 * Programs of users without the capability have no helper that writes, either.
 */
static char *
may_not_write(void)
{
	char *why, *text;

	if (dt_privilege_has(DT_PRIV_SYS_ADMIN))
		return mem_strdup(
		    "copyout() and copyoutstr() are not "
		    "available: this kernel is locked down and "
		    "lets no program write to a process " LOCKDOWN);
	why = dt_privilege_refusal(DT_PRIV_SYS_ADMIN, "writing to a process");
	text = mem_printf("copyout() and copyoutstr() are not available: %s: "
			  "run dtrace with sudo",
	    why);
	free(why);
	return text;
}

/*
 * Message for a locked-down kernel, which refuses programs that call some
 * helpers (the kernel's enum lockdown_reason: LOCKDOWN_BPF_WRITE_USER,
 * LOCKDOWN_BPF_READ_KERNEL).  NULL: the kernel refused the program for another
 * reason.
 */
static char *
locked_down(const char *log)
{
	if (lacks(log, "bpf_probe_write_user"))
		return may_not_write();
	if (lacks(log, "bpf_probe_read_kernel") ||
	    lacks(log, "bpf_probe_read_kernel_str"))
		return mem_strdup(
		    "tracing in the kernel is not available: "
		    "this kernel is locked down and lets no program read its "
		    "memory " LOCKDOWN "; probes in processes work, with -x "
		    "substrate=process");
	return NULL;
}

static void
refuse_program(struct bx_exec *x, const struct bx_program *pr, const char *log,
    int code, struct err *err)
{
	char *text = locked_down(log);

	err_take(err, code, text != NULL ? text : refusal(x, pr, log, code));
}

/*
 * Load with the kernel's log, because the user wants it (option bpflog) or the
 * kernel has refused the program.  If it accepts the image now, it had run out
 * of memory before.
 */
CHECKED static int
load_logged(struct bx_exec *x, const struct bx_program *pr,
    const struct bx_ctx *ctx, struct bpf_prog_load_opts *o, struct err *err)
{
	uint32_t size = x->opts.bpflogsize != 0 ? x->opts.bpflogsize : LOG_SIZE;
	char *log = mem_alloc(size);
	int fd;

	o->log_buf = log;
	o->log_size = size;
	o->log_level = 1;
	fd = bpf_prog_load(ctx->type, PROG_NAME, BX_LICENSE, pr->image->insns.v,
	    pr->image->insns.n, o);
	if (fd == -ENOSPC && x->opts.bpflog)
		err_set(err, fd,
		    "the kernel's log of a program is longer than %u bytes: give it room with -x bpflogsize",
		    size);
	else if (fd < 0)
		refuse_program(x, pr, log, fd, err);
	if (x->opts.bpflog || (fd < 0 && x->opts.debug))
		fprintf(stderr, "%s\n", log);
	free(log);
	return fd;
}

/* Load without a log, the normal case; after a failure, again with one. */
CHECKED static int
load_as(struct bx_exec *x, const struct bx_group *g,
    const struct bx_program *pr, const struct bx_ctx *ctx,
    const struct dt_probe *target, struct err *err)
{
	const struct bl_image *image = pr->image;
	LIBBPF_OPTS(
	    bpf_prog_load_opts, o, .expected_attach_type = bx_ctx_attach(ctx));
	int fd = -EAGAIN;

	if (g->sleeps || g->image.sleeps)
		o.prog_flags = BPF_F_SLEEPABLE;
	if (ctx->per_target)
		o.attach_btf_id = bx_attach(target->kind)->target(target);
	if (image->btf_fd >= 0) {
		o.prog_btf_fd = (uint32_t)image->btf_fd;
		o.func_info = image->func_info.v;
		o.func_info_cnt = (uint32_t)image->func_info.n;
		o.func_info_rec_size = sizeof(struct bpf_func_info);
	}
	if (!x->opts.bpflog)
		fd = bpf_prog_load(ctx->type, PROG_NAME, BX_LICENSE,
		    image->insns.v, image->insns.n, &o);
	if (fd == -EPERM)
		err_take(err, fd, bx_no_permission());
	else if (fd < 0)
		fd = load_logged(x, pr, ctx, &o, err);
	return fd;
}

int
bx_program_load(struct bx_exec *x, const struct bx_group *g,
    const struct bx_program *pr, const struct dt_probe *target, struct err *err)
{
	return load_as(x, g, pr, bx_ctx(g->tr.facts->ctx), target, err);
}

CHECKED static int
load_image(struct bx_exec *x, struct bx_group *g, const struct bx_ctx *ctx,
    const struct dt_probe *target, struct err *err)
{
	const struct bx_program pr = { &g->image, &g->tr.a, g->tr.name };
	int fd = load_as(x, g, &pr, ctx, target, err);

	if (fd < 0)
		return fd;
	VEC_PUSH(&g->progs, fd);
	return 0;
}

/* Turn a probe's name into a function name for the kernel: "tick_1s". */
static const char *
symbol_name(struct arena *a, const char *name)
{
	char *sym = arena_printf(a, "dt_%s", name);

	for (char *p = sym; *p != '\0'; p++) {
		if (strchr("-.:", *p) != NULL)
			*p = '_';
	}
	return sym;
}

static struct bl_func
function(const char *name, const struct bx_asm *a, uint8_t nargs)
{
	return (struct bl_func){ .name = name,
		.insns = a->insns.v,
		.ninsns = (uint32_t)a->insns.n,
		.relocs = a->relocs.v,
		.nrelocs = (uint32_t)a->relocs.n,
		.nargs = nargs };
}

/* The functions of the group, for its programs to call.  Returns an array. */
static struct bl_func *
own_functions(const struct bx_group *g, size_t *n)
{
	struct bl_func *own = mem_alloc((1 + g->tr.parts.fns.n) * sizeof(*own));

	*n = 0;
	own[(*n)++] = function("rt_elem", &g->elem, 5);
	VEC_FOREACH(&g->tr.parts.fns, fn) {
		own[*n] = function(fn->name, &fn->a, 3);
		if (fn->pa->keys.n != 0)
			own[*n].mem_size = fn->pa->key_size - PLAN_KEYHDR;
		(*n)++;
	}
	return own;
}

int
bx_function_link(struct bx_exec *x, struct bx_group *g, const struct bx_asm *a,
    struct bl_image *image, struct err *err)
{
	size_t nown;
	struct bl_func *own = own_functions(g, &nown);
	struct bl_func fn =
	    function(symbol_name(&x->lo.arena, g->tr.name), a, 1);
	struct bl_env env = { .map_fd = env_map_fd,
		.constant = env_constant,
		.arg = x,
		.own = own,
		.nown = nown,
		.keeps_awake = bx_is_counter_map,
		/* programs that tail-call others may not sleep */
		.may_sleep = bx_ctx(g->tr.facts->ctx)->is_uprobe &&
		    g->tr.parts.list.n == 0 };
	int rc = bl_link(&fn, &env, image, err);

	free(own);
	if (rc == -EPERM)
		err_take(err, rc, bx_no_permission());
	else if (rc != 0 && x->link_error != NULL)
		err_set(err, rc, "%s", x->link_error);
	return rc;
}

CHECKED static int
link_group(struct bx_exec *x, struct bx_group *g, struct err *err)
{
	int rc = bx_elem_func(&g->elem, &x->lo);

	if (rc != 0)
		return err_set(err, rc, "too many arrays by reference");
	return bx_function_link(x, g, &g->tr.a, &g->image, err);
}

CHECKED static int
translate_group(struct bx_exec *x, struct bx_group *g, struct err *err)
{
	char *place;

	if (bx_translate(&g->tr, g->facts) == 0)
		return 0;
	place = exec_place(x->diags, g->tr.refused.span);
	err_set(err, -EINVAL, "%s: %s", place, g->tr.refused.why);
	free(place);
	return -EINVAL;
}

/* May loading go on after a step that returned `rc`? */
int
bx_may_go_on(struct err *err, int rc)
{
	if (rc != 0 || !bounds_is_stopped())
		return rc;
	return err_set(err, -EINTR, "%s", BOUNDS_STOPPED);
}

/* Load one program for all probes, or one for each with its place in it. */
CHECKED static int
load_group(struct bx_exec *x, struct bx_group *g, struct err *err)
{
	const struct bx_tr *t = &g->tr;
	int rc = g->image.insns.n == 0 ? link_group(x, g, err) : 0;

	if (rc == 0)
		rc = bx_parts_load(x, g, err);
	if (rc != 0)
		return rc;
	if (!t->facts->is_patched)
		return g->progs.n != 0 ? 0 :
					 load_image(x, g, bx_ctx(t->facts->ctx),
					     t->facts->probes.v[0], err);
	while (rc == 0 && g->progs.n < t->facts->probes.n) {
		g->image.insns.v[t->entry.place_insn].imm = (int32_t)g->progs.n;
		rc = bx_may_go_on(err,
		    load_image(x, g, bx_ctx(t->facts->ctx),
			t->facts->probes.v[g->progs.n], err));
	}
	return rc;
}

int
bx_groups_load(struct bx_exec *x, size_t first, struct err *err)
{
	int rc = 0;

	bx_groups_finish(x, first);
	/* translate all groups first: translation decides sizes of maps */
	for (size_t i = first; rc == 0 && i < x->ngroups; i++)
		rc = bx_may_go_on(err, translate_group(x, &x->groups[i], err));
	for (size_t i = first; rc == 0 && i < x->ngroups; i++)
		rc = bx_table_create(x, &x->groups[i], err);
	if (rc == 0)
		rc = bx_usdt_renew(x, err);
	for (size_t i = 0; rc == 0 && i < x->ngroups; i++)
		rc = bx_may_go_on(err, load_group(x, &x->groups[i], err));
	return rc;
}

int
bx_vtime_load(struct bx_exec *x, struct err *err)
{
	struct bx_group *g = &x->vtime;
	int rc;

	if (x->lo.vclocks == 0)
		return 0;
	g->tr.lo = &x->lo;
	g->tr.name = "sched_switch";
	bx_translate_vtime(&g->tr);
	rc = link_group(x, g, err);
	return rc != 0 ? rc : load_image(x, g, bx_ctx(BX_CTX_RUN), NULL, err);
}

int
bx_family_load(struct bx_exec *x, struct err *err)
{
	struct bx_group *g = &x->family;
	int rc;

	if (!x->opts.follow || x->roots.n == 0)
		return 0;
	g->tr.lo = &x->lo;
	g->tr.name = "sched_process_fork";
	bx_translate_family(&g->tr);
	rc = link_group(x, g, err);
	return rc != 0 ? rc : load_image(x, g, bx_ctx(BX_CTX_RUN), NULL, err);
}

int
bx_self_programs_load(struct bx_exec *x, struct err *err)
{
	int rc = 0;

	if (x->lo.conf.self_stride == 0)
		return 0;
	for (unsigned i = 0; rc == 0 && i < BX_SELF_PROGS; i++) {
		struct bx_group *g = &x->self[i];

		g->tr.lo = &x->lo;
		g->tr.name = bx_self_tracepoints[i];
		bx_translate_self(&g->tr, i == BX_SELF_EXEC);
		rc = link_group(x, g, err);
		if (rc == 0)
			rc = load_image(x, g, bx_ctx(BX_CTX_RUN), NULL, err);
	}
	return rc;
}

int
bx_load_barrier_load(struct bx_exec *x, struct err *err)
{
	struct bx_group *g = &x->load_barrier;
	int rc;

	if (!x->may_grow)
		return 0;
	g->tr.lo = &x->lo;
	g->tr.name = "_dl_debug_state";
	g->sleeps = true;
	bx_translate_load_barrier(&g->tr);
	rc = link_group(x, g, err);
	return rc != 0 ? rc :
			 load_image(x, g, bx_ctx(BX_CTX_UPROBE), NULL, err);
}
