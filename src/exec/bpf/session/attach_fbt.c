/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arm kernel functions in the best way that this kernel supports, which is
 * found by trying:
 *
 *	few functions	fentry, fexit: the cheapest to fire, but a program
 *			for each function
 *	more		a multi-kprobe: one program and one link
 *	otherwise	a kprobe for each, with one program
 *
 * A kprobe is placed by address where that is known: by name, kernels before
 * 6.2 search all symbols for each kprobe.
 */
#include "exec/bpf/attach.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/perf_event.h>

#include "base/bounds.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/refusals.h"
#include "base/str.h"
#include "base/vec.h"
#include "provider/fbt.h"

#define FEW 4
#define LICENSE "Dual BSD/GPL"

/* ---- what the kernel can do ---------------------------------------------- */

static const struct bpf_insn nothing[] = {
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
	{ .code = BPF_JMP | BPF_EXIT },
};
#define NNOTHING (sizeof(nothing) / sizeof(nothing[0]))

bool
bx_has_kprobes(void)
{
	return bx_event_type("kprobe") != -ENOENT;
}

/* Close `fd` if it is a descriptor.  Returns whether it was one. */
static bool
close_if(int fd)
{
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static enum bpf_attach_type
trampoline_type(bool is_return)
{
	return is_return ? BPF_TRACE_FEXIT : BPF_TRACE_FENTRY;
}

static bool
try_trampoline(enum bpf_attach_type type, uint32_t btf_id)
{
	LIBBPF_OPTS(bpf_prog_load_opts, o, .expected_attach_type = type,
	    .attach_btf_id = btf_id);
	int prog = bpf_prog_load(BPF_PROG_TYPE_TRACING, "dtrace_try", LICENSE,
	    nothing, NNOTHING, &o);
	bool works =
	    prog >= 0 && close_if(bpf_link_create(prog, 0, type, NULL));

	close_if(prog);
	return works;
}

/* Can the function have a trampoline?  A function that does not return has no
 * fexit. */
static bool
trampoline_works(const struct dt_probe *p)
{
	return try_trampoline(trampoline_type(fbt_is_return(p)), fbt_btf_id(p));
}

bool
bx_has_trampolines(void)
{
	/* it prints a warning where the kernel has no types */
	libbpf_print_fn_t print = libbpf_set_print(NULL);
	int id = libbpf_find_vmlinux_btf_id("vfs_read", BPF_TRACE_FENTRY);

	libbpf_set_print(print);
	return id > 0 && try_trampoline(BPF_TRACE_FENTRY, (uint32_t)id);
}

static bool
multi_works(const struct dt_probe *p)
{
	const struct fbt_func *fn = p->data;
	LIBBPF_OPTS(bpf_prog_load_opts, o,
	    .expected_attach_type = BPF_TRACE_KPROBE_MULTI);
	LIBBPF_OPTS(bpf_link_create_opts, lo);
	int prog = bpf_prog_load(
	    BPF_PROG_TYPE_KPROBE, "dtrace_try", LICENSE, nothing, NNOTHING, &o);
	bool works;

	lo.kprobe_multi.cnt = 1;
	lo.kprobe_multi.syms = (const char **)(uintptr_t)&fn->name;
	works = prog >= 0 &&
	    close_if(bpf_link_create(prog, 0, BPF_TRACE_KPROBE_MULTI, &lo));
	close_if(prog);
	return works;
}

static bool
trampolines_work(const struct dt_probe *const *probes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!fbt_is_simple(probes[i]))
			return false;
	}
	for (size_t i = 0; i < n; i++) {
		if (!trampoline_works(probes[i]))
			return false;
	}
	return true;
}

enum bx_context
bx_choose_kfuncs(const struct dt_probe *const *probes, size_t n)
{
	bool is_return = fbt_is_return(probes[0]);

	if (n <= FEW && trampolines_work(probes, n))
		return is_return ? BX_CTX_FEXIT : BX_CTX_FENTRY;
	/* one of the functions may be one that the kernel refuses */
	if (n > 1 &&
	    (multi_works(probes[0]) || multi_works(probes[n / 2]) ||
		multi_works(probes[n - 1])))
		return is_return ? BX_CTX_KRETPROBE_MULTI : BX_CTX_KPROBE_MULTI;
	return is_return ? BX_CTX_KRETPROBE : BX_CTX_KPROBE;
}

/* ---- addresses ----------------------------------------------------------- */

/* The address of a probe and its index. */
struct attach_fbt_site {
	uint64_t addr; /* 0: by name */
	size_t probe;
};

struct attach_fbt_sites {
	VEC(struct attach_fbt_site) list;
};

