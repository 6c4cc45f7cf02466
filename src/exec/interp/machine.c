/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Creating and destroying a machine, the storage of variables, threads,
 * firings.
 *
 *	mem of the machine state: | this-> variables | tmp a | tmp b | scratch |
 *
 * A by-reference variable is a marker word and its bytes; the marker holds the
 * bytes' address, or 0 while the variable is NULL.
 */
#include "exec/interp/interp_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"
#include "exec/runtime/rt_prim.h"

#define MEM_MAX (1U << 28)
#define DYNVARS_MAX (1U << 31)
#define STRSIZE_MIN 8
#define STRSIZE_MAX 65536

/* ---- memory ------------------------------------------------------------- */

CHECKED static bool
state_alloc(struct in_machine *m, const struct in_opts *opts, struct err *err)
{
	struct rt_conf *c = &m->conf;
	uint64_t size = exec_vars_lay_out(
	    c, &m->vars, opts->strsize, opts->scratchsize & ~7U);

	c->globals_size = m->vars.sizes[DIFV_SCOPE_GLOBAL];
	c->tls_size = m->vars.sizes[DIFV_SCOPE_THREAD];
	m->vm = c->memmask >= MEM_MAX ? NULL :
					calloc(1, RT_VM_MS + RT_MEM_OFF + size);
	if (m->vm == NULL) {
		err_set(err, -ENOMEM,
		    "no memory for %u bytes of scratch memory; lower scratchsize",
		    opts->scratchsize);
		return false;
	}
	m->ms = rt_vm_ms(m->vm);
	m->ms->base = (uint64_t)(uintptr_t)m->ms;
	m->ms->conf = c;
	m->ms->host = &m->vm->host;
	return true;
}

static void
set_range(struct in_machine *m, uint32_t i, const void *p, uint64_t size)
{
	m->ranges[i] =
	    (struct rt_range){ .addr = (uint64_t)(uintptr_t)p, .size = size };
}

static void
set_ranges(struct in_machine *m, const struct in_opts *opts, size_t strs_size)
{
	uint32_t nforeign = opts->hides_kernel ? 0 : opts->kernel.n;

	m->ranges = mem_alloc((IN_NOWN + nforeign) * sizeof(*m->ranges));
	set_range(m, IN_OWN_MEM, m->ms->mem, m->conf.scratch_end);
	set_range(m, IN_OWN_GLOBALS, m->vm->host.globals,
	    m->vars.sizes[DIFV_SCOPE_GLOBAL]);
	set_range(m, IN_OWN_POOL, rt_dyn_pool(&m->vm->dyn), m->vm->dyn.size);
	set_range(m, IN_OWN_STRS, m->strs, strs_size);
	if (nforeign != 0)
		memcpy(m->ranges + IN_NOWN, opts->kernel.v,
		    nforeign * sizeof(*m->ranges));
	m->vm->host.kernel =
	    (struct rt_ranges){ .v = m->ranges, .n = IN_NOWN + nforeign };
	m->vm->host.user = opts->user;
}

/* ---- create, destroy ---------------------------------------------------- */

CHECKED static bool
check_opts(const struct in_opts *opts, struct err *err)
{
	if (opts->strsize >= STRSIZE_MIN && opts->strsize <= STRSIZE_MAX)
		return true;
	err_set(err, -EINVAL, "strsize %u is not within %u ... %u",
	    opts->strsize, STRSIZE_MIN, STRSIZE_MAX);
	return false;
}

CHECKED static bool
decode_all(struct in_machine *m, const struct dif_obj *const *objs, uint32_t n,
    struct err *err)
{
	char *strs = m->strs;

	m->code = mem_alloc(n * sizeof(*m->code));
	for (uint32_t i = 0; i < n; i++, m->ncode++) {
		if (!in_decode(m, objs[i], strs, &m->code[i], err)) {
			err_prefix(err, "object %u", i);
			return false;
		}
		if (objs[i]->strlen != 0)
			memcpy(strs, objs[i]->strtab, objs[i]->strlen);
		strs += objs[i]->strlen;
	}
	return true;
}

