/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The x86-64 assembler: every instruction form with every register, executed.
 */
#include "unit.h"

#include <asm/hwcap2.h>
#include <asm/prctl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "exec/jit/jit_impl.h"
#include "exec/runtime/tsc.h"

#define CODE_SIZE 65536
#define A 0x123456789abcdef1ULL
#define B 0xfedcba9876543237ULL

static uint8_t *region;

/* uint64_t f(uint64_t a, uint64_t b, uint64_t *words), all registers kept */
typedef uint64_t func_f(uint64_t a, uint64_t b, uint64_t *words);

static const int kept[] = { X_RBX, X_RBP, X_R12, X_R13, X_R14, X_R15 };

static void
begin(struct x_asm *a)
{
	*a = (struct x_asm){ 0 };
	for (unsigned i = 0; i < 6; i++)
		x_push(a, kept[i]);
}

/* Run the code; its result is in register r. */
static uint64_t
run(struct x_asm *a, int r, uint64_t x, uint64_t y, uint64_t *words)
{
	void *code = region;
	func_f *f;

	x_mov(a, X_RAX, r);
	for (unsigned i = 6; i-- > 0;)
		x_pop(a, kept[i]);
	x_ret(a);
	x_finish(a);
	assert_true(x_here(a) <= CODE_SIZE / 2);
	memcpy(region, a->code.s, x_here(a));
	x_fini(a);
	memcpy(&f, &code, sizeof(f));
	return f(x, y, words);
}

static bool
is_free(int r)
{
	return r != X_RSP && r != X_RDI && r != X_RSI && r != X_RDX;
}
#define EACH_REG(r)                                                            \
	for (int r = 0; r < X_NREGS; r++)                                      \
		if (is_free(r))

static uint64_t
alu(enum x_alu op, uint64_t a, uint64_t b)
{
	switch (op) {
	case X_ADD:
		return a + b;
	case X_OR:
		return a | b;
	case X_AND:
		return a & b;
	case X_SUB:
		return a - b;
	case X_XOR:
		return a ^ b;
	case X_CMP:
		return a;
	}
	return 0;
}

static const enum x_alu alus[] = { X_ADD, X_OR, X_AND, X_SUB, X_XOR, X_CMP };

static void
test_alu(void **state)
{
	struct x_asm a;

	(void)state;
	for (unsigned i = 0; i < 6; i++) {
		EACH_REG(d)
		{
			EACH_REG(s)
			{
				begin(&a);
				x_mov(&a, s, X_RSI);
				x_mov(&a, d, X_RDI);
				x_alu(&a, alus[i], d, s);
				assert_int_equal(run(&a, d, A, B, NULL),
				    alu(alus[i], A, d == s ? A : B));
			}
			for (int imm = -0x12345; imm < 0x20000; imm += 0x9197) {
				int small = imm / (int)(i * 300 + 1);

				begin(&a);
				x_mov(&a, d, X_RDI);
				x_alui(&a, alus[i], d, small);
				assert_int_equal(run(&a, d, A, 0, NULL),
				    alu(alus[i], A, (uint64_t)small));
			}
		}
	}
}

static void
test_memory(void **state)
{
	uint64_t words[64] = { 0 };
	struct x_asm a;

	(void)state;
	for (int size = 1; size <= 8; size *= 2) {
		uint64_t mask = size == 8 ? ~0ULL : (1ULL << 8 * size) - 1;

		EACH_REG(base) EACH_REG(r)
		{
			int off = (r & 1) ? 8 : 400;

			if (base == r)
				continue;
			words[off / 8] = 0;
			begin(&a);
			x_mov(&a, base, X_RDX);
			x_mov(&a, r, X_RDI);
			x_store(&a, size, X_AT(base, off), r);
			x_load(&a, size, false, r, X_AT(base, off));
			assert_int_equal(run(&a, r, B, 0, words), B & mask);
			assert_int_equal(words[off / 8], B & mask);
			begin(&a);
			x_mov(&a, base, X_RDX);
			x_load(&a, size, true, r, X_AT(base, off));
			assert_int_equal(run(&a, r, 0, 0, words),
			    (uint64_t)((int64_t)(B << (64 - 8 * size)) >>
				(64 - 8 * size)));
			begin(&a);
			x_mov(&a, base, X_RDX);
			x_mov(&a, r, X_RDI);
			x_alum(&a, X_ADD, r, X_AT(base, off));
			assert_int_equal(
			    run(&a, r, A, 0, words), A + (B & mask));
		}
	}
}

