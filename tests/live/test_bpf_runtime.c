/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The runtime inside the kernel.  Every function is linked into a program of a
 * few instructions, loaded, and run by BPF_PROG_RUN on the cases that the host
 * has passed already (tests/unit/rt_cases.h).
 *
 * With an argument, it prints the cost of verifying and running each function:
 *	test_bpf_runtime STRSIZE
 */
#include "rt_kernel_cases.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"
#include "exec/bpf/bpf_impl.h"

/* ---- a program around one function -------------------------------------- */

struct kernel {
	struct rt_env env;
	int states_fd, globals_fd, tls_fd, out_fd;
	uint64_t *out; /* the function's result, the globals' address */
	int progs[RT_COUNT(rt_fns)];
};

static int
kernel_map_fd(void *arg, const char *sym)
{
	struct kernel *k = arg;

	if (strcmp(sym, "rtm_states") == 0)
		return k->states_fd;
	if (strcmp(sym, "rtm_globals") == 0)
		return k->globals_fd;
	if (strcmp(sym, "rtm_tls") == 0)
		return k->tls_fd;
	return strcmp(sym, "test_out") == 0 ? k->out_fd : -1;
}

static int
kernel_constant(void *arg, const char *sym, uint64_t *value)
{
	const struct kernel *k = arg;
	const struct {
		const char *sym;
		uint64_t value;
	} constants[] = {
		{ "rtc_strsize", k->env.conf.strsize },
		{ "rtc_memmask", k->env.conf.memmask },
		{ "rtc_locals", k->env.conf.locals },
		{ "rtc_tmp_a", k->env.conf.tmp_a },
		{ "rtc_tmp_b", k->env.conf.tmp_b },
		{ "rtc_tok", k->env.conf.tok },
		{ "rtc_scratch_begin", k->env.conf.scratch_begin },
		{ "rtc_globals_size", RT_GLOBALS_SIZE },
		{ "rtc_pidns_ino", 0 },
		{ "rtc_pidns_level", 0 },
		{ "rtc_tls_size", 8 },
		{ "rtc_tls_begin", 0 },
		{ "rtc_scratch_end", k->env.conf.scratch_end },
#define RT_KOFF(name, type, member, what) { "rtc_" #name, k->env.conf.name },
#include "exec/runtime/rt_koffs.def"
#undef RT_KOFF
	};

	for (size_t i = 0; i < RT_COUNT(constants); i++) {
		if (strcmp(constants[i].sym, sym) == 0) {
			*value = constants[i].value;
			return 0;
		}
	}
	return -1;
}

struct program {
	VEC(struct bpf_insn) insns;
	VEC(struct bl_reloc) relocs;
};

static void
emit(struct program *p, uint8_t code, int dst, int src, int off, int imm)
{
	VEC_PUSH(&p->insns,
	    (struct bpf_insn){ .code = code,
		.dst_reg = dst & 15,
		.src_reg = src & 15,
		.off = (int16_t)off,
		.imm = imm });
}

static void
emit_ref(struct program *p, int dst, enum bl_relkind kind, const char *sym)
{
	VEC_PUSH(
	    &p->relocs, (struct bl_reloc){ (uint32_t)p->insns.n, kind, sym });
	if (kind == BL_CALL) {
		emit(p, BPF_JMP | BPF_CALL, 0, 0, 0, 0);
		return;
	}
	emit(p, BPF_LD | BPF_DW | BPF_IMM, dst, 0, 0, 0);
	emit(p, 0, 0, 0, 0, 0);
}

/*
 * Emit main(ctx): slot 0's base = its address; out[0] = fn([0,] ctx[0], ctx[1],
 * ...), out[1] = address of the globals.
 */