/* Find the addresses.  A function whose address is hidden is armed by name. */
CHECKED static int
find_sites(
    struct attach_fbt_sites *s, const struct bx_arming *a, struct err *err)
{
	for (size_t i = 0; i < a->n; i++) {
		const struct fbt_place *place;
		int rc = fbt_places(a->probes[i]->data, &place, err);

		if (rc != 0)
			return rc;
		if (place == NULL)
			VEC_PUSH(&s->list, (struct attach_fbt_site){ 0, i });
		for (; place != NULL; place = place->next)
			VEC_PUSH(&s->list,
			    (struct attach_fbt_site){ place->addr, i });
	}
	return 0;
}

static void
sites_fini(struct attach_fbt_sites *s)
{
	VEC_FREE(&s->list);
}

/* ---- arming -------------------------------------------------------------- */

/* Report an error of probe i; of a multi-probe, of those from i on. */
CHECKED static int
arm_error(const struct bx_arming *a, size_t i, int code, struct err *err)
{
	const struct fbt_func *fn = a->probes[i]->data;
	bool is_multi =
	    a->ctx == BX_CTX_KPROBE_MULTI || a->ctx == BX_CTX_KRETPROBE_MULTI;

	return err_set(err, -code, "fbt:%s:%s: cannot attach%s: %s%s", fn->mod,
	    fn->name, is_multi ? " it together with others" : "",
	    strerror(code),
	    code == EMFILE ? " (raise the limit of open files, ulimit -n)" :
			     bx_needs(code));
}

CHECKED static int
arm_trampolines(const struct bx_arming *a, struct bx_fds *fds, struct err *err)
{
	int fd = bpf_link_create(
	    a->prog_fd, 0, trampoline_type(a->ctx == BX_CTX_FEXIT), NULL);

	if (fd < 0)
		return arm_error(a, 0, -fd, err);
	VEC_PUSH(&fds->fds, fd);
	return 0;
}

/* ---- functions that the kernel refuses ----------------------------------- */

/*
 * Does the error mean that no probe can be on the function?  The function
 * tracer and kprobes exclude some that are listed, and a module may have been
 * unloaded.
 */
static bool
is_refusal(int code)
{
	return code == EINVAL || code == ENOENT || code == ESRCH ||
	    code == EOPNOTSUPP || code == 524 /* ENOTSUPP */ ||
	    code == EILSEQ || code == EADDRNOTAVAIL;
}

/* Each refused function of a multi-probe costs a search. */
#define LEFT_OUT_MAX 100

/* Places that are being armed. */
struct attach_fbt_run {
	const struct bx_arming *a;
	struct bx_fds *fds;
	struct refusals *refused; /* NULL: one place is named alone */
	size_t nleft;		  /* places that are left out */
	/* of a multi-probe, by place */
	bool by_name;
	VEC(unsigned long) addrs;
	VEC(const char *) names;
	VEC(__u64) cookies;
};

static struct attach_fbt_run
run_start(const struct bx_arming *a, struct bx_fds *fds, size_t n)
{
	struct attach_fbt_run r = { .a = a, .fds = fds };

	if (a->refused != NULL)
		a->refused->tried += n;
	r.refused = n > 1 ? a->refused : NULL;
	return r;
}

/* Leave out the place of probe i.  0, or -errno with *err: it is an error. */
CHECKED static int
leave_out(struct attach_fbt_run *r, size_t i, int code, struct err *err)
{
	struct strbuf name = { 0 };

	if (!is_refusal(code) || r->refused == NULL || r->nleft == LEFT_OUT_MAX)
		return arm_error(r->a, i, code, err);
	dt_probe_format(r->a->probes[i], &name);
	refusals_add(r->refused, strbuf_steal(&name),
	    mem_strdup("the kernel puts no probe on this function"));
	r->nleft++;
	return 0;
}

/* ---- many at once -------------------------------------------------------- */

static bool
are_hidden(const struct attach_fbt_sites *s)
{
	VEC_FOREACH(&s->list, site) {
		if (site->addr != 0)
			return false;
	}
	return true;
}

/* Arm places by address, or by name if the kernel hides all addresses.  Returns
 * the link or -errno. */
static int
link_multi(const struct attach_fbt_run *r, size_t first, size_t n)
{
	LIBBPF_OPTS(bpf_link_create_opts, o);

	o.kprobe_multi.flags =
	    r->a->ctx == BX_CTX_KRETPROBE_MULTI ? BPF_F_KPROBE_MULTI_RETURN : 0;
	o.kprobe_multi.cnt = (uint32_t)n;
	if (r->by_name)
		o.kprobe_multi.syms = r->names.v + first;
	else
		o.kprobe_multi.addrs = r->addrs.v + first;
	o.kprobe_multi.cookies = r->cookies.v + first;
	return bpf_link_create(r->a->prog_fd, 0, BPF_TRACE_KPROBE_MULTI, &o);
}

/*
 * The kernel refuses all places together if it refuses one.  So halves are
 * armed until the refused place stands alone; what is armed stays.
 */
