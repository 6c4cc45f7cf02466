/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Link a translated main function with the runtime functions that it uses.
 *
 * Functions are placed one behind the other, main first, then in the order of
 * the references to them.  Placing a function scans it for references, so the
 * list of placed functions is also the work list.
 *
 * The kernel wants BTF for a program with global functions or callbacks: a
 * prototype (their parameters are numbers) and a linkage for each.  That is
 * little, so this file writes it and does not use the compiler's.
 */
#include "exec/bpf/link.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"
#include "ctf/btf.h"

struct linker {
	const struct bl_env *env;
	struct bl_image *img;
	VEC(const struct bl_func *) funcs; /* parallel to img->funcs */
	struct err *err;
};

/* ---- placing functions -------------------------------------------------- */

static int
compare_name(const void *name, const void *func)
{
	return strcmp(name, ((const struct bl_func *)func)->name);
}

static const struct bl_func *
find_rt_func(const char *name)
{
	return bsearch(name, bl_rt_funcs, bl_rt_nfuncs, sizeof(bl_rt_funcs[0]),
	    compare_name);
}

static void
place(struct linker *lk, const struct bl_func *f)
{
	struct bl_image *img = lk->img;
	uint32_t start = (uint32_t)img->insns.n;

	VEC_PUSH(&lk->funcs, f);
	VEC_PUSH(&img->funcs,
	    (__typeof__(*img->funcs.v)){ start, f->ninsns, f->name });
	VEC_RESERVE(&img->insns, img->insns.n + f->ninsns);
	memcpy(&img->insns.v[start], f->insns, f->ninsns * sizeof(*f->insns));
	img->insns.n += f->ninsns;
	for (uint32_t i = 0; i < f->nrelocs; i++) {
		struct bl_reloc r = f->relocs[i];

		r.insn += start;
		VEC_PUSH(&img->relocs, r);
	}
}

static const struct bl_func *
find_func(const struct bl_env *env, const char *name)
{
	for (size_t i = 0; i < env->nown; i++) {
		if (strcmp(env->own[i].name, name) == 0)
			return &env->own[i];
	}
	return find_rt_func(name);
}

/* Start of function `name`, placed on first use. -1: unknown. */
static int64_t
func_start(struct linker *lk, const char *name)
{
	const struct bl_func *f;

	VEC_FOREACH(&lk->img->funcs, placed) {
		if (strcmp(placed->name, name) == 0)
			return placed->start;
	}
	f = find_func(lk->env, name);
	if (f == NULL)
		return -1;
	place(lk, f);
	return lk->img->funcs.v[lk->img->funcs.n - 1].start;
}

/* ---- resolving ---------------------------------------------------------- */

static int
unresolved(struct linker *lk, const struct bl_reloc *r, const char *what)
{
	return err_set(lk->err, -ENOENT, "%s: no such %s", r->sym, what);
}

static int
resolve_func(struct linker *lk, const struct bl_reloc *r, unsigned pseudo)
{
	int64_t start = func_start(lk, r->sym);
	struct bpf_insn *insn = &lk->img->insns.v[r->insn];

	if (start < 0)
		return unresolved(lk, r, "function");
	insn->src_reg = pseudo & 0xf;
	insn->imm = (int32_t)(start - r->insn - 1);
	return 0;
}

static int
resolve_map(struct linker *lk, const struct bl_reloc *r, unsigned pseudo)
{
	int fd = lk->env->map_fd(lk->env->arg, r->sym);
	struct bpf_insn *insn = &lk->img->insns.v[r->insn];

	if (fd < 0 && errno == EPERM)
		return err_set(
		    lk->err, -EPERM, "%s: %s", r->sym, strerror(EPERM));
	if (fd < 0)
		return unresolved(lk, r, "map");
	insn->src_reg = pseudo & 0xf;
	insn->imm = fd;
	return 0;
}

static int
resolve_const(struct linker *lk, const struct bl_reloc *r)
{
	struct bpf_insn *insn = &lk->img->insns.v[r->insn];
	uint64_t value;

	if (lk->env->constant(lk->env->arg, r->sym, &value) != 0)
		return unresolved(lk, r, "constant");
	insn->src_reg = 0;
	insn[0].imm = (int32_t)value;
	insn[1].imm = (int32_t)(value >> 32);
	return 0;
}