/* The code finds words of its own region, wherever that is. */
static void
test_region(void **state)
{
	uint64_t *own = (uint64_t *)(void *)(region + CODE_SIZE / 2);
	struct x_asm a;

	(void)state;
	EACH_REG(r)
	{
		*own = A;
		begin(&a);
		x_load(&a, 8, false, r, X_IN_REGION(CODE_SIZE / 2));
		x_alumi(&a, X_ADD, X_IN_REGION(CODE_SIZE / 2), 5);
		x_alumi(&a, X_ADD, X_IN_REGION(CODE_SIZE / 2), 500);
		x_storei(&a, 8, X_IN_REGION(CODE_SIZE / 2 + 8), -7);
		x_storei(&a, 4, X_IN_REGION(CODE_SIZE / 2 + 8), 9);
		assert_int_equal(run(&a, r, 0, 0, NULL), A);
		assert_int_equal(own[0], A + 505);
		assert_int_equal(own[1], 0xffffffff00000009ULL);
		begin(&a);
		x_lea(&a, r, X_IN_REGION(CODE_SIZE / 2));
		assert_int_equal(run(&a, r, 0, 0, NULL), (uintptr_t)own);
	}
}

static void
test_lea(void **state)
{
	struct x_asm a;

	(void)state;
	EACH_REG(d) EACH_REG(s)
	{
		EACH_REG(t)
		{
			if (s == t)
				continue;
			begin(&a);
			x_mov(&a, s, X_RDI);
			x_mov(&a, t, X_RSI);
			x_lea_sum(&a, d, s, t);
			assert_int_equal(run(&a, d, A, B, NULL), A + B);
		}
		begin(&a);
		x_mov(&a, s, X_RDI);
		x_lea(&a, d, X_AT(s, -1000));
		assert_int_equal(run(&a, d, A, B, NULL), A - 1000);
	}
}

static void
test_immediates(void **state)
{
	static const uint64_t values[] = { 0, 1, 0x7fffffff, 0x80000000,
		0xffffffff, 0xffffffff80000000ULL, ~0ULL, A };
	struct x_asm a;

	(void)state;
	EACH_REG(r)
	{
		for (unsigned i = 0; i < sizeof(values) / 8; i++) {
			begin(&a);
			x_movi(&a, r, values[i]);
			assert_int_equal(run(&a, r, 0, 0, NULL), values[i]);
		}
	}
}

static void
test_multiply_divide(void **state)
{
	struct x_asm a;

	(void)state;
	EACH_REG(d) EACH_REG(s)
	{
		begin(&a);
		x_mov(&a, s, X_RSI);
		x_mov(&a, d, X_RDI);
		x_mul(&a, d, s);
		assert_int_equal(
		    run(&a, d, A, B, NULL), d == s ? A * A : A * B);
		begin(&a);
		x_mov(&a, s, X_RSI);
		x_muli(&a, d, s, -77777);
		assert_int_equal(run(&a, d, A, B, NULL), B * (uint64_t)-77777);
		if (s == X_RAX)
			continue;
		begin(&a);
		x_mov(&a, s, X_RSI);
		x_mov(&a, X_RAX, X_RDI);
		x_movi(&a, X_RDX, 0);
		x_unary(&a, X_DIV, s);
		assert_int_equal(run(&a, X_RAX, B, 1000, NULL), B / 1000);
		begin(&a);
		x_mov(&a, s, X_RSI);
		x_mov(&a, X_RAX, X_RDI);
		x_cqo(&a);
		x_unary(&a, X_IDIV, s);
		assert_int_equal(run(&a, X_RAX, B, 1000, NULL),
		    (uint64_t)((int64_t)B / 1000));
	}
	EACH_REG(r)
	{
		begin(&a);
		x_mov(&a, r, X_RDI);
		x_unary(&a, X_NOT, r);
		assert_int_equal(run(&a, r, A, 0, NULL), ~A);
		begin(&a);
		x_mov(&a, r, X_RDI);
		x_unary(&a, X_NEG, r);
		assert_int_equal(run(&a, r, A, 0, NULL), -A);
	}
}

/* Numbers around 0, around powers of two and at the ends, some without a
 * pattern. */
static uint64_t
number_like(unsigned i)
{
	uint64_t v = i < 4 * 64 ? 1ULL << i / 4 : A * i;

	switch (i % 4) {
	case 0:
		return v;
	case 1:
		return v - 1;
	case 2:
		return v + 1;
	default:
		return -v;
	}
}
#define NUMBERS (4 * 64 + 100)

