/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel substrate: a plan becomes BPF programs.
 *
 *	load	group the plan's probes, translate, link, hand to the kernel
 *	go	arm every group, run BEGIN, then let the others fire
 *	wait	sleep until the bell rings, run the tick probes that are due
 *	stop	close the gate, wait for programs still running
 *	end	run END
 *
 * All kernel objects are held by file descriptors of this process only, so
 * nothing stays behind when it dies.
 */
#include "exec/bpf/bpf_impl.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/membarrier.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/bounds.h"
#include "base/clock.h"
#include "base/cpulist.h"
#include "exec/bpf/site.h"
#include "exec/source_place.h"

#define LOG_SIZE (1 << 20)
#define NS 1000000000ULL
#define PROG_NAME "dtrace"	       /* as the kernel lists it */
#define BUFS_DEFAULT_MAX (64ULL << 20) /* of all CPUs, without bufsize */
#define AGGS_DEFAULT_MAX (48ULL << 20) /* likewise, without aggsize */
#define BUF_DEFAULT_MIN (64ULL << 10)

/* ---- grouping ----------------------------------------------------------- */

static void
group_init(struct bx_group *g)
{
	memset(g, 0, sizeof(*g));
	g->timer_fd = g->image.btf_fd = -1;
}

struct bx_group *
bx_group_create(struct bx_exec *x, const struct dt_probe *p)
{
	struct bx_group *g;

	x->groups =
	    mem_realloc(x->groups, (x->ngroups + 1) * sizeof(*x->groups));
	g = &x->groups[x->ngroups];
	group_init(g);
	g->group = p->group;
	g->grows = p->ops != NULL && p->ops->grows;
	g->tr.ctx = bx_attach(p->kind)->ctx;
	g->tr.name = dt_probe_shown(p)->name;
	g->tr.lo = &x->lo;
	g->tr.table = arena_printf(&x->lo.arena, "rtm_probes%zu", x->ngroups);
	g->tr.parts.map =
	    arena_printf(&x->lo.arena, "rtm_parts%zu", x->ngroups);
	g->tr.adapt = p->adapt;
	g->tr.always_fires = strcmp(p->prov, "dtrace") == 0;
	g->tr.is_clock = p->period_ns != 0;
	if (p->kind == DT_PROBE_CLOCK)
		g->tr.perf_index = x->lo.nperf++;
	x->ngroups++;
	return g;
}

void
bx_group_take(struct bx_group *g, const struct dt_probe *p)
{
	struct bx_tr *t = &g->tr;

	if (idmap_get(&t->places, p->id) != NULL)
		return;
	idmap_put(&t->places, p->id, (uint32_t)t->probes.n);
	VEC_PUSH(&t->probes, p);
}

struct bx_group *
bx_group_add(struct bx_exec *x, size_t first, const struct plan_clause *pc,
    const struct dt_probe *p)
{
	struct bx_group *g = NULL;
	struct bx_tr *t;

	for (size_t i = first; g == NULL && i < x->ngroups; i++) {
		if (x->groups[i].group == p->group)
			g = &x->groups[i];
	}
	if (g == NULL)
		g = bx_group_create(x, p);
	t = &g->tr;
	if (t->clauses.n == 0 || t->clauses.v[t->clauses.n - 1] != pc)
		VEC_PUSH(&t->clauses, pc);
	bx_group_take(g, p);
	return g;
}

/* Does the origin have a step that fires the probe, or that keeps data for one
 * which does? */
static bool
is_needed(const struct bx_layout *lo, const struct dt_probe *origin,
    const struct dt_probe *p)
{
	for (const struct dt_adapt *s = origin->adapt; s != NULL; s = s->next) {
		if (bx_step_serves(lo, s, p) || bx_step_keeps_for(s, p))
			return true;
	}
	return false;
}

/* Name a program that only serves one derived probe after that probe. */
static void
name_group(struct bx_group *g, const struct dt_probe *p)
{
	if (g->tr.clauses.n == 1 && g->tr.probes.n == 1)
		g->tr.name = p->name;
}

/* Add the probe, or its origins if it is derived. */
static void
add_probe(
    struct bx_exec *x, const struct plan_clause *pc, const struct dt_probe *p)
{
	if (p->norigins == 0)
		bx_group_add(x, 0, pc, p);
	for (size_t i = 0; i < p->norigins; i++) {
		const struct dt_probe *o = p->origins[i];

		if (is_needed(&x->lo, o, p))
			name_group(bx_group_add(x, 0, pc, o), p);
	}
}

const struct dt_probe *
bx_clause_error(const struct plan_clause *pc)
{
	VEC_FOREACH(&pc->probes, pp) {
		if ((*pp)->kind == DT_PROBE_ERROR)
			return *pp;
	}
	return NULL;
}

bool
bx_clause_is_error(const struct plan_clause *pc)
{
	return bx_clause_error(pc) != NULL;
}

static void
finish_group(struct bx_group *g)
{
	struct bx_tr *t = &g->tr;
	const struct bx_attach *attach = bx_attach(t->probes.v[0]->kind);
	const struct bx_ctx *ctx;

	if (attach->choose != NULL)
		t->ctx = attach->choose(t->probes.v, t->probes.n);
	if (bx_tr_has_threads(t))
		t->ctx = BX_CTX_TYPED_TP;
	ctx = bx_ctx(t->ctx);
	t->has_table = g->grows || t->probes.n > 1;
	t->is_patched = t->has_table && !ctx->by_number &&
	    (ctx->per_target || !bx_ctx_has_cookies(ctx));
}

