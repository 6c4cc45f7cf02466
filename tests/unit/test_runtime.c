/* SPDX-License-Identifier: BSD-2-Clause */
/* The runtime as the host runs it. The same table runs in the kernel:
 * tests/live/test_bpf_runtime.c. */
#include "rt_kernel_cases.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* A host: the memory that a program may read, and the storage of globals. */
static struct rt_range state_range;
static struct rt_host host = {
	.kernel = { &state_range, 1 },
	.user = { &state_range, 1 },
};

/* Only stores run with the host's storage; other functions read what they
 * can. */
static int
is_store(const char *name)
{
	return strcmp(name, "rt_bcopy") == 0 || strcmp(name, "rt_poke") == 0 ||
	    strcmp(name, "rt_copyinto") == 0;
}

static uint64_t
call_host(struct rt_env *env, const char *name, const uint64_t *a)
{
	const struct rt_fn *fn = rt_fn_find(name);
	uint64_t slot = (uint64_t)(uintptr_t)env->ms;
	uint64_t v[5] = { a[0], a[1], a[2], a[3], 0 };
	unsigned n = fn->nargs;

	env->ms->host = is_store(name) ? &host : NULL;
	if (fn->has_slot) {
		memmove(&v[1], &v[0], 4 * sizeof(v[0]));
		v[0] = slot;
		n++;
	}
	switch (n) {
	case 1:
		return fn->u.f1(v[0]);
	case 2:
		return fn->u.f2(v[0], v[1]);
	case 3:
		return fn->u.f3(v[0], v[1], v[2]);
	case 4:
		return fn->u.f4(v[0], v[1], v[2], v[3]);
	default:
		return fn->u.f5(v[0], v[1], v[2], v[3], v[4]);
	}
}

/* The target of curthread: members are words of it, in this order. */
struct task {
	uint64_t fs, files, mm;
};
static const struct task no_files;

static int
setup(void **state)
{
	struct rt_env *env = calloc(1, sizeof(*env));

	env->conf = (struct rt_conf)RT_LAYOUT(256);
	rt_fake_layout(&env->conf);
	env->conf.task = (uint64_t)(uintptr_t)&no_files;
	env->ms = calloc(1, RT_STATE_SIZE(256));
	env->ms->base = (uint64_t)(uintptr_t)env->ms;
	env->ms->conf = &env->conf;
	env->globals = calloc(1, RT_GLOBALS_SIZE);
	env->globals_addr = (uint64_t)(uintptr_t)env->globals;
	env->conf.globals_size = RT_GLOBALS_SIZE;
	host.globals = env->globals;
	state_range = (struct rt_range){ .addr = env->ms->base,
		.size = RT_STATE_SIZE(256) };
	env->call = call_host;
	*state = env;
	return 0;
}

static int
teardown(void **state)
{
	struct rt_env *env = *state;

	free(env->globals);
	free(env->ms);
	free(env);
	return 0;
}

static void
test_cases(void **state)
{
	rt_check_all(*state);
	rt_check_kernel(*state);
}

static void
test_copyout(void **state)
{
	rt_check_copyout(*state);
	rt_check_copyoutstr(*state);
	rt_check_copyout_readonly(*state);
}

/* A string ends right before a page that is not mapped. */
static void
test_page_end(void **state)
{
	struct rt_env *env = *state;
	char *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t args[4] = { (uint64_t)(uintptr_t)p + 4096 - 4 };

	assert_ptr_not_equal(p, MAP_FAILED);
	munmap(p + 4096, 4096);
	memcpy(p + 4096 - 4, "abc", 4);
	rt_env_reset(env);
	assert_int_equal(env->call(env, "rt_strlen", args), 3);
	assert_int_equal(env->ms->fault, 0);
	p[4095] = 'd';
	assert_int_equal(env->call(env, "rt_strlen", args), 0);
	assert_int_equal(env->ms->fault, DIF_FLT_BADADDR);
	assert_int_equal(env->ms->fault_val, args[0]);
	munmap(p, 4096);
}

static void
test_progeny(void **state)
{
	struct rt_env *env = *state;
	uint64_t self[4] = { (uint64_t)getpid() };
	uint64_t parent[4] = { (uint64_t)getppid() };

	assert_int_equal(env->call(env, "rt_progenyof", self), 1);
	assert_int_equal(env->call(env, "rt_progenyof", parent), 1);
}

#define ADDR(p) ((uint64_t)(uintptr_t)(p))

