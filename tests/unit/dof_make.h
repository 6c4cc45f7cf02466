/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_UNIT_DOF_MAKE_H
#define TESTS_UNIT_DOF_MAKE_H

/* DOF images for tests, as compilers of other systems write them. */
#include <string.h>

#include "dof/dof.h"

/* An object { setx; ret } that returns a constant. */
static inline uint32_t
make_const(struct dof_writer *w, uint64_t value, uint32_t size)
{
	const uint32_t text[] = { 0x25000001, 0x23000001 };
	const struct dif_type rtype = { .ckind = 1, .size = size };
	uint32_t links[2];

	links[0] = dof_write_sec(w, DOF_SECT_DIF, text, 2);
	links[1] = dof_write_sec(w, DOF_SECT_INTTAB, &value, 1);
	return dof_write_difohdr(w, &rtype, links, 2);
}

static inline uint32_t
make_pdesc(struct dof_writer *w, const char *name)
{
	struct dof_probedesc pd = { .dofp_strtab = DOF_WRITE_STRTAB,
		.dofp_name = dof_write_str(w, name) };

	return dof_write_sec(w, DOF_SECT_PROBEDESC, &pd, 1);
}

static inline uint32_t
make_ecb(struct dof_writer *w, const char *name, const struct dof_actdesc *acts,
    size_t n)
{
	struct dof_ecbdesc e = { .dofe_probes = make_pdesc(w, name),
		.dofe_pred = DOF_SECIDX_NONE,
		.dofe_uarg = 0xfeed };

	e.dofe_actions = n != 0 ? dof_write_sec(w, DOF_SECT_ACTDESC, acts, n) :
				  DOF_SECIDX_NONE;
	return dof_write_sec(w, DOF_SECT_ECBDESC, &e, 1);
}

static inline struct dof_actdesc
make_act(uint32_t kind, uint32_t difo, uint64_t arg, uint64_t uarg)
{
	return (struct dof_actdesc){ .dofa_difo = difo,
		.dofa_strtab = DOF_SECIDX_NONE,
		.dofa_kind = kind,
		.dofa_arg = arg,
		.dofa_uarg = uarg };
}

/*
 * An image as illumos would write it, where sub-actions of LIBACT count from
 * 49:
 *
 *	BEGIN { @a = count(); clear(@a); exit(0); }  END { printa("%@d\n", @a); }
 */
static inline void
make_illumos(struct dof_writer *w, bool has_utsname)
{
	char uts[5 * 257] = "SunOS";
	struct dof_actdesc acts[] = {
		make_act(DT_ACT_DIFEXPR, make_const(w, 1, 4), 0, 1),
		make_act(DT_ACT_COUNT, DOF_SECIDX_NONE, 0, 1),
		make_act(DT_ACT_LIBACT, make_const(w, 1, 4), 49 + 15, 2),
		make_act(DT_ACT_EXIT, make_const(w, 0, 4), 0, 3),
	};
	struct dof_actdesc end = make_act(
	    DT_ACT_PRINTA, make_const(w, 1, 4), dof_write_str(w, "%@d\n"), 4);

	acts[1].dofa_ntuple = 1;
	end.dofa_strtab = DOF_WRITE_STRTAB;
	make_ecb(w, "BEGIN", acts, 4);
	make_ecb(w, "END", &end, 1);
	if (has_utsname)
		dof_write_sec(w, DOF_SECT_UTSNAME, uts, sizeof(uts));
}

/* A relocation of the first word of an INTTAB. */
static inline void
make_relo(struct dof_writer *w, enum dof_sectype type, const char *name,
    uint32_t kind, uint32_t target, uint64_t data)
{
	struct dof_relodesc r = { .dofr_name = dof_write_str(w, name),
		.dofr_type = kind,
		.dofr_data = data };
	struct dof_relohdr h = { .dofr_strtab = DOF_WRITE_STRTAB,
		.dofr_tgtsec = target };

	h.dofr_relsec = dof_write_sec(w, DOF_SECT_RELTAB, &r, 1);
	dof_write_sec(w, type, &h, 1);
}

