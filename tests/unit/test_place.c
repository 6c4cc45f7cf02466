/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sites of probes, and the places that the kernel gets for them: a file with
 * code, its functions, and the place and word for each site.
 */
#include "unit.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "exec/bpf/attach.h"
#include "exec/bpf/site.h"
#include "x86/entry.h"

/* The code of a section, 16 bytes of which precede it in the file. */
#define TEXT_OFF 16
static const uint8_t text[] = {
	/* plain: */
	0x55, /* push %rbp */
	0x53, /* push %rbx */
	0x5b, /* pop %rbx */
	0x5d, /* pop %rbp */
	0xc3, /* ret */
	/* into: behind the first instruction of jumped */
	0xeb,
	0x01, /* jmp jumped+1 */
	/* jumped: */
	0x55, /* push %rbp */
	0x53, /* push %rbx */
	0x5b,
	0x5d,
	0xc3,
	/* locked: */
	0xf0,
	0xff,
	0x04,
	0x24, /* lock incl (%rsp) */
	0xc3,
	/* landing: */
	0xf3,
	0x0f,
	0x1e,
	0xfa, /* endbr64 */
	0x55,
	0x5d,
	0xc3,
};
enum { PLAIN = 0, JUMPED = 7, LOCKED = 12, LANDING = 17 };

struct session {
	struct dt_ufile file;
	struct bx_places *places;
};

static int
setup(void **state)
{
	static struct session s;
	struct err err = { 0 };

	if (x86_init(&err) != 0)
		return -1;
	s.file = (struct dt_ufile){ .fd = memfd_create("code", MFD_CLOEXEC),
		.path = "code" };
	if (s.file.fd < 0 ||
	    pwrite(s.file.fd, text, sizeof(text), TEXT_OFF) != sizeof(text))
		return -1;
	s.places = bx_places_create();
	*state = &s;
	return 0;
}

static int
teardown(void **state)
{
	struct session *s = *state;

	bx_places_destroy(s->places);
	close(s->file.fd);
	return 0;
}

static struct dt_ufunc
function_at(uint64_t at, uint64_t len)
{
	return (struct dt_ufunc){ .off = TEXT_OFF + at,
		.len = len,
		.own_len = len,
		.text_off = TEXT_OFF,
		.text_len = sizeof(text) };
}

static struct bx_place
entry_of(struct session *s, const struct dt_ufunc *func)
{
	struct dt_usites up = { .pid = 1 };
	const struct dt_probe p = { .kind = DT_PROBE_FUNC_ENTRY, .up = &up };
	const struct dt_usite site = { .file = &s->file,
		.off = func->off,
		.is_first = true,
		.func = func };

	return bx_place_of(s->places, &p, &site);
}

static void
expect_entry(struct session *s, const struct dt_ufunc *func, uint32_t delta,
    uint32_t pushed)
{
	struct bx_place place = entry_of(s, func);

	assert_int_equal(place.off, func->off + delta);
	assert_int_equal(place.word >> BX_SITE_DELTA_SHIFT, delta);
	assert_int_equal(place.word & BX_SITE_PUSHED_MASK, pushed);
	assert_true((place.word & BX_SITE_IS_ENTRY) != 0);
}

static void
test_entries(void **state)
{
	struct dt_ufunc func = function_at(PLAIN, 5);

	/* the second push is chosen: debuggers use the first instruction */
	expect_entry(*state, &func, 1, 8);
	/* another symbol begins at the second push */
	func.own_len = 1;
	expect_entry(*state, &func, 0, 0);
	func = function_at(LANDING, 7);
	expect_entry(*state, &func, 4, 0);
}

static void
test_jumps_into(void **state)
{
	struct dt_ufunc func = function_at(JUMPED, 5);

	expect_entry(*state, &func, 0, 0);
	/* without the section's code, the jump is unknown */
	func.text_len = 0;
	expect_entry(*state, &func, 1, 8);
}

static void
test_breakpoints(void **state)
{
	struct dt_ufunc func = function_at(PLAIN, 5);

	func.taken = 2;
	expect_entry(*state, &func, 0, 0);
}

/* The file is shorter than the function claims: the place is its first
 * instruction. */