static uint64_t
quotient(bool is_signed, uint64_t n, uint64_t by)
{
	if (!is_signed)
		return n / by;
	return by == ~0ULL ? -n : (uint64_t)((int64_t)n / (int64_t)by);
}

static void
check_divisor(bool is_signed, int r, uint64_t by)
{
	struct x_asm a;
	uint64_t n;
	func_f *f;
	void *code = region;

	begin(&a);
	x_mov(&a, r, X_RDI);
	jit_quotient(&a, is_signed, r, by);
	n = number_like(NUMBERS - 1);
	assert_int_equal(
	    run(&a, X_RDX, n, 0, NULL), quotient(is_signed, n, by));
	memcpy(&f, &code, sizeof(f));
	for (unsigned i = 0; i < NUMBERS; i++) {
		n = number_like(i);
		if (f(n, 0, NULL) != quotient(is_signed, n, by))
			fail_msg("%#lx by %#lx, signed: %d", n, by, is_signed);
	}
}

static void
test_known_divisors(void **state)
{
	(void)state;
	for (unsigned i = 0; i < NUMBERS; i++) {
		uint64_t by = number_like(i);

		if (by == 0)
			continue;
		check_divisor(false, i % 2 != 0 ? X_R11 : X_RBP, by);
		check_divisor(true, i % 2 != 0 ? X_R11 : X_RBP, by);
	}
}

static void
test_shifts(void **state)
{
	struct x_asm a;

	(void)state;
	EACH_REG(r)
	{
		for (unsigned n = 0; n < 64; n += 9) {
			begin(&a);
			x_mov(&a, r, X_RDI);
			x_shifti(&a, X_SHL, r, n);
			assert_int_equal(run(&a, r, B, 0, NULL), B << n);
			begin(&a);
			x_mov(&a, r, X_RDI);
			x_shifti(&a, X_SAR, r, n);
			assert_int_equal(run(&a, r, B, 0, NULL),
			    (uint64_t)((int64_t)B >> n));
			if (r == X_RCX)
				continue;
			begin(&a);
			x_mov(&a, X_RCX, X_RSI);
			x_mov(&a, r, X_RDI);
			x_shift_cl(&a, X_SHR, r);
			assert_int_equal(run(&a, r, B, n + 64, NULL), B >> n);
		}
		begin(&a);
		x_mov(&a, r, X_RDI);
		x_swap(&a, 16, r);
		assert_int_equal(run(&a, r, A, 0, NULL), 0xf1de);
		begin(&a);
		x_mov(&a, r, X_RDI);
		x_swap(&a, 32, r);
		assert_int_equal(run(&a, r, A, 0, NULL), 0xf1debc9a);
		begin(&a);
		x_mov(&a, r, X_RDI);
		x_swap(&a, 64, r);
		assert_int_equal(run(&a, r, A, 0, NULL), 0xf1debc9a78563412);
	}
}

static bool
holds(enum x_cc cc, uint64_t a, uint64_t b)
{
	switch (cc) {
	case X_B:
		return a < b;
	case X_AE:
		return a >= b;
	case X_E:
		return a == b;
	case X_NE:
		return a != b;
	case X_BE:
		return a <= b;
	case X_A:
		return a > b;
	case X_L:
		return (int64_t)a < (int64_t)b;
	case X_GE:
		return (int64_t)a >= (int64_t)b;
	case X_LE:
		return (int64_t)a <= (int64_t)b;
	case X_G:
		return (int64_t)a > (int64_t)b;
	}
	return false;
}

static void
check_condition(enum x_cc cc, uint64_t x, uint64_t y)
{
	struct x_asm a;
	x_label yes, done;

	begin(&a);
	yes = x_new_label(&a);
	done = x_new_label(&a);
	x_movi(&a, X_RCX, 0);
	x_movi(&a, X_R8, 4);
	x_alu(&a, X_CMP, X_RDI, X_RSI);
	x_cmov(&a, cc, X_RCX, X_R8);
	x_jcc(&a, cc, yes);
	x_movi(&a, X_RAX, 1);
	x_jmp(&a, done);
	x_bind(&a, yes);
	x_movi(&a, X_RAX, 2);
	x_bind(&a, done);
	x_alu(&a, X_ADD, X_RAX, X_RCX);
	assert_int_equal(run(&a, X_RAX, x, y, NULL), holds(cc, x, y) ? 6 : 1);
}

static void
test_conditions(void **state)
{
	static const enum x_cc ccs[] = { X_B, X_AE, X_E, X_NE, X_BE, X_A, X_L,
		X_GE, X_LE, X_G };
	static const uint64_t values[] = { 0, 1, ~0ULL, 1ULL << 63,
		~(1ULL << 63) };

	(void)state;
	for (unsigned i = 0; i < sizeof(ccs) / sizeof(ccs[0]); i++) {
		for (unsigned j = 0; j < 25; j++)
			check_condition(ccs[i], values[j / 5], values[j % 5]);
	}
}