static bool
is_well_formed(const struct linker *lk, const struct bl_reloc *r)
{
	const struct bpf_insn *insn;

	if (r->insn >= lk->img->insns.n)
		return false;
	insn = &lk->img->insns.v[r->insn];
	if (r->kind == BL_CALL)
		return insn->code == (BPF_JMP | BPF_CALL);
	return insn->code == (BPF_LD | BPF_DW | BPF_IMM) &&
	    r->insn + 1 < lk->img->insns.n;
}

static int
resolve(struct linker *lk, const struct bl_reloc *r)
{
	if (!is_well_formed(lk, r))
		return err_set(lk->err, -EINVAL,
		    "%s: instruction %u cannot refer to it", r->sym, r->insn);
	switch (r->kind) {
	case BL_CALL:
		return resolve_func(lk, r, BPF_PSEUDO_CALL);
	case BL_FUNC:
		return resolve_func(lk, r, BPF_PSEUDO_FUNC);
	case BL_MAP:
		return resolve_map(lk, r, BPF_PSEUDO_MAP_FD);
	case BL_MAPVAL:
		return resolve_map(lk, r, BPF_PSEUDO_MAP_VALUE);
	case BL_CONST:
		return resolve_const(lk, r);
	}
	return err_set(
	    lk->err, -EINVAL, "%s: relocation kind %d", r->sym, (int)r->kind);
}

/* Resolve all references.  Resolving may place functions, whose relocations
 * join the end of the list. */
static int
resolve_all(struct linker *lk)
{
	for (size_t i = 0; i < lk->img->relocs.n; i++) {
		struct bl_reloc r = lk->img->relocs.v[i];
		int err = resolve(lk, &r);

		if (err != 0)
			return err;
	}
	return 0;
}

/* ---- BTF ---------------------------------------------------------------- */

enum { TYPE_U64 = 1, TYPE_PTR, TYPE_FIRST_FUNC };

/* Type section and string section under construction. */
struct btf_out {
	struct strbuf types, strs;
	uint32_t ntypes;
};

static uint32_t
btf_str(struct btf_out *o, const char *s)
{
	uint32_t off = (uint32_t)o->strs.len;

	strbuf_add(&o->strs, s, strlen(s) + 1);
	return off;
}

static uint32_t
btf_type(struct btf_out *o, uint32_t name, uint32_t kind, uint32_t vlen,
    uint32_t size_or_type)
{
	struct btf_type t = { .name_off = name, .info = kind << 24 | vlen };

	t.size = size_or_type;
	strbuf_add(&o->types, &t, sizeof(t));
	return ++o->ntypes;
}

static void
btf_base_types(struct btf_out *o)
{
	uint32_t encoding = 64; /* unsigned, 64 bits */

	btf_type(o, btf_str(o, "u64"), BTF_KIND_INT, 0, 8);
	strbuf_add(&o->types, &encoding, sizeof(encoding));
	btf_type(o, 0, BTF_KIND_PTR, 0, 0);
}

/* Memory of `size` bytes; returns the type of a pointer to it. */
static uint32_t
btf_mem(struct btf_out *o, uint32_t size)
{
	uint32_t mem = btf_type(o, btf_str(o, "mem"), BTF_KIND_STRUCT, 0, size);

	return btf_type(o, 0, BTF_KIND_PTR, 0, mem);
}

/* Parameter types: bpf_loop() calls a callback as f(index, context); main gets
 * its context; other global functions take numbers, and the first may be a
 * pointer (`mem`). */
static uint32_t
param_type(const struct bl_func *f, bool is_main, uint32_t param, uint32_t mem)
{
	if (is_main || (f->is_static && param == 1))
		return TYPE_PTR;
	return param == 0 && mem != 0 ? mem : TYPE_U64;
}

