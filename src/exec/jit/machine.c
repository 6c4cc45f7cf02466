/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compiled objects in our own process: a region of two mappings side by side.
 *
 *	runtime | code | strings, descriptions of variables	read, execute
 *	vm, machine state | variables | keys | speculations |
 *	arrays							read, write
 */
#include "exec/jit/machine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"
#include "exec/jit/blob.h"
#include "exec/jit/jit.h"
#include "exec/runtime/rt_prim.h"

#define PAGE 4096U
#define REGION_MAX (1U << 30)
/*
 * A bound for the code of any instruction: a call with four arguments of a
 * tuple of unknown depth, and the code that stores its fault.
 */
#define CODE_PER_INSN 256U
#define CODE_PER_OBJECT 128U

struct machine_part {
	uint32_t off, size;
};

struct jit_machine {
	uint8_t *base;
	struct machine_part code, strs, uvars, vm, globals, tls, key, value,
	    specs, dyn;
	uint32_t size; /* of the region */
	struct rt_conf conf;
	struct rt_range *ranges;
	uint32_t nranges;
	struct exec_vars vars;
	VEC(uint32_t) entries; /* of objects: offsets in the region */
	bool hides_kernel;
	uint64_t mem_end;
};

static uint32_t
take(struct jit_machine *m, struct machine_part *p, uint64_t size,
    uint32_t align)
{
	m->size = (m->size + align - 1) & ~(align - 1);
	*p = (struct machine_part){ m->size, (uint32_t)size };
	if (size > REGION_MAX || m->size > REGION_MAX - size)
		return m->size = REGION_MAX;
	return m->size += (uint32_t)size;
}

static void *
part_at(const struct jit_machine *m, struct machine_part p)
{
	return m->base + p.off;
}

static struct rt_vm *
vm_of(const struct jit_machine *m)
{
	return part_at(m, m->vm);
}

/* ---- layout ------------------------------------------------------------- */

static uint64_t
lay_out_mem(struct jit_machine *m, const struct in_opts *opts)
{
	struct rt_conf *c = &m->conf;

	c->globals_size = m->vars.sizes[DIFV_SCOPE_GLOBAL];
	c->tls_size = m->vars.sizes[DIFV_SCOPE_THREAD];
	return RT_VM_MS + RT_MEM_OFF +
	    exec_vars_lay_out(
		c, &m->vars, opts->strsize, opts->scratchsize & ~7U);
}

static bool
lay_out(struct jit_machine *m, const struct in_opts *opts,
    const struct dif_obj *const *objs, uint32_t n)
{
	uint64_t text = rt_blob_size + 64, strs = 0;

	for (uint32_t i = 0; i < n; i++) {
		text +=
		    (uint64_t)objs[i]->ntext * CODE_PER_INSN + CODE_PER_OBJECT;
		strs += objs[i]->strlen;
	}
	take(m, &m->code, text, PAGE);
	take(m, &m->strs, strs, 1);
	take(m, &m->uvars, m->vars.v.n * sizeof(*m->vars.v.v), 8);
	take(m, &m->vm, lay_out_mem(m, opts), PAGE);
	take(m, &m->globals, m->conf.globals_size, 8);
	take(m, &m->tls, m->conf.tls_size, 8);
	take(m, &m->key, exec_key_max(opts->strsize), 8);
	take(m, &m->value, exec_vars_largest(&m->vars), 8);
	take(m, &m->specs, opts->nspec * sizeof(uint64_t), 8);
	take(m, &m->dyn, rt_dyn_bytes(opts->dynvarsize), 64);
	return m->size < REGION_MAX;
}

static void
add_range(struct jit_machine *m, struct machine_part p)
{
	m->ranges[m->nranges++] =
	    (struct rt_range){ .addr = (uint64_t)(uintptr_t)part_at(m, p),
		    .size = p.size };
}