static void
test_unreadable(void **state)
{
	struct dt_ufunc func = function_at(LANDING, 700);

	expect_entry(*state, &func, 0, 0);
}

static void
test_returns(void **state)
{
	static const struct {
		int32_t off;
		uint8_t cond;
	} returns[] = { { 0, X86_ALWAYS }, { 4711, 5 }, { -12, X86_ALWAYS },
		{ (1 << 24) - 1, 15 } };
	const struct dt_probe p = { .kind = DT_PROBE_FUNC_RETURN };
	struct session *s = *state;

	for (size_t i = 0; i < sizeof(returns) / sizeof(returns[0]); i++) {
		const struct dt_usite site = { .file = &s->file,
			.off = 99,
			.func_off = returns[i].off,
			.cond = returns[i].cond };
		struct bx_place place = bx_place_of(s->places, &p, &site);

		assert_int_equal(place.off, 99);
		assert_int_equal(
		    (int32_t)place.word >> BX_SITE_COND_BITS, returns[i].off);
		assert_int_equal(
		    place.word & BX_SITE_COND_MASK, returns[i].cond);
	}
}

static void
test_others(void **state)
{
	const struct dt_uargs args = { .number = 3 };
	const struct dt_probe offset = { .kind = DT_PROBE_FUNC_OFFSET };
	const struct dt_probe usdt = { .kind = DT_PROBE_USDT };
	const struct dt_probe loader = { .kind = DT_PROBE_LOADER };
	struct session *s = *state;
	struct dt_usite site = {
		.file = &s->file, .off = 5, .args = &args, .r_debug = -8
	};

	assert_int_equal(bx_place_of(s->places, &offset, &site).word, 0);
	assert_int_equal(bx_place_of(s->places, &usdt, &site).word, 3);
	assert_int_equal(
	    (int32_t)bx_place_of(s->places, &loader, &site).word, -8);
	site.is_first = true;
	assert_int_equal(
	    bx_place_of(s->places, &offset, &site).word, BX_SITE_IS_ENTRY);
}

/* The check while matching agrees with the result when probes are armed. */
static void
test_can_arm(void **state)
{
	const struct x86_code plain = { text + PLAIN, 5, false };
	const struct x86_code locked = { text + LOCKED, 5, false };
	struct dt_ufunc func = function_at(PLAIN, 5);
	struct dt_code_place at = { .code = &plain, .func = &func };

	(void)state;
	assert_true(bx_can_arm(DT_PROBE_FUNC_ENTRY, &at));
	func.taken = 1; /* the second push is free */
	assert_true(bx_can_arm(DT_PROBE_FUNC_ENTRY, &at));
	func.taken = UINT64_MAX;
	assert_false(bx_can_arm(DT_PROBE_FUNC_ENTRY, &at));
	func = function_at(LOCKED, 5);
	at.code = &locked;
	assert_false(bx_can_arm(DT_PROBE_FUNC_ENTRY, &at));
	assert_false(bx_can_arm(DT_PROBE_FUNC_OFFSET, &at));
	at.off = 4;
	assert_true(bx_can_arm(DT_PROBE_FUNC_RETURN, &at));
	assert_true(bx_can_arm(DT_PROBE_CLOCK, NULL));
}

/* Each kind has a way to attach it, or dtrace runs its program itself. */
static void
test_kinds(void **state)
{
	(void)state;
	for (int kind = 0; kind < DT_PROBE_NKINDS; kind++) {
		const struct bx_attach *a = bx_attach(kind);
		bool is_run = kind == DT_PROBE_RUN || kind == DT_PROBE_ERROR;

		assert_true((a->arm == NULL) == is_run);
		assert_non_null(bx_ctx(a->ctx)->prologue);
		assert_true(is_run || a->ctx != BX_CTX_RUN);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_entries),
		cmocka_unit_test(test_jumps_into),
		cmocka_unit_test(test_breakpoints),
		cmocka_unit_test(test_unreadable),
		cmocka_unit_test(test_returns),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_can_arm),
		cmocka_unit_test(test_kinds),
	};

	return cmocka_run_group_tests_name("place", tests, setup, teardown);
}
