/* SPDX-License-Identifier: BSD-2-Clause */
/* Seccomp filters: rt_filter_permits() agrees with the kernel. */
#include "unit.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exec/runtime/rt_filter.h"

_Static_assert(sizeof(struct rt_bpf) == sizeof(struct sock_filter), "one form");

#define PROGRAMS 1500
#define BODY_MAX 40

/* The child may exit under any program. */
static const struct sock_filter head[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 1, 0),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};
#define NHEAD (sizeof(head) / sizeof(head[0]))

static const uint32_t actions[] = { SECCOMP_RET_ALLOW, SECCOMP_RET_ALLOW | 5,
	SECCOMP_RET_ERRNO | 1, SECCOMP_RET_ERRNO | 2, SECCOMP_RET_TRAP };

static uint32_t seed = 1;

static uint32_t
any(uint32_t n)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 8) % n;
}

static uint32_t
any_value(void)
{
	static const uint32_t values[] = { 0, 1, 2, 31, SYS_getppid,
		AUDIT_ARCH_X86_64, 64, 0x7fff0000, 0xffffffff };

	return any(4) == 0 ? any(200) : values[any(9)];
}

/*
 * Division and shifts by a register have unpredictable results: they are left
 * out.
 */
static struct sock_filter
any_alu(void)
{
	static const uint16_t ops[] = { BPF_ADD, BPF_SUB, BPF_MUL, BPF_AND,
		BPF_OR, BPF_XOR, BPF_NEG, BPF_DIV, BPF_LSH, BPF_RSH };
	uint32_t op = any(10);
	uint16_t src = op < 7 && any(2) ? BPF_X : BPF_K;
	uint32_t k = op < 7 ? any_value() : op == 7 ? 1 + any(9) : any(32);

	return (
	    struct sock_filter){ (uint16_t)(BPF_ALU | ops[op] | src), 0, 0, k };
}

static struct sock_filter
any_jump(uint32_t rest)
{
	static const uint16_t ops[] = { BPF_JEQ, BPF_JGT, BPF_JGE, BPF_JSET };
	uint16_t src = any(2) ? BPF_X : BPF_K;

	if (any(8) == 0)
		return (
		    struct sock_filter){ BPF_JMP | BPF_JA, 0, 0, any(rest) };
	return (struct sock_filter){ (uint16_t)(BPF_JMP | ops[any(4)] | src),
		(uint8_t)any(rest), (uint8_t)any(rest), any_value() };
}

static struct sock_filter
any_move(void)
{
	static const uint16_t codes[] = { BPF_LD | BPF_IMM, BPF_LDX | BPF_IMM,
		BPF_LD | BPF_W | BPF_LEN, BPF_LDX | BPF_W | BPF_LEN,
		BPF_MISC | BPF_TAX, BPF_MISC | BPF_TXA, BPF_ST, BPF_STX,
		BPF_LD | BPF_MEM, BPF_LDX | BPF_MEM };
	uint32_t i = any(10);

	return (
	    struct sock_filter){ codes[i], 0, 0, i < 2 ? any_value() : any(4) };
}

/* A random instruction; `rest` instructions follow, and the last of them
 * returns. */
static struct sock_filter
any_insn(uint32_t rest)
{
	switch (any(8)) {
	case 0:
		return (struct sock_filter)BPF_STMT(
		    BPF_LD | BPF_W | BPF_ABS, any(12) == 0 ? 16 : 4 * any(2));
	case 1:
		return (struct sock_filter)BPF_STMT(
		    BPF_LD | BPF_IMM, actions[any(5)]);
	case 2:
	case 3:
		return any_jump(rest);
	case 4:
	case 5:
		return any_alu();
	default:
		return any_move();
	}
}

static uint32_t
any_program(struct sock_filter *prog)
{
	uint32_t n = 1 + any(BODY_MAX);

	memcpy(prog, head, sizeof(head));
	for (uint32_t i = 0; i < n; i++)
		prog[NHEAD + i] = any_insn(n - i);
	prog[NHEAD + n] = any(2) ?
	    (struct sock_filter)BPF_STMT(BPF_RET | BPF_A, 0) :
	    (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, actions[any(5)]);
	return NHEAD + n + 1;
}

static bool
reads_arguments(const struct sock_filter *prog, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (prog[i].code == (BPF_LD | BPF_W | BPF_ABS) && prog[i].k > 4)
			return true;
	}
	return false;
}

enum { DENIED, PERMITTED, REFUSED };

/* The kernel's decision, tried out in a child. */
static int
kernel_says(struct sock_filter *prog, uint32_t n)
{
	struct sock_fprog p = { (unsigned short)n, prog };
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		signal(SIGSYS, SIG_DFL); /* not cmocka's handler */
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
		    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p) != 0)
			_exit(REFUSED);
		_exit(syscall(SYS_getppid) > 0 ? PERMITTED : DENIED);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : DENIED;
}

static void
test_any_programs(void **state)
{
	struct sock_filter prog[NHEAD + BODY_MAX + 1];
	unsigned seen[3] = { 0 };

	(void)state;
	for (int i = 0; i < PROGRAMS; i++) {
		uint32_t n = any_program(prog);
		int permits =
		    rt_filter_permits((const void *)prog, n, SYS_getppid);
		int says = kernel_says(prog, n);

		seen[says]++;
		if (says == REFUSED)
			continue;
		assert_true(rt_filter_permits((const void *)prog, n, SYS_read));
		if (permits)
			assert_int_equal(says, PERMITTED);
		else if (!reads_arguments(prog, n))
			assert_int_equal(says, DENIED);
	}
	assert_true(seen[PERMITTED] > 100);
	assert_true(seen[DENIED] > 100);
}

static void
assert_denied(const struct sock_filter *prog, uint32_t n)
{
	assert_int_equal(rt_filter_permits((const void *)prog, n, 39), 0);
}

static void
test_logged(void **state)
{
	const struct sock_filter prog =
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_LOG);

	(void)state;
	assert_int_equal(rt_filter_permits((const void *)&prog, 1, 39), 1);
}

/* Invalid programs, and programs that depend on unknown facts. */
static void
test_no_answer(void **state)
{
	const struct sock_filter
	    args[] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 16),
		    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) },
	    endless[] = { BPF_STMT(BPF_LD | BPF_IMM, 1) },
	    far[] = { BPF_STMT(BPF_JMP | BPF_JA, 0xffffffff),
		    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) },
	    zero[] = { BPF_STMT(BPF_ALU | BPF_DIV | BPF_X, 0),
		    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) },
	    memory[] = { BPF_STMT(BPF_LD | BPF_MEM, 16),
		    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) },
	    word[] = { BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 0),
		    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };

	(void)state;
	assert_denied(args, 0);
	assert_denied(args, 2);
	assert_denied(endless, 1);
	assert_denied(far, 2);
	assert_denied(zero, 2);
	assert_denied(memory, 2);
	assert_denied(word, 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_programs),
		cmocka_unit_test(test_logged),
		cmocka_unit_test(test_no_answer),
	};

	return cmocka_run_group_tests_name("filter", tests, NULL, NULL);
}