static void
set_ranges(struct jit_machine *m, const struct in_opts *opts)
{
	uint32_t nforeign = opts->hides_kernel ? 0 : opts->kernel.n;
	struct rt_vm *vm = vm_of(m);
	struct machine_part mem = { m->vm.off + RT_VM_MS + RT_MEM_OFF,
		(uint32_t)m->conf.scratch_end };
	struct machine_part pool = {
		(uint32_t)(rt_dyn_pool(&vm->dyn) - m->base), vm->dyn.size
	};

	m->ranges = mem_alloc((5 + nforeign) * sizeof(*m->ranges));
	add_range(m, m->strs);
	add_range(m, mem);
	add_range(m, m->globals);
	add_range(m, m->tls);
	add_range(m, pool);
	if (nforeign != 0)
		memcpy(m->ranges + m->nranges, opts->kernel.v,
		    nforeign * sizeof(*m->ranges));
	vm->host.kernel =
	    (struct rt_ranges){ .v = m->ranges, .n = m->nranges + nforeign };
	vm->host.user = opts->user;
}

static void
vm_init(struct jit_machine *m, const struct in_opts *opts)
{
	struct rt_vm *vm = vm_of(m);
	struct rt_mstate *ms = rt_vm_ms(vm);

	ms->base = (uint64_t)(uintptr_t)ms;
	ms->conf = &m->conf;
	ms->host = &vm->host;
	vm->host.globals = part_at(m, m->globals);
	vm->host.tls = part_at(m, m->tls);
	vm->host.specs = part_at(m, m->specs);
	vm->host.dyn = &vm->dyn;
	m->conf.nspec = opts->nspec;
	vm->key = part_at(m, m->key);
	vm->value = part_at(m, m->value);
	rt_dyn_init(&vm->dyn, part_at(m, m->dyn), opts->dynvarsize);
	set_ranges(m, opts);
}

/* ---- code --------------------------------------------------------------- */

/* Registers that a C function must preserve (System V ABI, 3.2.1). */
static const int kept[] = { X_RBX, X_RBP, X_R12, X_R13, X_R14, X_R15 };
#define NKEPT (sizeof(kept) / sizeof(kept[0]))

/* uint64_t f(struct rt_vm *): calls the body, which ends with a return. */
static void
emit_entry(struct x_asm *a, x_label body, uint32_t used)
{
	uint32_t saved = used | 1U << X_RBX;
	int n = 0;

	for (size_t i = 0; i < NKEPT; i++) {
		if (saved & 1U << kept[i])
			x_push(a, kept[i]);
		n += (saved & 1U << kept[i]) != 0;
	}
	if (n % 2 != 0) /* calls in the body need %rsp aligned */
		x_alui(a, X_SUB, X_RSP, 8);
	x_mov(a, X_RBX, X_RDI);
	x_call_label(a, body);
	if (n % 2 != 0)
		x_alui(a, X_ADD, X_RSP, 8);
	for (size_t i = NKEPT; i-- > 0;) {
		if (saved & 1U << kept[i])
			x_pop(a, kept[i]);
	}
	x_ret(a);
}

CHECKED static bool
compile_one(struct jit_machine *m, struct x_asm *a, const struct dif_obj *dp,
    uint32_t strs, struct err *err)
{
	struct jit_env env = { .blob = m->code.off,
		.globals = m->globals.off,
		.uvars = m->uvars.off,
		.strs = strs,
		.vars = &m->vars };
	x_label fault = x_new_label(a), body = x_new_label(a);
	uint32_t used = 0;

	x_bind(a, body);
	if (!jit_object(a, &env, dp, fault, &used, err))
		return false;
	x_bind(a, fault);
	x_ret(a);
	VEC_PUSH(&m->entries, a->at + x_here(a));
	emit_entry(a, body, used);
	return true;
}

CHECKED static bool
compile_all(struct jit_machine *m, const struct dif_obj *const *objs,
    uint32_t n, struct err *err)
{
	struct x_asm a = { .at = m->code.off + ((rt_blob_size + 15) & ~15U) };
	uint32_t strs = m->strs.off;
	bool ok = true;

	memcpy(part_at(m, m->code), rt_blob, rt_blob_size);
	for (uint32_t i = 0; ok && i < n; i++) {
		ok = compile_one(m, &a, objs[i], strs, err);
		if (objs[i]->strlen != 0)
			memcpy(
			    m->base + strs, objs[i]->strtab, objs[i]->strlen);
		strs += objs[i]->strlen;
	}
	if (ok) {
		x_finish(&a);
		memcpy(m->base + a.at, a.code.s, x_here(&a));
	}
	x_fini(&a);
	return ok;
}

/* ---- create, destroy ---------------------------------------------------- */