static void
test_bits(void **state)
{
	struct x_asm a;

	(void)state;
	EACH_REG(d)
	{
		begin(&a);
		x_mov(&a, d, X_RDI);
		x_bsr(&a, X_RCX, d);
		assert_int_equal(run(&a, X_RCX, 0x12345, 0, NULL), 16);
		begin(&a);
		x_mov(&a, d, X_RDI);
		x_bsf(&a, X_RCX, d);
		assert_int_equal(run(&a, X_RCX, 0x12340, 0, NULL), 6);
		begin(&a);
		x_mov(&a, d, X_RDI);
		x_shrd(&a, d, X_RSI, 12);
		assert_int_equal(
		    run(&a, d, 0x5000, 0x123, NULL), 0x1230000000000005);
		begin(&a);
		x_mov(&a, d, X_RDI);
		x_shifti(&a, X_ROL, d, 8);
		assert_int_equal(run(&a, d, 0x1122334455667788, 0, NULL),
		    0x2233445566778811);
	}
	begin(&a);
	x_mov(&a, X_RAX, X_RDI);
	x_unary(&a, X_MUL, X_RSI);
	assert_int_equal(run(&a, X_RDX, 3, 1ULL << 63, NULL), 1);
}

static void
test_cmpxchg(void **state)
{
	uint64_t word = 7;
	struct x_asm a;

	(void)state;
	for (uint64_t old = 6; old < 8; old++) {
		begin(&a);
		x_mov(&a, X_RAX, X_RDI);
		x_mov(&a, X_R9, X_RDX);
		x_cmpxchg(&a, X_AT(X_R9, 0), X_RSI);
		assert_int_equal(run(&a, X_RAX, old, 40 + old, &word), 7);
		assert_int_equal(word, old == 7 ? 47 : 7);
	}
}

/* Facts that the machine code finds out, compared with the system's. */
static void
test_machine(void **state)
{
	unsigned long fs = 0;
	struct x_asm a;
	unsigned aux;
	uint64_t now, later;

	(void)state;
	syscall(SYS_arch_prctl, ARCH_GET_FS, &fs);
	EACH_REG(d)
	{
		if (getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE) {
			begin(&a);
			x_rdfsbase(&a, d);
			assert_int_equal(run(&a, d, 0, 0, NULL), fs);
		}
		if (exec_cpu_has_rdpid()) {
			begin(&a);
			x_rdpid(&a, d);
			now = run(&a, d, 0, 0, NULL);
			__builtin_ia32_rdtscp(&aux);
			assert_true(now >> 12 == aux >> 12);
		}
	}
	now = __builtin_ia32_rdtsc();
	begin(&a);
	x_rdtsc(&a);
	x_shifti(&a, X_SHL, X_RDX, 32);
	x_alu(&a, X_OR, X_RAX, X_RDX);
	later = run(&a, X_RAX, 0, 0, NULL);
	assert_true(later > now && later < __builtin_ia32_rdtsc());
}

static void
test_wanted(void **state)
{
	struct x_asm a;
	x_label back, l;

	(void)state;
	begin(&a);
	l = x_new_label(&a);
	back = x_new_label(&a);
	assert_false(x_is_wanted(&a, l));
	x_movi(&a, X_RAX, 1);
	x_bind(&a, back);
	x_shifti(&a, X_SHL, X_RAX, 1);
	x_alui(&a, X_CMP, X_RAX, 8);
	x_jcc(&a, X_AE, l);
	assert_true(x_is_wanted(&a, l));
	x_jmp(&a, back);
	x_bind(&a, l);
	assert_int_equal(run(&a, X_RAX, 0, 0, NULL), 8);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alu),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_region),
		cmocka_unit_test(test_lea),
		cmocka_unit_test(test_immediates),
		cmocka_unit_test(test_multiply_divide),
		cmocka_unit_test(test_known_divisors),
		cmocka_unit_test(test_shifts),
		cmocka_unit_test(test_conditions),
		cmocka_unit_test(test_bits),
		cmocka_unit_test(test_cmpxchg),
		cmocka_unit_test(test_machine),
		cmocka_unit_test(test_wanted),
	};
	int rc;

	region = mmap(NULL, CODE_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (region == MAP_FAILED)
		return 1;
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	munmap(region, CODE_SIZE);
	return rc;
}