static void
emit_main(struct program *p, const struct rt_fn *fn)
{
	unsigned reg = 1;

	emit(p, BPF_ALU64 | BPF_MOV | BPF_X, 6, 1, 0, 0);
	emit(p, BPF_ST | BPF_MEM | BPF_W, 10, 0, -4, 0);
	emit(p, BPF_ALU64 | BPF_MOV | BPF_X, 2, 10, 0, 0);
	emit(p, BPF_ALU64 | BPF_ADD | BPF_K, 2, 0, 0, -4);
	emit_ref(p, 1, BL_MAP, "rtm_states");
	emit(p, BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem);
	emit(p, BPF_JMP | BPF_JNE | BPF_K, 0, 0, 1, 0);
	emit(p, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
	emit(p, BPF_STX | BPF_MEM | BPF_DW, 0, 0,
	    offsetof(struct rt_mstate, base), 0);
	if (fn->has_slot)
		emit(p, BPF_ALU64 | BPF_MOV | BPF_K, (int)reg++, 0, 0, 0);
	for (unsigned i = 0; i < fn->nargs; i++)
		emit(p, BPF_LDX | BPF_MEM | BPF_DW, (int)reg++, 6, (int)i * 8,
		    0);
	emit_ref(p, 0, BL_CALL, fn->name);
	emit_ref(p, 1, BL_MAPVAL, "test_out");
	emit(p, BPF_STX | BPF_MEM | BPF_DW, 1, 0, 0, 0);
	emit_ref(p, 2, BL_MAPVAL, "rtm_globals");
	emit(p, BPF_STX | BPF_MEM | BPF_DW, 1, 2, 8, 0);
	emit(p, BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0);
	emit(p, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

static void
link_main(struct kernel *k, const struct rt_fn *fn, struct program *p,
    struct bl_image *img)
{
	/* rt_elem() is empty, as there are no arrays */
	static const struct bpf_insn none[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	static const struct bl_func elem = {
		.name = "rt_elem", .insns = none, .ninsns = 2, .nargs = 5
	};
	const struct bl_env env = { .map_fd = kernel_map_fd,
		.constant = kernel_constant,
		.arg = k,
		.own = &elem,
		.nown = 1 };
	struct bl_func main_fn = { .name = "main" };
	struct err err = { 0 };

	emit_main(p, fn);
	main_fn.insns = p->insns.v;
	main_fn.ninsns = (uint32_t)p->insns.n;
	main_fn.relocs = p->relocs.v;
	main_fn.nrelocs = (uint32_t)p->relocs.n;
	if (bl_link(&main_fn, &env, img, &err) != 0)
		fail_msg("%s: %s", fn->name, err.text);
}

/* Load the program.  -1: this kernel is locked down, and lets no program write
 * to a process. */
static int
load(struct kernel *k, const struct rt_fn *fn)
{
	static char log[4 << 20];
	struct program p = { 0 };
	struct bl_image img;
	LIBBPF_OPTS(bpf_prog_load_opts, opts);
	int fd, err;

	link_main(k, fn, &p, &img);
	opts.prog_btf_fd = (uint32_t)img.btf_fd;
	opts.func_info = img.func_info.v;
	opts.func_info_cnt = (uint32_t)img.func_info.n;
	opts.func_info_rec_size = sizeof(struct bpf_func_info);
	fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "rt_test",
	    "Dual BSD/GPL", img.insns.v, img.insns.n, &opts);
	if (fd < 0) {
		opts.log_buf = log;
		opts.log_size = sizeof(log);
		opts.log_level = 1;
		bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "rt_test",
		    "Dual BSD/GPL", img.insns.v, img.insns.n, &opts);
		err = errno;
		/* cmocka truncates long messages */
		if (strstr(log, " func bpf_probe_write_user#") == NULL &&
		    strstr(log, " helper bpf_probe_write_user#") == NULL) {
			fprintf(stderr, "%s",
			    log +
				(strlen(log) > 4000 ? strlen(log) - 4000 : 0));
			fail_msg("%s (strsize %llu): %s", fn->name,
			    (unsigned long long)k->env.conf.strsize,
			    strerror(err));
		}
	}
	bl_image_fini(&img);
	VEC_FREE(&p.insns);
	VEC_FREE(&p.relocs);
	return fd;
}

static uint64_t
call_kernel(struct rt_env *env, const char *name, const uint64_t *args)
{
	struct kernel *k = env->arg;
	const struct rt_fn *fn = rt_fn_find(name);
	int *prog = &k->progs[fn - rt_fns];
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	uint64_t ctx[4];

	if (*prog < 0)
		*prog = load(k, fn);
	memcpy(ctx, args, sizeof(ctx));
	opts.ctx_in = ctx;
	opts.ctx_size_in = sizeof(ctx);
	*k->out = ~0ULL;
	if (bpf_prog_test_run_opts(*prog, &opts) != 0)
		fail_msg("%s: BPF_PROG_RUN: %s", name, strerror(errno));
	return *k->out;
}

/* ---- the machine state's map -------------------------------------------- */

static int
array_map(uint32_t size, void **view)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	int fd =
	    bpf_map_create(BPF_MAP_TYPE_ARRAY, "rt_test", 4, size, 1, &opts);

	assert_true(fd >= 0);
	*view = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(*view, MAP_FAILED);
	return fd;
}

/* Storage for a thread's variables, which no test uses. */
static int
storage_map(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_NO_PREALLOC);
	int btf =
	    bx_storage_btf(8, &opts.btf_key_type_id, &opts.btf_value_type_id);
	int fd;

	assert_true(btf >= 0);
	opts.btf_fd = (uint32_t)btf;
	fd = bpf_map_create(
	    BPF_MAP_TYPE_TASK_STORAGE, "rt_test", 4, 8, 0, &opts);
	assert_true(fd >= 0);
	close(btf);
	return fd;
}