/* A process with its own root sees paths relative to it. */
static void
test_own_root(void **state)
{
	struct rt_env *env = *state;
	struct fk_path fs[2]; /* root, pwd */
	struct task task = { .fs = ADDR(fs) };
	uint64_t args[4] = { 0 };

	env->conf.task = ADDR(&task);
	env->conf.fs_pwd = sizeof(fs[0]);
	fk_reset(env);
	fs[0] =
	    (struct fk_path){ FK(env, mounts[1].mnt), FK(env, dentries[3]) };
	fs[1] =
	    (struct fk_path){ FK(env, mounts[1].mnt), FK(env, dentries[4]) };
	FK_EXPECT(env, 1, 4, "/four");
	FK_EXPECT(env, 1, 3, "/");
	FK_EXPECT(env, 0, 2, "/one/two"); /* not below the root */
	assert_string_equal(
	    rt_case_result(env, env->call(env, "rt_cwd", args)), "/four");
	assert_string_equal(
	    rt_case_result(env, env->call(env, "rt_root", args)), "/one");
	task.fs = 0; /* exiting */
	assert_int_equal(env->call(env, "rt_cwd", args), 0);
	assert_int_equal(env->call(env, "rt_root", args), 0);
	assert_int_equal(env->ms->fault, 0);
}

static void
test_getf(void **state)
{
	struct rt_env *env = *state;
	uint64_t fds[3] = { 0x100, 0, 0x300 };
	struct {
		uint32_t pad, max_fds;
		uint64_t fd;
	} fdt = { 1, 3, ADDR(fds) };
	uint64_t files = ADDR(&fdt);
	struct task task = { .files = ADDR(&files) };
	static const uint64_t nowhere[][2] = { { 3, 0 }, { 1ULL << 32, 0 },
		{ (uint64_t)-1, 0 }, { 1, 0 }, { 0, 0x100 }, { 2, 0x300 } };

	env->conf.task = ADDR(&task);
	env->conf.task_files = offsetof(struct task, files);
	env->conf.fdtable_max_fds = 4;
	env->conf.fdtable_fd = 8;
	for (size_t i = 0; i < RT_COUNT(nowhere); i++) {
		uint64_t args[4] = { nowhere[i][0] };

		rt_env_reset(env);
		assert_int_equal(
		    env->call(env, "rt_getf", args), nowhere[i][1]);
		assert_int_equal(env->ms->fault, 0);
	}
	fdt.fd = 4096;
	assert_int_equal(env->call(env, "rt_getf", (uint64_t[4]){ 2 }), 0);
	assert_int_equal(env->ms->fault, DIF_FLT_BADADDR);
	assert_int_equal(env->ms->fault_val, 4096 + 16);
}

/* Arguments joined by blanks; a kernel thread has none. */
static void
test_execargs(void **state)
{
	static const char line[] = "ls\0-l\0\0a b";
	struct rt_env *env = *state;
	char longer[400];
	uint64_t mm[2] = { ADDR(line), ADDR(line) + sizeof(line) };
	struct task task = { .mm = ADDR(mm) };
	uint64_t args[4] = { 0 };

	env->conf.task = ADDR(&task);
	env->conf.task_mm = offsetof(struct task, mm);
	env->conf.mm_arg_end = 8;
	rt_env_reset(env);
	assert_string_equal(
	    rt_case_result(env, env->call(env, "rt_execargs", args)),
	    "ls -l  a b");
	memset(longer, 'x', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	mm[0] = ADDR(longer);
	mm[1] = ADDR(longer) + sizeof(longer);
	longer[255] = '\0'; /* right behind the kept part */
	rt_env_reset(env);
	assert_string_equal(
	    rt_case_result(env, env->call(env, "rt_execargs", args)), longer);
	task.mm = 0;
	rt_env_reset(env);
	assert_string_equal(
	    rt_case_result(env, env->call(env, "rt_execargs", args)), "");
	assert_int_equal(env->ms->fault, 0);
}

/* A text made to be expensive for the search is refused in bounded time, by
 * name. */
static void
test_search_limit(void **state)
{
	struct rt_conf conf = RT_LAYOUT(65536);
	struct rt_mstate *ms = calloc(1, RT_STATE_SIZE(65536));
	char *text = malloc(65536), *word = malloc(32768);

	(void)state;
	ms->base = (uint64_t)(uintptr_t)ms;
	ms->conf = &conf;
	memset(text, 'a', 65536);
	text[65535] = '\0';
	memset(word, 'a', 32768);
	memcpy(word + 32766, "b", 2);
	assert_int_equal(
	    rt_strstr((uint64_t)(uintptr_t)ms, (uint64_t)(uintptr_t)text,
		(uint64_t)(uintptr_t)word),
	    0);
	assert_int_equal(ms->fault, DIF_FLT_ILLOP);
	free(text);
	free(word);
	free(ms);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_cases, setup, teardown),
		cmocka_unit_test_setup_teardown(test_copyout, setup, teardown),
		cmocka_unit_test_setup_teardown(test_page_end, setup, teardown),
		cmocka_unit_test_setup_teardown(test_progeny, setup, teardown),
		cmocka_unit_test_setup_teardown(test_own_root, setup, teardown),
		cmocka_unit_test_setup_teardown(test_getf, setup, teardown),
		cmocka_unit_test_setup_teardown(test_execargs, setup, teardown),
		cmocka_unit_test(test_search_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