/* BEGIN { printf("%a\n", `symbol); exit(0); } */
static inline void
make_krel(struct dof_writer *w, const char *symbol)
{
	uint32_t sym = make_const(w, 0, 8);
	struct dof_actdesc acts[] = {
		make_act(DT_ACT_PRINTF, sym, dof_write_str(w, "%a\n"), 1),
		make_act(DT_ACT_EXIT, make_const(w, 0, 4), 0, 2),
	};

	acts[0].dofa_strtab = DOF_WRITE_STRTAB;
	make_relo(w, DOF_SECT_KRELHDR, symbol, DOF_RELO_SETX, sym - 1, 0);
	make_ecb(w, "BEGIN", acts, 2);
}

static inline void
make_usdt(struct dof_writer *w)
{
	char *nargs[] = { (char[]){ "int" }, (char[]){ "char *" } };
	char *xargs[] = { (char[]){ "string" }, (char[]){ "int" },
		(char[]){ "int" } };
	static uint8_t map[] = { 1, 0, 0 };
	static uint32_t offs[] = { 0x10, 0x44 }, enoffs[] = { 0x8 };
	struct dof_usdt_probe probes[] = {
		{ .func = (char[]){ "main" },
		    .name = (char[]){ "start-up" },
		    .addr = 0x401000,
		    .nargs = { nargs, 2, 2 },
		    .xargs = { xargs, 3, 3 },
		    .map = { map, 3, 3 },
		    .offs = { offs, 2, 2 },
		    .enoffs = { enoffs, 1, 1 } },
		{ .func = (char[]){ "work" },
		    .name = (char[]){ "done" },
		    .addr = 0x401200,
		    .offs = { offs + 1, 1, 1 } },
	};
	struct dof_usdt u = { .name = (char[]){ "myprov" },
		.attrs = { 0x05050500, 0x01010000, 0x01010000, 0x05050500,
		    0x06060300 },
		.probes = { probes, 2, 2 } };

	dof_write_usdt(w, &u);
}

/* Translators: an imported one, an exported one, and a reference to each. */
static inline uint32_t
make_xlators(struct dof_writer *w)
{
	struct dof_xlmember m = { .dofxm_difo = DOF_SECIDX_NONE,
		.dofxm_name = dof_write_str(w, "pr_pid"),
		.dofxm_type = { .ckind = 1, .size = 4 } };
	struct dof_xlator x = { .dofxl_strtab = DOF_WRITE_STRTAB,
		.dofxl_argv = dof_write_str(w, "struct task_struct *"),
		.dofxl_argc = 1,
		.dofxl_type = dof_write_str(w, "psinfo_t"),
		.dofxl_attr = 0x06060500 };
	struct dof_xlref refs[2] = { { .dofxr_argn = UINT32_MAX },
		{ .dofxr_argn = 1 } };
	struct dof_secidx exported;

	x.dofxl_members = dof_write_sec(w, DOF_SECT_XLMEMBERS, &m, 1);
	refs[0].dofxr_xlator = dof_write_sec(w, DOF_SECT_XLIMPORT, &x, 1);
	m.dofxm_difo = make_const(w, 7, 4);
	x.dofxl_members = dof_write_sec(w, DOF_SECT_XLMEMBERS, &m, 1);
	exported.idx = dof_write_sec(w, DOF_SECT_XLEXPORT, &x, 1);
	refs[1].dofxr_xlator = exported.idx;
	dof_write_sec(w, DOF_SECT_PREXPORT, &exported, 1);
	return dof_write_sec(w, DOF_SECT_XLTAB, refs, 2);
}