/* Decide what depends on all probes of the groups. */
static void
finish_groups(struct bx_exec *x, size_t first)
{
	VEC_FOREACH(&x->pl->clauses, pc) {
		if (!bx_clause_is_error(pc))
			continue;
		for (size_t i = first; i < x->ngroups; i++)
			VEC_PUSH(&x->groups[i].tr.error_clauses, pc);
	}
	for (size_t i = first; i < x->ngroups; i++)
		finish_group(&x->groups[i]);
}

/* Make groups of all probes of all clauses.  ERROR has no program: its clauses
 * are part of every program that can fault. */
static int
make_groups(struct bx_exec *x, char **msg)
{
	int rc = bx_threads_choose(&x->lo, x->diags, msg);

	if (rc != 0)
		return rc;
	VEC_FOREACH(&x->pl->clauses, pc) {
		VEC_FOREACH(&pc->probes, pp) {
			if ((*pp)->kind != DT_PROBE_ERROR)
				add_probe(x, pc, *pp);
		}
	}
	bx_groups_split(x);
	if (x->lo.nperf <= BX_NPERF)
		return 0;
	*msg = mem_printf("%u different profile probes: at most %u can be "
			  "enabled at once",
	    x->lo.nperf, BX_NPERF);
	return -E2BIG;
}

/* ---- loading ------------------------------------------------------------ */

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
	    "what the kernel makes of this is so large that jumps over it "
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

/*
 * Message for a locked-down kernel, which refuses programs that call some
 * helpers (the kernel's enum lockdown_reason: LOCKDOWN_BPF_WRITE_USER,
 * LOCKDOWN_BPF_READ_KERNEL).  NULL: the kernel refused the program for another
 * reason.
 */
static char *
locked_down(const char *log)
{
	static const char rule[] = "(see /sys/kernel/security/lockdown)";

	if (lacks(log, "bpf_probe_write_user"))
		return mem_printf(
		    "copyout() and copyoutstr() are not "
		    "available: this kernel is locked down and lets no program "
		    "write to a process %s",
		    rule);
	if (lacks(log, "bpf_probe_read_kernel") ||
	    lacks(log, "bpf_probe_read_kernel_str"))
		return mem_printf(
		    "tracing in the kernel is not available: "
		    "this kernel is locked down and lets no program read its "
		    "memory %s; probes in processes work, with -x "
		    "substrate=process",
		    rule);
	return NULL;
}

/*
 * Load with the kernel's log, because the user wants it (option bpflog) or the
 * kernel has refused the program.  If it accepts the image now, it had run out
 * of memory before.
 */
static int
load_logged(struct bx_exec *x, const struct bx_program *pr,
    const struct bx_ctx *ctx, struct bpf_prog_load_opts *o, char **msg)
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
		*msg =
		    mem_printf("the kernel's log of a program is longer than "
			       "%u bytes: give it room with -x bpflogsize",
			size);
	else if (fd < 0 && (*msg = locked_down(log)) == NULL)
		*msg = refusal(x, pr, log, fd);
	if (x->opts.bpflog || (fd < 0 && x->opts.debug))
		fprintf(stderr, "%s\n", log);
	free(log);
	return fd;
}

/* Load without a log, the normal case; after a failure, again with one. */
static int
load_as(struct bx_exec *x, const struct bx_group *g,
    const struct bx_program *pr, const struct bx_ctx *ctx,
    const struct dt_probe *target, char **msg)
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
		*msg = bx_no_permission();
	else if (fd < 0)
		fd = load_logged(x, pr, ctx, &o, msg);
	return fd;
}

int
bx_program_load(struct bx_exec *x, const struct bx_group *g,
    const struct bx_program *pr, const struct dt_probe *target, char **msg)
{
	return load_as(x, g, pr, bx_ctx(g->tr.ctx), target, msg);
}