CHECKED static int
arm_range(struct attach_fbt_run *r, size_t first, size_t n, struct err *err)
{
	int fd = link_multi(r, first, n);
	size_t i = (size_t)(r->cookies.v[first] - r->a->first_cookie);
	int rc;

	if (fd >= 0) {
		VEC_PUSH(&r->fds->fds, fd);
		return 0;
	}
	if (n == 1 || r->refused == NULL || !is_refusal(-fd))
		return leave_out(r, i, -fd, err);
	if (bounds_is_stopped())
		return err_set(err, -EINTR, "%s", BOUNDS_STOPPED);
	rc = arm_range(r, first, n / 2, err);
	return rc == 0 ? arm_range(r, first + n / 2, n - n / 2, err) : rc;
}

static void
add_sites(struct attach_fbt_run *r, const struct attach_fbt_sites *s)
{
	r->by_name = are_hidden(s);
	VEC_FOREACH(&s->list, site) {
		const struct fbt_func *fn = r->a->probes[site->probe]->data;

		if (site->addr == 0 && !r->by_name)
			continue; /* its module was just unloaded */
		VEC_PUSH(&r->addrs, site->addr);
		VEC_PUSH(&r->names, fn->name);
		VEC_PUSH(&r->cookies, r->a->first_cookie + site->probe);
	}
}

CHECKED static int
arm_multi(const struct bx_arming *a, struct bx_fds *fds, struct err *err)
{
	struct attach_fbt_sites s = { 0 };
	struct attach_fbt_run r;
	int rc = find_sites(&s, a, err);

	if (rc != 0) {
		sites_fini(&s);
		return rc;
	}
	r = run_start(a, fds, s.list.n);
	add_sites(&r, &s);
	if (r.cookies.n != 0)
		rc = arm_range(&r, 0, r.cookies.n, err);
	VEC_FREE(&r.addrs);
	VEC_FREE(&r.names);
	VEC_FREE(&r.cookies);
	sites_fini(&s);
	return rc;
}

/* ---- one by one ---------------------------------------------------------- */

/* Open a perf event as a kprobe; fd or -errno. */
static int
kprobe_open(const struct fbt_func *fn, uint64_t addr, int type, bool is_return)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
		.type = (uint32_t)type,
		.config = is_return }; /* bit 0 of format/retprobe */
	int fd;

	if (addr != 0)
		attr.kprobe_addr = addr;
	else
		attr.kprobe_func = (uint64_t)(uintptr_t)fn->name;
	fd = (int)syscall(
	    SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int
arm_site(const struct bx_arming *a, const struct attach_fbt_site *site,
    int type, struct bx_fds *fds)
{
	LIBBPF_OPTS(bpf_link_create_opts, o);
	int event = kprobe_open(a->probes[site->probe]->data, site->addr, type,
		a->ctx == BX_CTX_KRETPROBE),
	    link;

	if (event < 0)
		return event;
	if (a->has_cookies)
		o.perf_event.bpf_cookie = a->first_cookie + site->probe;
	link = bpf_link_create(a->prog_fd, event, BPF_PERF_EVENT, &o);
	close(event);
	if (link >= 0)
		VEC_PUSH(&fds->fds, link);
	return link < 0 ? link : 0;
}

/* Raise the descriptor limit: each kprobe takes one. */
static void
allow_files(size_t n)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim) != 0 || lim.rlim_cur >= n + 64 ||
	    lim.rlim_cur == lim.rlim_max)
		return;
	lim.rlim_cur = lim.rlim_max;
	setrlimit(RLIMIT_NOFILE, &lim);
}

CHECKED static int
arm_each(const struct bx_arming *a, struct bx_fds *fds, struct err *err)
{
	struct attach_fbt_sites s = { 0 };
	struct attach_fbt_run r;
	int rc, type = bx_event_type("kprobe");

	if (type < 0)
		return bx_event_error("kprobe", type, err);
	rc = find_sites(&s, a, err);
	allow_files(s.list.n);
	r = run_start(a, fds, s.list.n);
	for (size_t i = 0; rc == 0 && i < s.list.n; i++) {
		rc = arm_site(a, &s.list.v[i], type, fds);
		if (rc != 0)
			rc = leave_out(&r, s.list.v[i].probe, -rc, err);
	}
	sites_fini(&s);
	return rc;
}

int
bx_arm_kfuncs(const struct bx_arming *a, struct bx_fds *fds, struct err *err)
{
	switch (a->ctx) {
	case BX_CTX_FENTRY:
	case BX_CTX_FEXIT:
		return arm_trampolines(a, fds, err);
	case BX_CTX_KPROBE_MULTI:
	case BX_CTX_KRETPROBE_MULTI:
		return arm_multi(a, fds, err);
	default:
		return arm_each(a, fds, err);
	}
}