/* Offsets in the current task are this kernel's; the others are imitated
 * (rt_kernel_cases.h). */
static void
real_offsets(struct rt_conf *c)
{
	struct bx_layout lo = { 0 };
	struct {
		const char *type, *member;
		uint64_t *off;
	} want[] = {
		{ "task_struct", "tgid", &c->task_tgid },
		{ "task_struct", "real_parent", &c->task_real_parent },
		{ "task_struct", "fs", &c->task_fs },
		{ "task_struct", "files", &c->task_files },
		{ "task_struct", "mm", &c->task_mm },
		{ "fs_struct", "root", &c->fs_root },
		{ "fs_struct", "pwd", &c->fs_pwd },
		{ "files_struct", "fdt", &c->files_fdt },
		{ "fdtable", "max_fds", &c->fdtable_max_fds },
		{ "fdtable", "fd", &c->fdtable_fd },
		{ "mm_struct", "arg_start", &c->mm_arg_start },
		{ "mm_struct", "arg_end", &c->mm_arg_end },
	};

	for (size_t i = 0; i < RT_COUNT(want); i++)
		assert_int_equal(bx_kernel_offset(&lo, want[i].type,
				     want[i].member, want[i].off),
		    0);
	bx_kernel_close(&lo);
}

/* The address of this thread's task_struct. */
static uint64_t
task_address(const struct kernel *k)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_JMP | BPF_CALL,
		    .imm = BPF_FUNC_get_current_task },
		{ .code = BPF_LD | BPF_DW | BPF_IMM,
		    .dst_reg = 1,
		    .src_reg = BPF_PSEUDO_MAP_VALUE,
		    .imm = k->out_fd },
		{ 0 },
		{ .code = BPF_STX | BPF_MEM | BPF_DW, .dst_reg = 1 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "rt_test",
	    "Dual BSD/GPL", insns, RT_COUNT(insns), NULL);

	assert_true(fd >= 0);
	assert_int_equal(bpf_prog_test_run_opts(fd, &opts), 0);
	close(fd);
	return *k->out;
}

static struct kernel *
kernel_create(uint64_t strsize)
{
	struct kernel *k = calloc(1, sizeof(*k));
	const uint64_t zero[4] = { 0 };
	void *view;

	k->env.conf = (struct rt_conf)RT_LAYOUT(strsize);
	k->states_fd = array_map((uint32_t)RT_STATE_SIZE(strsize), &view);
	k->env.ms = view;
	k->globals_fd = array_map(RT_GLOBALS_SIZE, &view);
	k->env.globals = view;
	k->tls_fd = storage_map();
	k->out_fd = array_map(16, &view);
	k->out = view;
	rt_fake_layout(&k->env.conf);
	real_offsets(&k->env.conf);
	k->env.conf.task = task_address(k);
	for (size_t i = 0; i < RT_COUNT(rt_fns); i++)
		k->progs[i] = -1;
	k->env.call = call_kernel;
	k->env.arg = k;
	call_kernel(&k->env, "rt_random64", zero); /* sets ms->base */
	k->env.globals_addr = k->out[1];
	k->progs[rt_fn_find("rt_copyout") - rt_fns] =
	    load(k, rt_fn_find("rt_copyout"));
	k->env.no_copyout = k->progs[rt_fn_find("rt_copyout") - rt_fns] < 0;
	return k;
}

static void
kernel_destroy(struct kernel *k)
{
	munmap(k->env.ms, RT_STATE_SIZE(k->env.conf.strsize));
	munmap(k->env.globals, RT_GLOBALS_SIZE);
	munmap(k->out, 16);
	close(k->states_fd);
	close(k->globals_fd);
	close(k->tls_fd);
	close(k->out_fd);
	for (size_t i = 0; i < RT_COUNT(rt_fns); i++) {
		if (k->progs[i] >= 0)
			close(k->progs[i]);
	}
	free(k);
}

static void
test_cases(void **state)
{
	struct kernel *k = kernel_create(256);

	(void)state;
	rt_check_all(&k->env);
	rt_check_kernel(&k->env);
	kernel_destroy(k);
}

