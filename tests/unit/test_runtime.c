/* SPDX-License-Identifier: BSD-2-Clause */
/* The runtime as the host runs it. The same table runs in the kernel:
 * tests/live/test_bpf_runtime.c. */
#include "rt_cases.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static uint64_t
call_host(struct rt_env *env, const char *name, const uint64_t *a)
{
	const struct rt_fn *fn = rt_fn_find(name);
	uint64_t slot = (uint64_t)(uintptr_t)env->ms;
	uint64_t v[5] = { a[0], a[1], a[2], a[3], 0 };
	unsigned n = fn->nargs;

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

static int
setup(void **state)
{
	struct rt_env *env = calloc(1, sizeof(*env));

	env->conf = (struct rt_conf)RT_LAYOUT(256);
	env->ms = calloc(1, RT_STATE_SIZE(256));
	env->ms->base = (uint64_t)(uintptr_t)env->ms;
	env->ms->conf = &env->conf;
	env->call = call_host;
	*state = env;
	return 0;
}

static int
teardown(void **state)
{
	struct rt_env *env = *state;

	free(env->ms);
	free(env);
	return 0;
}

static void
test_cases(void **state)
{
	rt_check_all(*state);
}

/* A string that ends right before a page that is not there. */
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

/* Text made for the search: refused in bounded time, by name. */
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
	assert_int_equal(rt_strstr((uint64_t)(uintptr_t)ms,
	    (uint64_t)(uintptr_t)text, (uint64_t)(uintptr_t)word), 0);
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
		cmocka_unit_test_setup_teardown(test_page_end, setup,
		    teardown),
		cmocka_unit_test_setup_teardown(test_progeny, setup, teardown),
		cmocka_unit_test(test_search_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