/* Import one member of a translator from `in` to struct out. */
static inline uint32_t
make_import(struct dof_writer *w, const char *in, const char *member,
    struct dif_type type)
{
	struct dof_xlmember m = { .dofxm_difo = DOF_SECIDX_NONE,
		.dofxm_name = dof_write_str(w, member),
		.dofxm_type = type };
	struct dof_xlator x = { .dofxl_strtab = DOF_WRITE_STRTAB,
		.dofxl_argv = dof_write_str(w, in),
		.dofxl_argc = 1,
		.dofxl_type = dof_write_str(w, "struct out"),
		.dofxl_attr = 0x06060500 };

	x.dofxl_members = dof_write_sec(w, DOF_SECT_XLMEMBERS, &m, 1);
	return dof_write_sec(w, DOF_SECT_XLIMPORT, &x, 1);
}

/* An object that returns what the instructions leave in %r1. */
static inline uint32_t
make_translated(struct dof_writer *w, const uint32_t *text, size_t n,
    uint32_t import, uint32_t argn, struct dif_type rtype)
{
	struct dof_xlref ref = { import, 0, argn };
	uint32_t links[2];

	links[0] = dof_write_sec(w, DOF_SECT_DIF, text, n);
	links[1] = dof_write_sec(w, DOF_SECT_XLTAB, &ref, 1);
	return dof_write_difohdr(w, &rtype, links, 2);
}

/*
 * The image of a script whose translators were not known to its compiler
 * (late=dynamic):
 *
 *	BEGIN { printf("%d %s\n", xlate <struct out> (4).o_sum,
 *	    xlate <struct out> (4).o_name); }
 *	syscall::exit_group:entry /args[0]->o_sum == 154/
 *	{ printf("%d %s\n", args[0]->o_sum, args[0]->o_name); exit(0); }
 */
static inline void
make_late(struct dof_writer *w)
{
	static const struct dif_type num = { .ckind = 1, .size = 4 };
	static const struct dif_type str = { .kind = DIF_TYPE_STRING,
		.flags = DIF_TF_BYREF };
	static const char tag[] = "__dtrace_syscall___entry_arg0";
	/* the constant 4 is 0 - ~0, doubled twice */
	static const uint32_t value[] = { 0x0d000001, 0x06000101, 0x07010101,
		0x07010101, 0x4e000001, 0x23000001 };
	static const uint32_t arg[] = { 0x4f000001, 0x23000001 };
	uint32_t sum = make_import(w, "int", "o_sum", num);
	uint32_t name = make_import(w, "int", "o_name", str);
	uint32_t argsum = make_import(w, tag, "o_sum", num);
	uint32_t argname = make_import(w, tag, "o_name", str);
	struct dof_actdesc begin[] = {
		make_act(DT_ACT_PRINTF, make_translated(w, value, 6, sum,
		    UINT32_MAX, num), dof_write_str(w, "%d %s\n"), 1),
		make_act(DT_ACT_PRINTF, make_translated(w, value, 6, name,
		    UINT32_MAX, str), dof_write_str(w, "%d %s\n"), 1),
	}, entry[] = {
		make_act(DT_ACT_PRINTF, make_translated(w, arg, 2, argsum, 0,
		    num), dof_write_str(w, "%d %s\n"), 1),
		make_act(DT_ACT_PRINTF, make_translated(w, arg, 2, argname, 0,
		    str), dof_write_str(w, "%d %s\n"), 1),
		make_act(DT_ACT_EXIT, make_const(w, 0, 4), 0, 2),
	};
	struct dof_probedesc pd = { .dofp_strtab = DOF_WRITE_STRTAB,
		.dofp_provider = dof_write_str(w, "syscall"),
		.dofp_func = dof_write_str(w, "exit_group"),
		.dofp_name = dof_write_str(w, "entry") };
	struct dof_ecbdesc e = { .dofe_uarg = 2 };
	/* xlarg, setx, cmp, be 6, mov %r0, ret, not %r0, ret */
	static const uint32_t is_it[] = { 0x4f000001, 0x25000002, 0x0f010200,
		0x12000006, 0x0e000001, 0x23000001, 0x0d000001, 0x23000001 };
	static const uint64_t want = 154;
	struct dof_xlref ref = { argsum, 0, 0 };
	uint32_t links[3];

	for (int i = 0; i < 2; i++)
		begin[i].dofa_strtab = entry[i].dofa_strtab = DOF_WRITE_STRTAB;
	make_ecb(w, "BEGIN", begin, 2);
	links[0] = dof_write_sec(w, DOF_SECT_DIF, is_it, 8);
	links[1] = dof_write_sec(w, DOF_SECT_INTTAB, &want, 1);
	links[2] = dof_write_sec(w, DOF_SECT_XLTAB, &ref, 1);
	e.dofe_pred = dof_write_difohdr(w, &num, links, 3);
	e.dofe_probes = dof_write_sec(w, DOF_SECT_PROBEDESC, &pd, 1);
	e.dofe_actions = dof_write_sec(w, DOF_SECT_ACTDESC, entry, 3);
	dof_write_sec(w, DOF_SECT_ECBDESC, &e, 1);
}