static void
test_live_copyout(void **state)
{
	struct kernel *k = kernel_create(256);
	int skipped = k->env.no_copyout;

	(void)state;
	if (!skipped) {
		rt_check_copyout(&k->env);
		rt_check_copyoutstr(&k->env);
		rt_check_copyout_readonly(&k->env);
	}
	kernel_destroy(k);
	if (skipped)
		skip();
}

/* A program is distinguished from its thread, a parent from its process. */
static void
test_progeny(void **state)
{
	struct kernel *k = kernel_create(256);
	uint64_t self[4] = { (uint64_t)getpid() };
	uint64_t parent[4] = { (uint64_t)getppid() };

	(void)state;
	assert_int_equal(k->env.call(&k->env, "rt_progenyof", self), 1);
	if (getppid() != 0)
		assert_int_equal(
		    k->env.call(&k->env, "rt_progenyof", parent), 1);
	kernel_destroy(k);
}

/* The verifier accepts every function at every strsize. */
static void
test_strsizes(void **state)
{
	static const uint64_t sizes[] = { 8, 16, 4096, 65536 };

	(void)state;
	for (size_t s = 0; s < RT_COUNT(sizes); s++) {
		struct kernel *k = kernel_create(sizes[s]);

		for (size_t i = 0; i < RT_COUNT(rt_fns); i++) {
			int fd = load(k, &rt_fns[i]);

			if (fd >= 0)
				close(fd);
			else
				assert_true(k->env.no_copyout);
		}

		kernel_destroy(k);
	}
}

/* An unknown symbol is reported by name, not as a verifier error. */
static void
test_unresolved(void **state)
{
	static const struct rt_fn fn = { .name = "rt_nonsense" };
	struct kernel *k = kernel_create(256);
	const struct bl_env env = {
		.map_fd = kernel_map_fd, .constant = kernel_constant, .arg = k
	};
	struct bl_func main_fn = { .name = "main" };
	struct program p = { 0 };
	struct bl_image img;
	struct err err = { 0 };

	(void)state;
	emit_main(&p, &fn);
	main_fn.insns = p.insns.v;
	main_fn.ninsns = (uint32_t)p.insns.n;
	main_fn.relocs = p.relocs.v;
	main_fn.nrelocs = (uint32_t)p.relocs.n;
	assert_int_equal(bl_link(&main_fn, &env, &img, &err), -ENOENT);
	assert_string_equal(err.text, "rt_nonsense: no such function");
	err_clear(&err);
	VEC_FREE(&p.insns);
	VEC_FREE(&p.relocs);
	kernel_destroy(k);
}

static const char *
note_main(void *arg, uint32_t insn)
{
	(void)arg;
	return insn == 0 ? "D line 1" : NULL;
}

static void
test_dump(void **state)
{
	static const char head[] = "main:\n"
				   "; D line 1\n"
				   "    0: r6 = r1\n"
				   "    1: *(u32 *)(r10 - 4) = 0\n"
				   "    2: r2 = r10\n"
				   "    3: r2 += -4\n"
				   "    4: r1 = map(rtm_states)\n"
				   "    6: call bpf_map_lookup_elem\n"
				   "    7: if r0 != 0 goto 9\n"
				   "    8: exit\n"
				   "    9: *(u64 *)(r0 + 0) = r0\n"
				   "   10: r1 = 0\n"
				   "   11: r2 = *(u64 *)(r6 + 0)\n"
				   "   12: call rt_alloc\n"
				   "   13: r1 = value(test_out) + 0\n"
				   "   15: *(u64 *)(r1 + 0) = r0\n"
				   "   16: r2 = value(rtm_globals) + 0\n"
				   "   18: *(u64 *)(r1 + 8) = r2\n"
				   "   19: r0 = 0\n"
				   "   20: exit\n"
				   "rt_alloc:\n";
	struct kernel *k = kernel_create(256);
	struct strbuf out = { 0 };
	struct program p = { 0 };
	struct bl_image img;

	(void)state;
	link_main(k, rt_fn_find("rt_alloc"), &p, &img);
	bl_dump(&img, note_main, NULL, &out);
	assert_memory_equal(out.s, head, sizeof(head) - 1);
	assert_non_null(strstr(out.s, "func(zero_step)"));
	assert_non_null(strstr(out.s, "256 ll\t; rtc_strsize"));
	assert_non_null(strstr(out.s, "call bpf_loop"));
	assert_null(strstr(out.s, ".insn"));
	strbuf_fini(&out);
	bl_image_fini(&img);
	VEC_FREE(&p.insns);
	VEC_FREE(&p.relocs);
	kernel_destroy(k);
}