/* Untouched pages cost nothing. */
static bool
arrays_alloc(struct in_machine *m, uint64_t size)
{
	void *p;

	if (size > DYNVARS_MAX)
		return false;
	m->dyn_bytes = rt_dyn_bytes(size);
	p = mmap(NULL, m->dyn_bytes, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return false;
	rt_dyn_init(&m->vm->dyn, p, size);
	return true;
}

CHECKED static bool
machine_init(struct in_machine *m, const struct in_opts *opts,
    const struct dif_obj *const *objs, uint32_t n, struct err *err)
{
	size_t strs_size = 0;

	m->hides_kernel = opts->hides_kernel;
	for (uint32_t i = 0; i < n; i++) {
		strs_size += objs[i]->strlen;
		if (!exec_vars_add(&m->vars, objs[i], opts->strsize, err))
			return false;
	}
	if (!state_alloc(m, opts, err))
		return false;
	m->strs = mem_alloc(strs_size);
	m->vm->host.globals = mem_alloc(m->vars.sizes[DIFV_SCOPE_GLOBAL]);
	m->vm->key = mem_alloc(exec_key_max(opts->strsize));
	m->vm->value = mem_alloc(exec_vars_largest(&m->vars));
	m->conf.nspec = opts->nspec;
	m->specs = mem_alloc(opts->nspec * sizeof(*m->specs) + 1);
	m->vm->host.specs = m->specs;
	m->vm->host.dyn = &m->vm->dyn;
	if (!arrays_alloc(m, opts->dynvarsize)) {
		err_set(err, -ENOMEM,
		    "no memory for %llu bytes of dynamic variables; lower dynvarsize",
		    (unsigned long long)opts->dynvarsize);
		return false;
	}
	set_ranges(m, opts, strs_size);
	return decode_all(m, objs, n, err);
}

struct in_machine *
in_machine_create(const struct in_opts *opts, const struct dif_obj *const *objs,
    uint32_t nobjs, struct err *err)
{
	struct in_machine *m;

	if (!check_opts(opts, err))
		return NULL;
	m = mem_alloc(sizeof(*m));
	if (machine_init(m, opts, objs, nobjs, err))
		return m;
	in_machine_destroy(m);
	return NULL;
}

static void
vm_destroy(struct in_machine *m)
{
	if (m->vm == NULL)
		return;
	free(m->vm->host.globals);
	free(m->vm->key);
	free(m->vm->value);
	if (m->vm->dyn.d != NULL)
		munmap(m->vm->dyn.d, m->dyn_bytes);
	free(m->vm);
}

void
in_machine_destroy(struct in_machine *m)
{
	for (uint32_t i = 0; m->code != NULL && i < m->ncode; i++)
		free(m->code[i].insns);
	VEC_FOREACH(&m->threads, th)
		free(th->storage);
	VEC_FREE(&m->threads);
	VEC_FREE(&m->vars.v);
	free(m->code);
	free(m->strs);
	free(m->specs);
	free(m->ranges);
	vm_destroy(m);
	free(m);
}

/* ---- firing ------------------------------------------------------------- */

static void
tls_use(struct in_machine *m, uint8_t *storage)
{
	m->vm->host.tls = storage;
	set_range(m, IN_OWN_TLS, storage,
	    storage != NULL ? m->vars.sizes[DIFV_SCOPE_THREAD] : 0);
}

uint8_t *
in_tls_create(struct in_machine *m)
{
	struct in_thread th = { .id = m->vm->thread };

	if (m->vm->host.tls == NULL) {
		th.storage = mem_alloc(m->vars.sizes[DIFV_SCOPE_THREAD]);
		VEC_PUSH(&m->threads, th);
		tls_use(m, th.storage);
	}
	return m->vm->host.tls;
}

void
in_clause(struct in_machine *m, uint32_t epid)
{
	m->vm->vars[RT_VAR_EPID] = epid;
	m->ms->scratch = m->conf.scratch_begin;
}

void
in_fire(struct in_machine *m, const struct in_firing *firing)
{
	memcpy(m->vm->vars, firing->vars, sizeof(firing->vars));
	memcpy(m->vm->args, firing->args, sizeof(firing->args));
	m->vm->thread = firing->thread;
	m->conf.task = firing->vars[RT_VAR_CURTHREAD];
	in_clause(m, (uint32_t)firing->vars[RT_VAR_EPID]);
	m->ms->tok = 0;
	memset(m->ms->mem, 0, m->vars.sizes[DIFV_SCOPE_LOCAL]);
	tls_use(m, NULL);
	VEC_FOREACH(&m->threads, th) {
		if (th->id == firing->thread)
			tls_use(m, th->storage);
	}
}

/* ---- looking in --------------------------------------------------------- */

int
in_read(const struct in_machine *m, void *dst, uint64_t addr, uint64_t size)
{
	return (int)rt_peek(m->ms, dst, size, addr);
}

int
in_read_str(const struct in_machine *m, void *dst, uint64_t addr, uint64_t size)
{
	return in_read_text(m->ms, dst, addr, size);
}

int
in_read_text(struct rt_mstate *ms, void *dst, uint64_t addr, uint64_t size)
{
	uint64_t done = 0;
	char c = '\1';

	memset(dst, 0, size);
	while (addr != 0 && done < size && c != '\0') {
		if (rt_peek(ms, &c, 1, addr + done) != 0) {
			memset(dst, 0, size);
			return -EFAULT;
		}
		((char *)dst)[done++] = c;
	}
	return 0;
}

uint64_t
in_drops(const struct in_machine *m)
{
	return rt_dyn_drops(&m->vm->dyn);
}

bool
in_is_own(const struct in_machine *m, uint64_t addr, uint64_t slack)
{
	for (uint32_t i = 0; i < IN_NOWN; i++) {
		const struct rt_range *r = &m->ranges[i];

		if (r->size != 0 &&
		    addr - (r->addr - slack) < r->size + 2 * slack)
			return true;
	}
	return false;
}

enum in_elem
in_elem_at(const struct in_machine *m, uint64_t addr)
{
	const struct rt_range *pool = &m->ranges[IN_OWN_POOL];

	if (addr - pool->addr >= pool->size)
		return IN_ELEM_NONE;
	return rt_dyn_at(&m->vm->dyn, addr, 1) != NULL ? IN_ELEM_VALUE :
							 IN_ELEM_SPACE;
}

void
in_watch(struct in_machine *m, in_watch_f *f, void *arg)
{
	m->watch = f;
	m->watch_arg = arg;
}