CHECKED static bool
region_map(struct jit_machine *m, struct err *err)
{
	m->base = mmap(NULL, m->size, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (m->base != MAP_FAILED)
		return true;
	m->base = NULL;
	err_set(err, -errno,
	    "no memory for %u bytes of compiled code and its data: %s", m->size,
	    strerror(errno));
	return false;
}

CHECKED static bool
machine_init(struct jit_machine *m, const struct in_opts *opts,
    const struct dif_obj *const *objs, uint32_t n, struct err *err)
{
	for (uint32_t i = 0; i < n; i++) {
		if (!exec_vars_add(&m->vars, objs[i], opts->strsize, err))
			return false;
	}
	if (!lay_out(m, opts, objs, n)) {
		err_set(err, -EINVAL,
		    "the objects need more than %u bytes; lower dynvarsize or scratchsize",
		    REGION_MAX);
		return false;
	}
	if (!region_map(m, err))
		return false;
	vm_init(m, opts);
	if (!compile_all(m, objs, n, err))
		return false;
	if (m->vars.v.n != 0)
		memcpy(part_at(m, m->uvars), m->vars.v.v, m->uvars.size);
	mprotect(m->base, m->vm.off, PROT_READ | PROT_EXEC);
	return true;
}

struct jit_machine *
jit_machine_create(const struct in_opts *opts,
    const struct dif_obj *const *objs, uint32_t nobjs, struct err *err)
{
	struct jit_machine *m = mem_alloc(sizeof(*m));

	m->hides_kernel = opts->hides_kernel;
	if (machine_init(m, opts, objs, nobjs, err))
		return m;
	jit_machine_destroy(m);
	return NULL;
}

void
jit_machine_destroy(struct jit_machine *m)
{
	if (m->base != NULL)
		munmap(m->base, m->size);
	VEC_FREE(&m->vars.v);
	VEC_FREE(&m->entries);
	free(m->ranges);
	free(m);
}

/* ---- firing ------------------------------------------------------------- */

void
jit_clause(struct jit_machine *m, uint32_t epid)
{
	vm_of(m)->vars[RT_VAR_EPID] = epid;
	rt_vm_ms(vm_of(m))->scratch = m->conf.scratch_begin;
}

void
jit_fire(struct jit_machine *m, const struct in_firing *firing)
{
	struct rt_vm *vm = vm_of(m);
	struct rt_mstate *ms = rt_vm_ms(vm);

	memcpy(vm->vars, firing->vars, sizeof(firing->vars));
	memcpy(vm->args, firing->args, sizeof(firing->args));
	vm->thread = firing->thread;
	m->conf.task = firing->vars[RT_VAR_CURTHREAD];
	jit_clause(m, (uint32_t)firing->vars[RT_VAR_EPID]);
	ms->tok = 0;
	memset(ms->mem, 0, m->vars.sizes[DIFV_SCOPE_LOCAL]);
}

jit_object_f *
jit_entry(const struct jit_machine *m, uint32_t i, struct rt_vm **vm)
{
	void *code = m->base + m->entries.v[i];
	jit_object_f *f;

	memcpy(&f, &code, sizeof(f));
	*vm = vm_of(m);
	return f;
}

void
jit_run(struct jit_machine *m, uint32_t i, struct in_result *res)
{
	struct rt_vm *vm;
	jit_object_f *f = jit_entry(m, i, &vm);
	struct rt_mstate *ms = rt_vm_ms(vm);

	ms->fault = 0;
	*res = (struct in_result){ .value = f(vm) };
	if (ms->fault == 0)
		return;
	res->is_fault = true;
	res->fault = (enum dif_fault)ms->fault;
	res->value = ms->fault_val;
	res->offset = (uint32_t)vm->fault_pc * 4;
}

int
jit_read(const struct jit_machine *m, void *dst, uint64_t addr, uint64_t size)
{
	return (int)rt_peek(rt_vm_ms(vm_of(m)), dst, size, addr);
}

int
jit_read_str(
    const struct jit_machine *m, void *dst, uint64_t addr, uint64_t size)
{
	return in_read_text(rt_vm_ms(vm_of(m)), dst, addr, size);
}

bool
jit_is_own(const struct jit_machine *m, uint64_t addr, uint64_t slack)
{
	uint64_t base = (uint64_t)(uintptr_t)m->base;

	return addr - (base - slack) < m->size + 2 * slack;
}