static int
load_image(struct bx_exec *x, struct bx_group *g, const struct bx_ctx *ctx,
    const struct dt_probe *target, char **msg)
{
	const struct bx_program pr = { &g->image, &g->tr.a, g->tr.name };
	int fd = load_as(x, g, &pr, ctx, target, msg);

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

int
bx_function_link(struct bx_exec *x, struct bx_group *g, const struct bx_asm *a,
    struct bl_image *image, char **msg)
{
	struct bl_func fn =
	    function(symbol_name(&x->lo.arena, g->tr.name), a, 1);
	struct bl_func elem = function("rt_elem", &g->elem, 5);
	struct bl_env env = { .map_fd = env_map_fd,
		.constant = env_constant,
		.arg = x,
		.own = &elem,
		.keeps_awake = bx_is_counter_map,
		/* programs that tail-call others may not sleep */
		.may_sleep =
		    bx_ctx(g->tr.ctx)->is_uprobe && g->tr.parts.list.n == 0 };
	int rc = bl_link(&fn, &env, image, msg);

	if (rc != 0 && (errno == EPERM || rc == -EPERM)) {
		free(*msg);
		*msg = bx_no_permission();
		rc = -EPERM;
	} else if (rc != 0 && x->link_error != NULL) {
		free(*msg);
		*msg = mem_strdup(x->link_error);
	}
	return rc;
}

static int
link_group(struct bx_exec *x, struct bx_group *g, char **msg)
{
	int rc = bx_elem_func(&g->elem, &x->lo);

	if (rc != 0) {
		*msg = mem_strdup("too many arrays by reference");
		return rc;
	}
	return bx_function_link(x, g, &g->tr.a, &g->image, msg);
}

static int
translate_group(struct bx_exec *x, struct bx_group *g, char **msg)
{
	char *place;

	if (bx_translate(&g->tr) == 0)
		return 0;
	place = exec_place(x->diags, g->tr.refused_span);
	*msg = mem_printf("%s: %s", place, g->tr.refused);
	free(place);
	return -EINVAL;
}

/* May loading go on after a step that returned `rc`? */
static int
may_go_on(char **msg, int rc)
{
	if (rc != 0 || !bounds_is_stopped())
		return rc;
	*msg = mem_strdup(BOUNDS_STOPPED);
	return -EINTR;
}

/* Load one program for all probes, or one for each with its place in it. */
static int
load_group(struct bx_exec *x, struct bx_group *g, char **msg)
{
	const struct bx_tr *t = &g->tr;
	int rc = g->image.insns.n == 0 ? link_group(x, g, msg) : 0;

	if (rc == 0)
		rc = bx_parts_load(x, g, msg);
	if (!t->is_patched && rc == 0 && g->progs.n == 0)
		rc = load_image(x, g, bx_ctx(t->ctx), t->probes.v[0], msg);
	while (t->is_patched && rc == 0 && g->progs.n < t->probes.n) {
		g->image.insns.v[t->place_insn].imm = (int32_t)g->progs.n;
		rc = may_go_on(msg,
		    load_image(
			x, g, bx_ctx(t->ctx), t->probes.v[g->progs.n], msg));
	}
	return rc;
}

int
bx_groups_load(struct bx_exec *x, size_t first, char **msg)
{
	int rc = 0;

	finish_groups(x, first);
	/* translate all groups first: translation decides sizes of maps */
	for (size_t i = first; rc == 0 && i < x->ngroups; i++)
		rc = may_go_on(msg, translate_group(x, &x->groups[i], msg));
	for (size_t i = first; rc == 0 && i < x->ngroups; i++)
		rc = bx_table_create(x, &x->groups[i], msg);
	if (rc == 0)
		rc = bx_usdt_renew(x, msg);
	for (size_t i = 0; rc == 0 && i < x->ngroups; i++)
		rc = may_go_on(msg, load_group(x, &x->groups[i], msg));
	return rc;
}

static int
load_vtime(struct bx_exec *x, char **msg)
{
	struct bx_group *g = &x->vtime;

	if (x->lo.vclocks == 0)
		return 0;
	g->tr.lo = &x->lo;
	g->tr.name = "sched_switch";
	bx_translate_vtime(&g->tr);
	if (link_group(x, g, msg) != 0)
		return -EINVAL;
	return load_image(x, g, bx_ctx(BX_CTX_RUN), NULL, msg);
}

static int
load_hold(struct bx_exec *x, char **msg)
{
	struct bx_group *g = &x->hold;

	if (!x->may_grow)
		return 0;
	g->tr.lo = &x->lo;
	g->tr.name = "_dl_debug_state";
	g->sleeps = true;
	bx_translate_hold(&g->tr);
	if (link_group(x, g, msg) != 0)
		return -EINVAL;
	return load_image(x, g, bx_ctx(BX_CTX_UPROBE), NULL, msg);
}

/* ---- disarming ---------------------------------------------------------- */

static void
take_links(struct bx_fds *all, struct bx_group *g)
{
	VEC_FOREACH(&g->armed.fds, fd)
		VEC_PUSH(&all->fds, *fd);
	VEC_FREE(&g->armed.fds);
	VEC_FREE(&g->armed.cpus);
}

static void
disarm(struct bx_exec *x)
{
	struct bx_fds all = { 0 };

	for (size_t i = 0; i < x->ngroups; i++)
		take_links(&all, &x->groups[i]);
	take_links(&all, &x->vtime);
	take_links(&all, &x->hold);
	bx_fds_close(&all);
}

static void
group_fini(struct bx_group *g)
{
	VEC_FOREACH(&g->progs, fd)
		close(*fd);
	VEC_FREE(&g->progs);
	bx_table_close(g);
	if (g->timer_fd >= 0)
		close(g->timer_fd);
	bl_image_fini(&g->image);
	bx_parts_unload(g);
	bx_tr_fini(&g->tr);
	bx_asm_fini(&g->elem);
}

static void
bx_destroy(struct dt_exec *e)
{
	struct bx_exec *x = bx_of(e);

	bx_asked_close(x);
	disarm(x);
	bx_places_destroy(x->places);
	for (size_t i = 0; i < x->ngroups; i++)
		group_fini(&x->groups[i]);
	group_fini(&x->vtime);
	group_fini(&x->hold);
	bx_usdt_close(x);
	bx_counters_close(x);
	bx_hotplug_close(x);
	bx_rests_stop(x);
	bx_unwind_stop(x);
	bx_helpers_stop(x);
	bx_maps_close(x);
	bx_layout_fini(&x->lo);
	free(x->groups);
	free(x->stuck);
	bx_idle_close(x);
	exec_bufs_fini(&x->bufs);
	free(x);
}

/* The first probe that needs the most privileges. */
static const struct dt_probe *
most_needing(const struct plan *pl)
{
	const struct dt_probe *most = NULL;

	VEC_FOREACH(&pl->clauses, pc) {
		VEC_FOREACH(&pc->probes, p) {
			const struct dt_probe *shown = dt_probe_shown(*p);

			if (most == NULL ||
			    shown->ops->privilege > most->ops->privilege)
				most = shown;
		}
	}
	return most;
}

/* Message for a user without the privilege.  Such a user may trace some probes
 * with the process substrate, in processes named to dtrace. */
static char *
not_permitted(const struct plan *pl, const struct dt_exec_opts *opts)
{
	const struct dt_probe *p = most_needing(pl);
	struct strbuf name = { 0 };
	char *why, *msg;

	if (p == NULL || p->ops->privilege == DT_PRIV_USER ||
	    dt_privilege_has(DT_PRIV_KERNEL))
		return bx_no_permission();
	dt_probe_format(p, &name);
	why = dt_privilege_refusal(DT_PRIV_KERNEL, name.s);
	msg = mem_printf("%s: run dtrace with sudo%s", why,
	    p->ops->privilege == DT_PRIV_PROC && opts->nprocs == 0 ?
		", or name processes of yours with -c or -p" :
		"");
	free(why);
	strbuf_fini(&name);
	return msg;
}

static uint64_t
share_of(const struct bx_exec *x, uint64_t all)
{
	uint64_t each = all;

	while (each * x->e.ncpus > all && each > BUF_DEFAULT_MIN)
		each /= 2;
	return each;
}

/*
 * Bound the memory of a script if the user sets no size: the buffers of all
 * CPUs together take at most BUFS_DEFAULT_MAX, the aggregations at most
 * AGGS_DEFAULT_MAX.  The sizes are for each CPU that can be online.
 */
static void
bound_sizes(struct bx_exec *x)
{
	uint64_t buf = share_of(x, BUFS_DEFAULT_MAX);
	uint64_t agg = share_of(x, AGGS_DEFAULT_MAX);

	if (!x->opts.bufsize_set && x->opts.bufsize > buf)
		x->opts.bufsize = buf;
	if (!x->opts.aggsize_set && x->opts.aggsize > agg)
		x->opts.aggsize = agg;
}

static int
count_cpus(struct bx_exec *x, char **msg)
{
	int n = libbpf_num_possible_cpus();

	if (n <= 0) {
		*msg =
		    mem_printf("cannot tell how many CPUs there are: "
			       "/sys/devices/system/cpu/possible: %s (is /sys "
			       "mounted?)",
			strerror(n < 0 ? -n : EINVAL));
		return n < 0 ? n : -EINVAL;
	}
	x->e.ncpus = (uint32_t)n;
	return 0;
}

/*
 * Warn in a PID namespace of a container: processes have other numbers there
 * than in the kernel.  `pid`, `tid` and `ppid` give the kernel's, so pid ==
 * $target selects nothing.
 */
static void
tell_namespace(const struct bx_exec *x)
{
	if (x->opts.notice != NULL && x->opts.nprocs != 0 && x->lo.uses_pid &&
	    !bx_sees_all_pids())
		x->opts.notice(x->opts.notice_arg,
		    "this is a PID namespace: pid, tid and ppid are numbers of "
		    "the host, and $target is one of the namespace; a "
		    "predicate such as pid == $target selects nothing");
}

static int
bx_load(struct plan *pl, const struct dt_exec_opts *opts, struct diags *diags,
    struct dt_exec **outp, char **msg)
{
	struct bx_exec *x;
	int rc;

	/* the kernel checks again, but its error does not always say so */
	if (!dt_privilege_has(DT_PRIV_KERNEL)) {
		*msg = not_permitted(pl, opts);
		return -EPERM;
	}
	x = mem_alloc(sizeof(*x));
	x->e.ops = &dt_exec_bpf;
	x->pl = pl;
	x->opts = *opts;
	x->diags = diags;
	x->bell_fd = x->hotplug_fd = -1;
	rc = count_cpus(x, msg);
	if (rc != 0) {
		free(x);
		return rc;
	}
	x->places = bx_places_create();
	bound_sizes(x);
	group_init(&x->vtime);
	group_init(&x->hold);
	VEC_FOREACH(&pl->clauses, pc)
		x->may_grow |= pc->may_grow;
	x->bufs = (struct exec_bufs){ .pl = pl,
		.n = x->e.ncpus,
		.policy = opts->bufpolicy,
		.by_cpu = true };
	exec_bufs_init(&x->bufs);
	rc = exec_check_cpu(&x->opts, x->e.ncpus, msg);
	if (rc == 0)
		rc = bx_layout_init(&x->lo, pl, &x->opts, msg);
	if (rc == 0)
		rc = bx_tsc_init(x, msg);
	x->lo.ncpus = x->e.ncpus;
	x->bufs.parts[0].size = exec_bufs_size(pl, &x->opts);
	if (rc == 0)
		rc = make_groups(x, msg);
	if (rc == 0)
		rc = bx_groups_load(x, 0, msg);
	if (rc == 0)
		rc = load_vtime(x, msg);
	if (rc == 0)
		rc = load_hold(x, msg);
	bx_tables_enable(x);
	if (rc == 0)
		rc = bx_grow_prepare(x, msg);
	bx_kernel_close(&x->lo);
	if (rc == 0)
		rc = bx_maps_attach(x, msg);
	if (rc == 0)
		rc = bx_rests_start(x, msg);
	if (rc == 0) {
		bx_unwind_start(x);
		bx_helpers_start(x);
	}
	if (rc != 0) {
		bx_destroy(&x->e);
		return rc;
	}
	tell_namespace(x);
	x->e.bufsize = x->bufs.parts[0].size;
	*outp = &x->e;
	return 0;
}

/* ---- running ------------------------------------------------------------ */

static void
renew_clocks(struct bx_exec *x)
{
	x->ctl->wall_off = wall_offset_ns();
	bx_tsc_renew(x);
}

/* Run a group's program on this CPU now: BEGIN, END, tick. */
static int
run_group(const struct bx_group *g)
{
	uint64_t args[12] = { 0 };
	LIBBPF_OPTS(
	    bpf_test_run_opts, o, .ctx_in = args, .ctx_size_in = sizeof(args));

	return bpf_prog_test_run_opts(g->progs.v[0], &o);
}

static struct bx_group *
dtrace_group(struct bx_exec *x, const char *name)
{
	for (size_t i = 0; i < x->ngroups; i++) {
		struct bx_group *g = &x->groups[i];

		if (g->tr.always_fires && strcmp(g->tr.name, name) == 0)
			return g;
	}
	return NULL;
}

/* From Linux 7.0 on, tracepoints and traced functions do not disable
 * preemption. */
static bool
kernel_preempts_all(void)
{
	struct utsname u;

	return uname(&u) == 0 && strtol(u.release, NULL, 10) >= 7;
}

static bool
can_be_preempted(const struct bx_exec *x)
{
	if (kernel_preempts_all())
		return true;
	for (size_t i = 0; i < x->ngroups; i++) {
		if (bx_ctx(x->groups[i].tr.ctx)->is_preemptible)
			return true;
	}
	return false;
}

/* Function that visit_cpus() calls on each CPU, until *rc is not 0.  NULL:
 * dtrace only runs there. */
typedef int visit_f(const struct bx_exec *x);

static bool
visit(
    const struct bx_exec *x, uint32_t cpu, cpu_set_t *one, visit_f *f, int *rc)
{
	size_t size = CPU_ALLOC_SIZE(x->e.ncpus);

	CPU_ZERO_S(size, one);
	CPU_SET_S(cpu, size, one);
	if (sched_setaffinity(0, size, one) != 0)
		return !cpu_is_online(cpu);
	if (f != NULL && *rc == 0)
		*rc = f(x);
	return true;
}

/*
 * Run on each CPU in turn.  When dtrace runs on a CPU, no program that cannot
 * be preempted is running there.  Real-time priority for that moment keeps
 * real-time threads from delaying dtrace.  False: a CPU was not allowed
 * (cpusets).
 */
static bool
visit_cpus(const struct bx_exec *x, visit_f *f, int *rc)
{
	size_t size = CPU_ALLOC_SIZE(x->e.ncpus);
	cpu_set_t *before = mem_alloc(size), *one = mem_alloc(size);
	struct sched_param normal = { 0 },
			   fifo = { .sched_priority =
					sched_get_priority_max(SCHED_FIFO) };
	int policy = sched_getscheduler(0);
	bool all = sched_getaffinity(0, size, before) == 0;
	bool raised = policy == SCHED_OTHER &&
	    sched_setscheduler(0, SCHED_FIFO, &fifo) == 0;

	/* visit CPUs only if dtrace can restore its affinity */
	for (uint32_t cpu = 0, n = all ? x->e.ncpus : 0; cpu < n; cpu++)
		all &= visit(x, cpu, one, f, rc);
	sched_setaffinity(0, size, before);
	if (raised)
		sched_setscheduler(0, SCHED_OTHER, &normal);
	free(before);
	free(one);
	return all;
}

static bool
may_sleep(const struct bx_exec *x)
{
	for (size_t i = 0; i < x->ngroups; i++) {
		if (x->groups[i].image.sleeps)
			return true;
	}
	return false;
}

#define SLEEPERS_MAX_NS 100000000 /* the page may be on a disk, or never come */
#define SLEEPERS_LOOK_NS 200000

/* Keep in `taken` those machine states that are still in use.  False:
 * none is. */
static bool
note_slots(const struct bx_exec *x, uint64_t *taken)
{
	uint64_t any = 0;

	for (uint32_t cpu = 0; cpu < x->e.ncpus; cpu++) {
		taken[cpu] &=
		    __atomic_load_n(&bx_pcpu(x, cpu)->slots, __ATOMIC_ACQUIRE);
		any |= taken[cpu];
	}
	return any != 0;
}

/*
 * Wait for programs that wait for a page.  They hold up no grace period, but
 * have a machine state until they end.  Waits for those that have one now, but
 * for none twice.
 */
static void
await_sleepers(struct bx_exec *x)
{
	const struct timespec pause = { .tv_nsec = SLEEPERS_LOOK_NS };
	uint64_t *taken = mem_alloc(x->e.ncpus * sizeof(*taken));
	uint64_t end = now_ns() + SLEEPERS_MAX_NS;

	if (x->stuck == NULL)
		x->stuck = mem_alloc(x->e.ncpus * sizeof(*x->stuck));
	note_slots(x, x->stuck);
	for (uint32_t cpu = 0; cpu < x->e.ncpus; cpu++)
		taken[cpu] = ~x->stuck[cpu];
	while (note_slots(x, taken) && now_ns() < end)
		nanosleep(&pause, NULL);
	for (uint32_t cpu = 0; cpu < x->e.ncpus; cpu++)
		x->stuck[cpu] |= taken[cpu];
	free(taken);
}

/*
 * A program that does not sleep holds up a grace period, and membarrier() waits
 * for one.  It takes 15 ms and is refused where a CPU has no ticks (nohz_full),
 * so visiting the CPUs comes first.
 */
void
bx_quiesce(struct bx_exec *x)
{
	if (!visit_cpus(x, NULL, NULL) || can_be_preempted(x))
		syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
	if (may_sleep(x))
		await_sleepers(x);
}

static int
arm_timer(struct bx_group *g, uint64_t period_ns, char **msg)
{
	struct itimerspec its = {
		.it_interval = { (time_t)(period_ns / NS),
		    (long)(period_ns % NS) },
	};

	its.it_value = its.it_interval;
	g->timer_fd =
	    timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (g->timer_fd < 0 ||
	    timerfd_settime(g->timer_fd, 0, &its, NULL) != 0) {
		*msg = mem_printf("cannot create a timer for %s: %s",
		    g->tr.name, strerror(errno));
		return -errno;
	}
	return 0;
}

/* Arm all probes of a program with one call; cookies are places in the
 * table. */
int
bx_group_arm(const struct bx_exec *x, struct bx_group *g, char **msg)
{
	const struct bx_tr *t = &g->tr;
	const struct dt_probe *p = t->probes.v[0];
	const struct bx_attach *attach = bx_attach(p->kind);
	struct bx_arming a = { .ctx = t->ctx,
		.has_cookies = t->has_table && !t->is_patched,
		.refused = x->opts.refused,
		.places = x->places };
	size_t from = g->narmed;
	int rc = 0;

	g->narmed = t->probes.n;
	if (from == g->narmed)
		return 0;
	if (attach->arm == NULL)
		return p->period_ns != 0 ? arm_timer(g, p->period_ns, msg) : 0;
	for (size_t i = from; rc == 0 && i < t->probes.n; i += a.n) {
		a.n = t->is_patched ? 1 : t->probes.n - i;
		a.probes = &t->probes.v[i];
		a.first_cookie = i;
		a.prog_fd = g->progs.v[t->is_patched ? i : 0];
		rc = may_go_on(msg, attach->arm(&a, &g->armed, msg));
	}
	return rc;
}

static int
arm_vtime(struct bx_exec *x, char **msg)
{
	int fd;

	if (x->vtime.progs.n == 0)
		return 0;
	bx_clocks_start(x);
	fd = bpf_raw_tracepoint_open("sched_switch", x->vtime.progs.v[0]);
	if (fd < 0) {
		*msg = mem_printf(
		    "the clocks of threads (vtimestamp, ...) are not "
		    "available: cannot attach to sched_switch: %s",
		    strerror(-fd));
		return fd;
	}
	VEC_PUSH(&x->vtime.armed.fds, fd);
	return 0;
}

static int
warm_all(const struct bx_exec *x, char **msg)
{
	int rc = 0;

	if (bx_maps_have_keys(x))
		visit_cpus(x, bx_maps_warm, &rc);
	if (rc != 0)
		*msg = mem_printf("cannot make aggregations and arrays ready: "
				  "%s",
		    strerror(-rc));
	return rc;
}

static int
bx_go(struct dt_exec *e, char **msg)
{
	struct bx_exec *x = bx_of(e);
	struct bx_group *begin = dtrace_group(x, "BEGIN");
	uint32_t off = EXEC_STATE_OFF;
	int rc;

	renew_clocks(x);
	rc = warm_all(x, msg);
	if (rc != 0)
		return rc;
	bx_hotplug_start(x);
	rc = arm_vtime(x, msg);
	for (size_t i = 0; rc == 0 && i < x->ngroups; i++)
		rc = may_go_on(msg, bx_group_arm(x, &x->groups[i], msg));
	if (rc == 0)
		rc = bx_asked_armed(x, msg);
	if (rc != 0)
		return rc;
	if (begin != NULL) {
		rc = run_group(begin);
		if (rc != 0) {
			*msg =
			    mem_printf("cannot run BEGIN: %s", strerror(-rc));
			return rc;
		}
	}
	exec_bufs_begun(&x->bufs);
	x->start_ns = now_ns();
	bx_idle_begin(x);
	bx_hotplug_armed(x);
	__atomic_compare_exchange_n(&x->ctl->state, &off, EXEC_STATE_ACTIVE,
	    false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	return 0;
}

static bool
bx_exiting(struct dt_exec *e)
{
	struct bx_exec *x = bx_of(e);

	for (uint32_t cpu = 0; cpu < x->e.ncpus; cpu++) {
		if (bx_pcpu(x, cpu)->drops[DT_DROP_FILLED] != 0)
			return true;
	}
	return __atomic_load_n(&x->ctl->state, __ATOMIC_ACQUIRE) ==
	    EXEC_STATE_DRAINING;
}

static bool
anything_armed(const struct bx_exec *x)
{
	for (size_t i = 0; i < x->ngroups; i++) {
		if (x->groups[i].armed.fds.n != 0)
			return true;
	}
	return false;
}

static int
bx_stop(struct dt_exec *e)
{
	struct bx_exec *x = bx_of(e);

	__atomic_store_n(&x->ctl->state, EXEC_STATE_DRAINING, __ATOMIC_RELEASE);
	x->stop_ns = now_ns();
	bx_idle_end(x);
	bx_asked_close(x);
	if (anything_armed(x))
		bx_quiesce(x);
	exec_bufs_stopped(&x->bufs);
	return 0;
}

static int
bx_end(struct dt_exec *e)
{
	struct bx_exec *x = bx_of(e);
	struct bx_group *end = dtrace_group(x, "END");

	return end != NULL ? run_group(end) : 0;
}

/* Run the tick probes whose timer has expired.  Returns 0 or -errno: if one
 * cannot run, what ends the trace may never come. */
static int
run_ticks(struct bx_exec *x)
{
	int rc = 0;

	for (size_t i = 0; i < x->ngroups; i++) {
		struct bx_group *g = &x->groups[i];
		uint64_t times;

		if (g->timer_fd < 0 ||
		    read(g->timer_fd, &times, sizeof(times)) != sizeof(times))
			continue;
		rc = rc != 0 ? rc : run_group(g);
		/* count firings missed while dtrace was busy; do not make them
		 * up */
		bx_pcpu(x, 0)->drops[DT_DROP_MISSED] += times - 1;
	}
	return rc;
}

static int
bx_wait(struct dt_exec *e, uint64_t timeout_ns, int extra_fd)
{
	struct bx_exec *x = bx_of(e);
	struct pollfd *fds = mem_alloc((x->ngroups + 3) * sizeof(*fds));
	struct timespec ts;
	nfds_t n = 0;
	int rc, tick_rc;

	if (bx_unwind_has_work(x))
		timeout_ns = 0;
	ts.tv_sec = (time_t)(timeout_ns / NS);
	ts.tv_nsec = (long)(timeout_ns % NS);
	fds[n++] = (struct pollfd){ .fd = x->bell_fd, .events = POLLIN };
	fds[n++] = (struct pollfd){ .fd = extra_fd, .events = POLLIN };
	fds[n++] = (struct pollfd){ .fd = x->hotplug_fd, .events = POLLIN };
	for (size_t i = 0; i < x->ngroups; i++) {
		if (x->groups[i].timer_fd >= 0)
			fds[n++] = (struct pollfd){ .fd = x->groups[i].timer_fd,
				.events = POLLIN };
	}
	rc = ppoll(fds, n, &ts, NULL);
	rc = rc < 0 ? -errno : 0;
	free(fds);
	if (x->bell_consumer != NULL)
		*x->bell_consumer = *x->bell_producer;
	bx_unwind_work(x);
	bx_helpers_work(x);
	bx_hotplug_work(x);
	tick_rc = run_ticks(x);
	renew_clocks(x);
	return tick_rc != 0 ? tick_rc : rc;
}

struct drain_arg {
	struct bx_exec *x;
	dt_record_f *f;
	void *arg;
};

static int
drain_finished(const struct dt_record *rec, void *arg)
{
	const struct drain_arg *da = arg;
	struct dt_record copy;

	if (bx_rests_any(da->x))
		rec = bx_rest_record(da->x, rec, &copy);
	return da->f(rec, da->arg);
}

static int
bx_drain(struct dt_exec *e, bool merged, dt_record_f *f, void *arg)
{
	struct bx_exec *x = bx_of(e);
	struct drain_arg da = { x, f, arg };

	if (x->rests == NULL)
		return exec_bufs_drain(&x->bufs, merged, f, arg);
	return exec_bufs_drain(&x->bufs, merged, drain_finished, &da);
}

static uint64_t
bx_pending_ns(const struct dt_exec *e)
{
	const struct bx_exec *x = bx_of(e);

	return x->bufs.pending_ns;
}

static bool
bx_is_filling(const struct dt_exec *e)
{
	const struct bx_exec *x = bx_of(e);

	return exec_bufs_are_filling(&x->bufs);
}

static int
bx_watch(struct dt_exec *e, int epoll_fd)
{
	struct bx_exec *x = bx_of(e);
	struct epoll_event ev = { .events = EPOLLIN };
	int rc = 0;

	if (x->bell_fd >= 0)
		rc = epoll_ctl(epoll_fd, EPOLL_CTL_ADD, x->bell_fd, &ev);
	if (rc == 0 && x->hotplug_fd >= 0)
		rc = epoll_ctl(epoll_fd, EPOLL_CTL_ADD, x->hotplug_fd, &ev);
	for (size_t i = 0; rc == 0 && i < x->ngroups; i++) {
		if (x->groups[i].timer_fd >= 0)
			rc = epoll_ctl(epoll_fd, EPOLL_CTL_ADD,
			    x->groups[i].timer_fd, &ev);
	}
	return rc;
}

/* Firings of profile probes that did not happen: on some machines a sleeping
 * CPU does not wake up for its timers.  Valid after tracing has stopped. */
static uint64_t
missed_profile(struct bx_exec *x, uint32_t cpu)
{
	uint64_t missed = 0;

	for (size_t i = 0; x->stop_ns != 0 && i < x->ngroups; i++) {
		const struct bx_group *g = &x->groups[i];
		const struct bx_tr *t = &g->tr;
		uint64_t want, got;

		if (t->ctx != BX_CTX_PERF || !t->is_clock || x->start_ns == 0 ||
		    (x->opts.cpu >= 0 && cpu != (uint32_t)x->opts.cpu))
			continue;
		want = bx_present_ns(x, cpu) / t->probes.v[0]->period_ns;
		got = bx_pcpu(x, cpu)->fired[t->perf_index];
		/* the first and the last period are partial */
		if (want > got + 2)
			missed += want - got;
	}
	return missed;
}

static uint64_t
recursion_misses(int prog_fd)
{
	struct bpf_prog_info info = { 0 };
	uint32_t len = sizeof(info);

	if (bpf_obj_get_info_by_fd(prog_fd, &info, &len) != 0)
		return 0;
	return info.recursion_misses;
}

/* Firings that the kernel skipped since the program was already running on that
 * CPU. */
static uint64_t
skipped(struct bx_exec *x)
{
	uint64_t n = 0;

	for (size_t i = 0; i < x->ngroups; i++) {
		VEC_FOREACH(&x->groups[i].progs, fd)
			n += recursion_misses(*fd);
	}
	return n;
}

static uint64_t
bx_drops(struct dt_exec *e, enum dt_drop kind, uint32_t cpu)
{
	struct bx_exec *x = bx_of(e);
	uint64_t n = bx_pcpu(x, cpu)->drops[kind];

	if (kind == DT_DROP_MISSED)
		n += missed_profile(x, cpu);
	else if (kind == DT_DROP_SKIPPED && cpu == 0)
		n += skipped(x);
	return n;
}

/* ---- --dump=bpf --------------------------------------------------------- */

struct dump_arg {
	const struct bx_exec *x;
	const struct bx_asm *a;
	size_t next;
	struct strbuf line;
};

/* The D text of the code that begins at instruction `insn`. */
static const char *
dump_note(void *arg, uint32_t insn)
{
	struct dump_arg *d = arg;

	strbuf_reset(&d->line);
	for (; d->next < d->a->notes.n && d->a->notes.v[d->next].insn <= insn;
	     d->next++) {
		const struct bx_note *n = &d->a->notes.v[d->next];

		if (d->line.len != 0)
			strbuf_addc(&d->line, '\n');
		exec_place_note(&d->line, d->x->diags, n->span, n->text);
	}
	return d->line.len ? d->line.s : NULL;
}

static void
dump_image(const struct bx_exec *x, const struct bl_image *image,
    const struct bx_asm *a, struct strbuf *out)
{
	struct dump_arg d = { .x = x, .a = a };

	VEC_FOREACH(&a->relocs, r)
		strbuf_printf(out, "  relocation: %u %s\n", r->insn, r->sym);
	bl_dump(image, dump_note, &d, out);
	strbuf_fini(&d.line);
}

static void
dump_group(
    const struct bx_exec *x, const struct bx_group *g, struct strbuf *out)
{
	strbuf_printf(out,
	    "BPF program for %s: %zu probes, %zu clauses, "
	    "%zu instructions\n",
	    g->tr.name, g->tr.probes.n, g->tr.clauses.n, g->image.insns.n);
	dump_image(x, &g->image, &g->tr.a, out);
	for (size_t i = 0; g->parts != NULL && i < g->tr.parts.list.n; i++) {
		strbuf_printf(out, "part %zu: %zu instructions\n", i,
		    g->parts[i].insns.n);
		dump_image(x, &g->parts[i], &g->tr.parts.list.v[i].a, out);
	}
}

static void
bx_dump(struct dt_exec *e, struct strbuf *out)
{
	struct bx_exec *x = bx_of(e);

	for (size_t i = 0; i < x->ngroups; i++)
		dump_group(x, &x->groups[i], out);
	if (x->vtime.progs.n != 0)
		dump_group(x, &x->vtime, out);
}

const struct dt_exec_ops dt_exec_bpf = {
	.name = "kernel",
	.can_arm = bx_can_arm,
	.load = bx_load,
	.go = bx_go,
	.grow = bx_grow,
	.watch_loads = bx_watch_loads,
	.has_loads = bx_has_loads,
	.resume = bx_resume,
	.let_go = bx_let_go,
	.met = bx_met,
	.look_back = bx_look_back,
	.stop = bx_stop,
	.end = bx_end,
	.wait = bx_wait,
	.watch = bx_watch,
	.pending_ns = bx_pending_ns,
	.is_filling = bx_is_filling,
	.drain = bx_drain,
	.agg_walk = bx_agg_walk,
	.agg_turn = bx_agg_turn,
	.agg_fill = bx_agg_fill,
	.drops = bx_drops,
	.idle = bx_idle,
	.exiting = bx_exiting,
	.dump = bx_dump,
	.destroy = bx_destroy,
};
