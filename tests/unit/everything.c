/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Code of every kind, which test_patch.c traces instruction by instruction:
 * switches, computed gotos, recursion, tail calls, setjmp, cleanups that
 * exceptions run, variable arguments, floating point, strings, every form of
 * address.  everything() returns one number made of all results.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

#define NOINLINE __attribute__((noinline, noclone))

uint64_t everything(unsigned rounds);

static volatile uint64_t sink;
static uint64_t table[64];

static NOINLINE uint64_t
mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15;
	return h ^ h >> 29;
}

static NOINLINE uint64_t
by_switch(unsigned n, uint64_t v)
{
	switch (n % 12) {
	case 0:
		return v + 1;
	case 1:
		return v * 3;
	case 2:
		return mix(v, 7);
	case 3:
		return v >> 3;
	case 4:
		sink = v;
		return sink;
	case 5:
		return v & 0xff00ff;
	case 6:
		return ~v;
	case 7:
		return v % 1000003;
	case 8:
		return table[v % 64];
	case 9:
		return v << 5 | v >> 59;
	case 10:
		return (uint64_t) - (int64_t)v;
	default:
		return v ^ n;
	}
}

/* A small machine in the style of interpreters. */
static NOINLINE uint64_t
by_label(const uint8_t *program, uint64_t v)
{
	static const void *const labels[] = { &&add, &&mul, &&back, &&done };
	unsigned loops = 5;
	const uint8_t *pc = program;

	goto *labels[*pc];
add:
	v += 17;
	goto *labels[*++pc];
mul:
	v *= 31;
	goto *labels[*++pc];
back:
	if (--loops > 0)
		pc = program - 1;
	goto *labels[*++pc];
done:
	return v;
}