/* Returns the type id of the function. */
static uint32_t
btf_func(struct btf_out *o, const struct bl_func *f, bool is_main,
    uint32_t param_name)
{
	uint32_t nargs = is_main ? 1 : f->nargs;
	uint32_t mem = f->mem_size != 0 ? btf_mem(o, f->mem_size) : 0;
	uint32_t proto = btf_type(o, 0, BTF_KIND_FUNC_PROTO, nargs, TYPE_U64);

	for (uint32_t i = 0; i < nargs; i++) {
		struct btf_param p = { .name_off = param_name,
			.type = param_type(f, is_main, i, mem) };

		strbuf_add(&o->types, &p, sizeof(p));
	}
	return btf_type(o, btf_str(o, f->name), BTF_KIND_FUNC,
	    f->is_static ? BTF_FUNC_STATIC : BTF_FUNC_GLOBAL, proto);
}

static int
btf_load(struct linker *lk, const struct btf_out *o)
{
	struct btf_header hdr = {
		.magic = BTF_MAGIC,
		.version = BTF_VERSION,
		.hdr_len = BTF_HEADER_LEN,
		.type_len = (uint32_t)o->types.len,
		.str_off = (uint32_t)o->types.len,
		.str_len = (uint32_t)o->strs.len,
	};
	struct strbuf img = { 0 };
	int err;

	strbuf_add(&img, &hdr, BTF_HEADER_LEN);
	strbuf_add(&img, o->types.s, o->types.len);
	strbuf_add(&img, o->strs.s, o->strs.len);
	lk->img->btf_fd = bpf_btf_load(img.s, img.len, NULL);
	err = lk->img->btf_fd < 0 ? -errno : 0;
	strbuf_fini(&img);
	if (err != 0)
		err_set(lk->err, err,
		    "the kernel refuses the functions' types: %s",
		    strerror(-err));
	return err;
}

static int
describe(struct linker *lk)
{
	struct btf_out o = { 0 };
	uint32_t param_name;
	int err;

	btf_str(&o, "");
	btf_base_types(&o);
	param_name = btf_str(&o, "a");
	for (size_t i = 0; i < lk->funcs.n; i++) {
		VEC_PUSH(&lk->img->func_info,
		    (struct bpf_func_info){
			.insn_off = lk->img->funcs.v[i].start,
			.type_id =
			    btf_func(&o, lk->funcs.v[i], i == 0, param_name) });
	}
	err = btf_load(lk, &o);
	strbuf_fini(&o.types);
	strbuf_fini(&o.strs);
	return err;
}

static bool
may_sleep(const struct linker *lk)
{
	const struct bl_env *env = lk->env;

	if (!env->may_sleep || env->keeps_awake == NULL)
		return env->may_sleep;
	VEC_FOREACH(&lk->img->relocs, r) {
		if (r->kind == BL_MAP && env->keeps_awake(r->sym))
			return false;
	}
	return true;
}

/* Decide whether the program may sleep.  Helpers that may sleep fail in
 * programs that may not. */
static void
settle_sleep(struct linker *lk)
{
	bool may = may_sleep(lk);

	VEC_FOREACH(&lk->img->insns, insn) {
		if (insn->code != (BPF_JMP | BPF_CALL) || insn->src_reg != 0 ||
		    insn->imm != BPF_FUNC_copy_from_user)
			continue;
		if (may)
			lk->img->sleeps = true;
		else
			*insn = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV |
				    BPF_K,
				.imm = -EFAULT };
	}
}

int
bl_link(const struct bl_func *main, const struct bl_env *env,
    struct bl_image *img, struct err *err)
{
	struct linker lk = { .env = env, .img = img, .err = err };
	int code;

	memset(img, 0, sizeof(*img));
	img->btf_fd = -1;
	place(&lk, main);
	code = resolve_all(&lk);
	settle_sleep(&lk);
	if (code == 0 && lk.funcs.n > 1)
		code = describe(&lk);
	VEC_FREE(&lk.funcs);
	if (code != 0)
		bl_image_fini(img);
	return code;
}

void
bl_image_fini(struct bl_image *img)
{
	VEC_FREE(&img->insns);
	VEC_FREE(&img->funcs);
	VEC_FREE(&img->func_info);
	VEC_FREE(&img->relocs);
	if (img->btf_fd >= 0)
		close(img->btf_fd);
	img->btf_fd = -1;
}