/* ---- costs, when started by hand ----------------------------------------- */

static uint32_t
verified_insns(int fd)
{
	struct bpf_prog_info info = { 0 };
	uint32_t len = sizeof(info);

	bpf_obj_get_info_by_fd(fd, &info, &len);
	return info.verified_insns;
}

/* The kernel cannot repeat raw tracepoint programs, so the figure is the time
 * of the system call and the function together. */
static uint64_t
run_ns(struct kernel *k, const char *name)
{
	static const char text[] = "/usr/share/doc/some-package/README.txt";
	uint64_t args[4] = { 0 }, best = ~0ULL;
	int wants_user = strncmp(name, "rt_copyin", 9) == 0;

	for (int i = 0; i < 2000; i++) {
		uint64_t start;

		k->env.ms->fault = 0;
		k->env.ms->scratch = k->env.conf.scratch_begin;
		memcpy(k->env.ms->mem, text, sizeof(text));
		args[0] = wants_user ? (uint64_t)(uintptr_t)k->env.ms->mem :
				       rt_env_addr(&k->env, 0);
		args[1] = strcmp(name, "rt_copyin") == 0 ?
		    16 :
		    rt_env_addr(&k->env, sizeof(text) - 8);
		if (strncmp(name, "rt_store", 8) == 0) {
			args[0] = 2 * k->env.conf.strsize;
			args[1] = rt_env_addr(&k->env, 0);
			args[2] = k->env.conf.strsize;
		}
		start = now_ns();
		k->env.call(&k->env, name, args);
		start = now_ns() - start;
		best = start < best ? start : best;
	}
	return best;
}

static int
print_costs(uint64_t strsize)
{
	struct kernel *k = kernel_create(strsize);

	for (size_t i = 0; i < RT_COUNT(rt_fns); i++) {
		uint64_t best = ~0ULL;
		uint32_t insns = 0;

		if (k->env.no_copyout &&
		    strncmp(rt_fns[i].name, "rt_copyout", 10) == 0)
			continue;
		for (int n = 0; n < 5; n++) {
			uint64_t start = now_ns();
			int fd = load(k, &rt_fns[i]);

			start = now_ns() - start;
			best = start < best ? start : best;
			insns = verified_insns(fd);
			close(fd);
		}
		printf("%-20s load %5llu us, verified %5u insns, "
		       "call %5llu ns\n",
		    rt_fns[i].name, (unsigned long long)best / 1000, insns,
		    (unsigned long long)run_ns(k, rt_fns[i].name));
	}
	kernel_destroy(k);
	return 0;
}

/* ---- callbacks ----------------------------------------------------------- */

static bool
is_callback(const char *name)
{
	for (uint32_t i = 0; i < bl_rt_nfuncs; i++) {
		const struct bl_func *f = &bl_rt_funcs[i];

		for (uint32_t j = 0; j < f->nrelocs; j++) {
			if (f->relocs[j].kind == BL_FUNC &&
			    strcmp(f->relocs[j].sym, name) == 0)
				return true;
		}
	}
	return false;
}

/* The verifier must see that callbacks return 0 or 1, whatever a compiler
 * optimises: their only exit is "r0 &= 1; exit". */
static void
test_callbacks(void **state)
{
	unsigned n = 0;

	(void)state;
	for (uint32_t i = 0; i < bl_rt_nfuncs; i++) {
		const struct bl_func *f = &bl_rt_funcs[i];
		const struct bpf_insn *and = &f->insns[f->ninsns - 2];

		if (!is_callback(f->name))
			continue;
		n++;
		for (uint32_t j = 0; j + 1 < f->ninsns; j++)
			assert_int_not_equal(
			    f->insns[j].code, BPF_JMP | BPF_EXIT);
		assert_int_equal(and->code, BPF_ALU64 | BPF_AND | BPF_K);
		assert_int_equal(and->dst_reg, BPF_REG_0);
		assert_int_equal(and->imm, 1);
		assert_int_equal(and[1].code, BPF_JMP | BPF_EXIT);
	}
	assert_true(n > 20);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_live_copyout),
		cmocka_unit_test(test_progeny),
		cmocka_unit_test(test_strsizes),
		cmocka_unit_test(test_unresolved),
		cmocka_unit_test(test_dump),
		cmocka_unit_test(test_callbacks),
	};

	if (geteuid() != 0) {
		printf("1..0 # SKIP loading BPF programs needs root\n");
		return 0;
	}
	if (argc > 1)
		return print_costs(strtoull(argv[1], NULL, 0));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