static NOINLINE uint64_t
fib(unsigned n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static NOINLINE uint64_t even(uint64_t n, uint64_t h);

static NOINLINE uint64_t
odd(uint64_t n, uint64_t h)
{
	return n == 0 ? h : even(n - 1, mix(h, n));
}

static NOINLINE uint64_t
even(uint64_t n, uint64_t h)
{
	return n == 0 ? h + 1 : odd(n - 1, h * 5);
}

static NOINLINE uint64_t
sum(unsigned n, ...)
{
	uint64_t total = 0;
	va_list ap;

	va_start(ap, n);
	for (unsigned i = 0; i < n; i++)
		total += va_arg(ap, uint64_t);
	va_end(ap);
	return total;
}

static NOINLINE double
series(unsigned n)
{
	double x = 0;

	for (unsigned i = 1; i <= n; i++)
		x += 1.0 / ((double)i * i);
	return x;
}

static NOINLINE long double
x87(unsigned n)
{
	long double x = 1;

	for (unsigned i = 1; i <= n; i++)
		x = x / 2 + (long double)i;
	return x;
}

/* ---- leaving functions in other ways ------------------------------------ */

static jmp_buf env;

static NOINLINE void
jump_out(int depth)
{
	if (depth > 0)
		jump_out(depth - 1);
	else if (depth == 0)
		longjmp(env, 3);
	sink++;
}

static NOINLINE uint64_t
by_setjmp(void)
{
	volatile uint64_t n = 1;
	int rc = setjmp(env);

	if (rc != 0)
		return n * 10 + (uint64_t)rc;
	n = 4;
	jump_out(3);
	return 0;
}

static uint64_t cleaned;

static void
clean(uint64_t *p)
{
	cleaned = mix(cleaned, *p);
}

/* Unwind for an exception that no function catches, up to the frame whose
 * address is `arg`; then leave by longjmp(). */
static _Unwind_Reason_Code
stop(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
    struct _Unwind_Exception *e, struct _Unwind_Context *context, void *arg)
{
	(void)version;
	(void)class;
	(void)e;
	if (actions & _UA_END_OF_STACK ||
	    _Unwind_GetCFA(context) >= (uintptr_t)arg)
		longjmp(env, 5);
	return _URC_NO_REASON;
}

static NOINLINE void throw(struct _Unwind_Exception * e, void *until)
{
	_Unwind_ForcedUnwind(e, stop, until);
}

static NOINLINE void
with_cleanup(int depth, struct _Unwind_Exception *e, void *until)
{
	__attribute__((cleanup(clean))) uint64_t here = (uint64_t)depth + 100;

	sink += here;
	if (depth == 0)
		throw(e, until);
	else
		with_cleanup(depth - 1, e, until);
	sink ^= here;
}

static NOINLINE uint64_t
by_exception(void)
{
	struct _Unwind_Exception e;
	uint64_t mark;

	cleaned = 1;
	memset(&e, 0, sizeof(e));
	if (setjmp(env) == 0)
		with_cleanup(4, &e, &mark);
	return cleaned;
}

/* ---- forms of addresses ------------------------------------------------- */

uint64_t everything_asm(uint64_t *memory, uint64_t n);
uint64_t everything_tiny(void);
extern uint64_t everything_data[8];
uint64_t everything_data[8] = { 1, 2, 3, 5, 8, 13, 21, 34 };

/* clang-format off */
__asm__(
	".text\n.globl everything_asm\n.hidden everything_asm\n"
	".hidden everything_data\n"
	".type everything_asm,@function\n"
	"everything_asm:\n"
	"	push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
	"	mov %rdi,%rbx; mov $2,%ecx; xor %eax,%eax\n"
	"	add (%rbx),%rax; adc 8(%rbx),%rax; sbb 512(%rbx),%rax\n"
	"	xor (%rbx,%rcx,8),%rax; add 16(%rbx,%rcx,4),%rax\n"
	"	lea (,%rcx,8),%rdx; add 600(%rbx,%rdx),%rax\n"
	"	mov %rbx,%r12; add (%r12),%rax; add 8(%r12),%rax\n"
	"	mov %rbx,%r13; add (%r13),%rax; lea 3(%r13,%rcx),%r14\n"
	"	add -3(%r14),%rax; mov %rbx,%rbp; add 0(%rbp),%rax\n"
	"	add everything_data(%rip),%rax\n"
	"	imul $7,everything_data+8(%rip),%r15; add %r15,%rax\n"
	"	movzbl everything_data+16(%rip),%edx; add %rdx,%rax\n"
	"	addq $5,everything_data+24(%rip); subq $5,everything_data+24(%rip)\n"
	"	lea everything_data+32(%rip),%r8; add (%r8),%rax\n"
	"	movq everything_data+40(%rip),%xmm1; movq %xmm1,%rdx; add %rdx,%rax\n"
	"	lock xaddq %rdx,everything_data+48(%rip)\n"
	"	lock subq %rdx,everything_data+48(%rip)\n"
	"	push everything_data+56(%rip); pop %rdx; add %rdx,%rax\n"
	"	call 1f\n"
	"1:	pop %rdx; lea 1b(%rip),%r9; sub %r9,%rdx; add %rdx,%rax\n"
	"	lea 2f(%rip),%r9; call *%r9\n"
	"	push %r9; call *(%rsp); pop %r9\n"
	"	push %r9; push $0; call *8(%rsp); pop %r10; pop %r9\n"
	"	mov $5,%ecx\n"
	"3:	add %rcx,%rax; loop 3b\n"
	"	jrcxz 4f; ud2\n"
	"4:	cmp %rax,%rax; jne 5f; stc; jc 6f\n"
	"5:	ud2\n"
	"6:	mov $8,%ecx; cld; mov %rbx,%rsi; lea 1024(%rbx),%rdi; rep movsq\n"
	"	std; mov $3,%ecx; lea 1080(%rbx),%rdi; rep stosq; cld\n"
	"	mov 1080(%rbx),%rdx; xor %rdx,%rax\n"
	"	mov %fs:0,%rdx; cmp %fs:0,%rdx; setne %dl; movzbl %dl,%edx\n"
	"	add %rdx,%rax\n"
	"	mov %rax,-8(%rsp); mov %rax,-128(%rsp)\n" /* the red zone */
	"	nop; add -8(%rsp),%rax; add -128(%rsp),%rax\n"
	"	bt $3,%rax; rcl $1,%rax; sahf; lahf; and $0xd5ff,%eax\n"
	"	enter $32,$0; mov %rax,-8(%rbp); add -8(%rbp),%rax; leave\n"
	"	pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
	"	rep ret\n"
	"2:	add $3,%rax; ret\n"
	".size everything_asm,.-everything_asm\n"
	/* functions shorter than a jump, side by side, and functions with
	 * branches into their first bytes */
	".macro func name\n.type \\name,@function\n\\name:\n.endm\n"
	".macro end name\n.size \\name,.-\\name\n.endm\n"
	"func tiny_ret; ret; end tiny_ret\n"
	"func tiny_zero; xor %eax,%eax; ret; end tiny_zero\n"
	"func tiny_one; push $1; pop %rax; ret; end tiny_one\n"
	"func tiny_jump; jmp tiny_one; end tiny_jump\n"
	"func tiny_ibt; endbr64; ret; end tiny_ibt\n"
	"func loop_back; xor %eax,%eax\n"
	"1:	add %rdi,%rax; dec %rdi; jnz 1b; ret; end loop_back\n"
	"func loop_entry; add %rdi,%rax; dec %rdi; jnz loop_entry; ret\n"
	"	end loop_entry\n"
	"func join; test %edi,%edi; je 2f; dec %eax; jns 2f; inc %eax\n"
	"2:	ret; end join\n"
	/* like libc, which skips `lock` while there is one thread */
	"func over_lock; mov %edi,%eax; test %edi,%edi; je 1f; .byte 0xf0\n"
	"1:	addq $1,everything_data+24(%rip); lea 3(%rax,%rax),%eax\n"
	"	add $5,%eax; ret; end over_lock\n"
	/* Free Pascal fills up with zeros, which puts a decoder out of step:
	 * nothing known leads to the second function, a call to the third, and
	 * only its own jump leads over a byte to its end */
	"func padded; call 1f; ret\n"
	"	.byte 0; push %rbx; mov $7,%eax; pop %rbx; ret\n"
	"	.byte 0; 1: push %rbx; jmp 2f; .byte 0xb8\n"
	"2:	pop %rbx; ret; .skip 8,0x90; end padded\n"
	".globl everything_tiny\n.hidden everything_tiny\n"
	"func everything_tiny; push %rbx; xor %ebx,%ebx\n"
	"	call tiny_ret; call tiny_zero; add %rax,%rbx\n"
	"	call tiny_one; lea (%rax,%rbx,2),%rbx\n"
	"	call tiny_jump; lea (%rax,%rbx,2),%rbx; call tiny_ibt\n"
	"	lea tiny_ibt(%rip),%rax; call *%rax\n"
	"	mov $9,%edi; call loop_back; lea (%rax,%rbx,2),%rbx\n"
	"	mov $4,%edi; mov $100,%eax; call loop_entry\n"
	"	lea (%rax,%rbx,2),%rbx\n"
	"	xor %edi,%edi; mov $7,%eax; call join; add %rax,%rbx\n"
	"	mov $1,%edi; mov $7,%eax; call join; lea (%rax,%rbx,2),%rbx\n"
	"	mov $1,%edi; xor %eax,%eax; call join; lea (%rax,%rbx,2),%rbx\n"
	"	xor %edi,%edi; call over_lock; lea (%rax,%rbx,2),%rbx\n"
	"	mov $1,%edi; call over_lock; lea (%rax,%rbx,2),%rax\n"
	"	call padded; pop %rbx; ret; end everything_tiny\n");
/* clang-format on */

/* ---- all ---------------------------------------------------------------- */

static int
compare(const void *pa, const void *pb)
{
	uint64_t a, b;

	memcpy(&a, pa, sizeof(a));
	memcpy(&b, pb, sizeof(b));
	return (a > b) - (a < b);
}

static NOINLINE uint64_t
one_round(unsigned n, uint64_t h)
{
	static const uint8_t program[] = { 0, 1, 0, 2, 3 };
	uint64_t memory[256];
	double x = series(n % 50 + 3);
	uint64_t bits;

	for (unsigned i = 0; i < 256; i++)
		memory[i] = mix(i, n);
	for (unsigned i = 0; i < 64; i++)
		table[i] = by_switch(i + n, h + i);
	qsort(table, 64, sizeof(table[0]), compare);
	h = mix(h, table[n % 64]);
	h = mix(h, by_label(program, h));
	h = mix(h, fib(n % 10));
	h = mix(h, odd(n % 20, h));
	h = mix(h, sum(9, h, h, 1UL, 2UL, 3UL, h, 4UL, 5UL, 6UL));
	memcpy(&bits, &x, sizeof(bits));
	h = mix(h, bits);
	h = mix(h, (uint64_t)(x87(n % 7) * 1000));
	h = mix(h, by_setjmp());
	h = mix(h, by_exception());
	h = mix(h, everything_tiny());
	return mix(h, everything_asm(memory, n));
}

__attribute__((visibility("default"))) uint64_t
everything(unsigned rounds)
{
	uint64_t h = 1;

	for (unsigned i = 0; i < rounds; i++)
		h = one_round(i, h);
	return h;
}