/* An image with every type of section, each with every field set. */
static inline void
make_all(struct dof_writer *w)
{
	static const char comment[] = "a compiler",
			  source[] = "BEGIN { x = 1 }";
	static const char strs[] = "\0x\0yy";
	char uts[5 * 257] = "SunOS";
	/* return xlate member 0 */
	const uint32_t text[] = { 0x4e000001, 0x2a050001, 0x23000001 };
	const uint64_t ints[] = { 0x1122334455667788, 9 };
	const struct dif_type rtype = { .ckind = 1, .size = 8 };
	const struct dif_var var = { 1, 0x500, DIFV_KIND_SCALAR,
		DIFV_SCOPE_GLOBAL, DIFV_F_MOD, { 0, 1, 0, 0, 8 } };
	const struct dof_optdesc opts[] = { { 0, DOF_SECIDX_NONE, 0x10000 },
		{ 1, DOF_WRITE_STRTAB, dof_write_str(w, "ring") } };
	uint32_t links[5], difo;
	struct dof_actdesc act;

	memcpy(uts + 257, "host", 5);
	memcpy(uts + 4 * 257, "sun4u", 6);
	dof_write_sec(w, DOF_SECT_NONE, NULL, 0);
	dof_write_sec(w, DOF_SECT_COMMENTS, comment, sizeof(comment));
	dof_write_sec(w, DOF_SECT_SOURCE, source, sizeof(source));
	links[0] = dof_write_sec(w, DOF_SECT_DIF, text, 3);
	links[1] = dof_write_sec(w, DOF_SECT_INTTAB, ints, 2);
	links[2] = dof_write_sec(w, DOF_SECT_STRTAB, strs, sizeof(strs));
	links[3] = dof_write_sec(w, DOF_SECT_VARTAB, &var, 1);
	links[4] = make_xlators(w);
	difo = dof_write_difohdr(w, &rtype, links, 5);
	make_relo(w, DOF_SECT_URELHDR, "main", DOF_RELO_SETX, links[1], 0x1234);
	make_relo(
	    w, DOF_SECT_KRELHDR, "jiffies", DOF_RELO_DOFREL, links[1], 0x1234);
	dof_write_sec(w, DOF_SECT_TYPTAB, &rtype, 1);
	dof_write_sec(w, DOF_SECT_OPTDESC, opts, 2);
	act = make_act(DT_ACT_PRINTF, difo, dof_write_str(w, "%d\n"), 5);
	act.dofa_strtab = DOF_WRITE_STRTAB;
	make_ecb(w, "BEGIN", &act, 1);
	make_usdt(w);
	dof_write_sec(w, DOF_SECT_UTSNAME, uts, sizeof(uts));
}

#endif
