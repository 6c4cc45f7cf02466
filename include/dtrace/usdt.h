/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DTRACE_USDT_H
#define DTRACE_USDT_H

/*
 * Probe sites in C, C++ and assembler, for <sys/sdt.h> and the headers that
 * `dtrace -h` writes.  Names that begin with DTU_ are not for use in programs.
 *
 * A site is a nop in the text, and a note in .note.stapsdt with the address of
 * the nop, the name of the probe, and the places of the arguments:
 *
 *	address of the nop, of _.stapsdt.base, of the semaphore or 0
 *	"provider" 0 "name" 0 "4@%eax -8@-16(%rbp) 1@$5" 0
 *
 * https://sourceware.org/systemtap/wiki/UserSpaceProbeImplementation describes
 * it.  An argument is its size in bytes, negative if it is signed, and an
 * operand of the assembler.
 *
 * A site has five bytes, so that a jump fits: a nop of one byte, to which the
 * note refers, and one of four.  It is not one nop of five, because the kernel
 * replaces that by a call when the site is traced (since 6.18), and the call
 * writes below the stack pointer, where functions that call no others keep
 * variables.  Older kernels single-step nops of other lengths, at twenty times
 * the cost.
 *
 * _.stapsdt.base is a byte in loaded memory.  A note is not loaded, so if a
 * program like prelink moves the text, the change of that byte's address tells
 * how far.  Linkers that drop unused sections do not see that a note refers to
 * it, or to the semaphore; .reloc at the nop tells them.
 */
/* clang-format off */
#ifdef __ASSEMBLER__
#define DTU_LINE(a) a;
#define DTU_LINE2(a, b) a, b;
#define DTU_LINE3(a, b, c) a, b, c;
#define DTU_LINE5(a, b, c, d, e) a, b, c, d, e;
#else
#define DTU_LINE(a) DTU_STR(a) "\n"
#define DTU_LINE2(a, b) DTU_STR(a) "," DTU_STR(b) "\n"
#define DTU_LINE3(a, b, c) DTU_STR(a) "," DTU_STR(b) "," DTU_STR(c) "\n"
#define DTU_LINE5(a, b, c, d, e) \
	DTU_STR(a) "," DTU_STR(b) "," DTU_STR(c) "," DTU_STR(d) "," \
	DTU_STR(e) "\n"
#endif
#define DTU_STR(a) DTU_STR_(a)
#define DTU_STR_(a) #a

#ifdef __LP64__
#define DTU_ADDR .8byte
#else
#define DTU_ADDR .4byte
#endif

#if defined __x86_64__
#define DTU_NOP DTU_LINE5(990: .byte 0x90, 0x0f, 0x1f, 0x40, 0x00)
#elif defined __i386__
#define DTU_NOP DTU_LINE5(990: .byte 0x90, 0x8d, 0x74, 0x26, 0x00)
#endif
#ifdef DTU_NOP
#define DTU_NEEDS(symbol) DTU_LINE3(.reloc 990b, BFD_RELOC_NONE, symbol)
#else
#define DTU_NOP DTU_LINE(990: nop)
#define DTU_NEEDS(symbol)
#endif

/*
 * `provider` and `name` are strings; so is `args`: the value of DTU_ARGS_n, or
 * an assembler's own operands.  `semaphore` is a symbol, or 0.
 */
#define DTU_SITE(provider, name, semaphore, args) \
	DTU_NOP \
	DTU_NEEDS(_.stapsdt.base) \
	DTU_NEEDS(semaphore) \
	DTU_LINE3(.pushsection .note.stapsdt, "?", "note") \
	DTU_LINE(.balign 4) \
	DTU_LINE3(.4byte 992f - 991f, 994f - 993f, 3) \
	DTU_LINE(991: .asciz "stapsdt") \
	DTU_LINE(992: .balign 4) \
	DTU_LINE(993: DTU_ADDR 990b) \
	DTU_LINE(DTU_ADDR _.stapsdt.base) \
	DTU_LINE(DTU_ADDR semaphore) \
	DTU_LINE(.asciz provider) \
	DTU_LINE(.asciz name) \
	DTU_LINE(.asciz args) \
	DTU_LINE(994: .balign 4) \
	DTU_LINE(.popsection) \
	DTU_LINE(.ifndef _.stapsdt.base) \
	DTU_LINE5(.pushsection .stapsdt.base, "aG", "progbits", \
	    .stapsdt.base, comdat) \
	DTU_LINE(.weak _.stapsdt.base) \
	DTU_LINE(.hidden _.stapsdt.base) \
	DTU_LINE(_.stapsdt.base: .space 1) \
	DTU_LINE2(.size _.stapsdt.base, 1) \
	DTU_LINE(.popsection) \
	DTU_LINE(.endif)

#ifndef __ASSEMBLER__

/*
 * Size and signedness of an argument.  Arrays become pointers; pointers and
 * floating point numbers count as unsigned.
 */
#ifdef __cplusplus
extern "C++" {
template <typename T, bool E = __is_enum(T)> struct dtu_int {
	enum { is_signed = 0 };
};
template <typename T> struct dtu_int<T, true> {
	enum { is_signed = dtu_int<__underlying_type(T)>::is_signed };
};
template <> struct dtu_int<char, false> {
	enum { is_signed = static_cast<char>(-1) < static_cast<char>(1) };
};
template <> struct dtu_int<wchar_t, false> {
	enum { is_signed =
	    static_cast<wchar_t>(-1) < static_cast<wchar_t>(1) };
};
#define DTU_SIGNED_TYPE(T) \
	template <> struct dtu_int<T, false> { \
		enum { is_signed = 1 }; \
	};
DTU_SIGNED_TYPE(signed char)
DTU_SIGNED_TYPE(short)
DTU_SIGNED_TYPE(int)
DTU_SIGNED_TYPE(long)
__extension__ typedef long long dtu_longlong;
DTU_SIGNED_TYPE(dtu_longlong)
#undef DTU_SIGNED_TYPE

/* Only declared, for the types of their results. */
template <typename T> T dtu_value(T);
template <typename T> char (&dtu_sign(T))[1 + dtu_int<T>::is_signed];
}
#define DTU_VALUE(x) static_cast<__typeof__(dtu_value(x))>(x)
#define DTU_SIZE(x) (static_cast<int>(sizeof(dtu_value(x))) * \
	(sizeof(dtu_sign(x)) == 2 ? -1 : 1))
#else
#define DTU_VALUE(x) ((void)0, (x))
/* __builtin_classify_type(): integers are up to 4 */
#define DTU_INT(x) __typeof__(__builtin_choose_expr( \
	__builtin_classify_type(x) <= 4, DTU_VALUE(x), 0U))
#define DTU_SIZE(x) ((int)sizeof(__typeof__(DTU_VALUE(x))) * \
	((DTU_INT(x))-1 < (DTU_INT(x))1 ? -1 : 1))
#endif

/*
 * Constraint of an argument: a number, memory, or a register, which for a byte
 * is one of four on i386.
 */
#ifndef STAP_SDT_ARG_CONSTRAINT
#ifdef __i386__
#define STAP_SDT_ARG_CONSTRAINT noq
#else
#define STAP_SDT_ARG_CONSTRAINT nor
#endif
#endif
#define DTU_OPERAND(i, x) [dtu_size##i] "n" (DTU_SIZE(x)), \
	[dtu_arg##i] DTU_STR(STAP_SDT_ARG_CONSTRAINT) (DTU_VALUE(x))

#define DTU_ARGS_0
#define DTU_ARGS_1 %c[dtu_size1]@%[dtu_arg1]
#define DTU_ARGS_2 DTU_ARGS_1 %c[dtu_size2]@%[dtu_arg2]
#define DTU_ARGS_3 DTU_ARGS_2 %c[dtu_size3]@%[dtu_arg3]
#define DTU_ARGS_4 DTU_ARGS_3 %c[dtu_size4]@%[dtu_arg4]
#define DTU_ARGS_5 DTU_ARGS_4 %c[dtu_size5]@%[dtu_arg5]
#define DTU_ARGS_6 DTU_ARGS_5 %c[dtu_size6]@%[dtu_arg6]
#define DTU_ARGS_7 DTU_ARGS_6 %c[dtu_size7]@%[dtu_arg7]
#define DTU_ARGS_8 DTU_ARGS_7 %c[dtu_size8]@%[dtu_arg8]
#define DTU_ARGS_9 DTU_ARGS_8 %c[dtu_size9]@%[dtu_arg9]
#define DTU_ARGS_10 DTU_ARGS_9 %c[dtu_size10]@%[dtu_arg10]
#define DTU_ARGS_11 DTU_ARGS_10 %c[dtu_size11]@%[dtu_arg11]
#define DTU_ARGS_12 DTU_ARGS_11 %c[dtu_size12]@%[dtu_arg12]

#define DTU_OPERANDS_0()
#define DTU_OPERANDS_1(a1) \
	DTU_OPERAND(1, a1)
#define DTU_OPERANDS_2(a1, a2) \
	DTU_OPERANDS_1(a1), DTU_OPERAND(2, a2)
#define DTU_OPERANDS_3(a1, a2, a3) \
	DTU_OPERANDS_2(a1, a2), DTU_OPERAND(3, a3)
#define DTU_OPERANDS_4(a1, a2, a3, a4) \
	DTU_OPERANDS_3(a1, a2, a3), DTU_OPERAND(4, a4)
#define DTU_OPERANDS_5(a1, a2, a3, a4, a5) \
	DTU_OPERANDS_4(a1, a2, a3, a4), DTU_OPERAND(5, a5)
#define DTU_OPERANDS_6(a1, a2, a3, a4, a5, a6) \
	DTU_OPERANDS_5(a1, a2, a3, a4, a5), DTU_OPERAND(6, a6)
#define DTU_OPERANDS_7(a1, a2, a3, a4, a5, a6, a7) \
	DTU_OPERANDS_6(a1, a2, a3, a4, a5, a6), DTU_OPERAND(7, a7)
#define DTU_OPERANDS_8(a1, a2, a3, a4, a5, a6, a7, a8) \
	DTU_OPERANDS_7(a1, a2, a3, a4, a5, a6, a7), DTU_OPERAND(8, a8)
#define DTU_OPERANDS_9(a1, a2, a3, a4, a5, a6, a7, a8, a9) \
	DTU_OPERANDS_8(a1, a2, a3, a4, a5, a6, a7, a8), DTU_OPERAND(9, a9)
#define DTU_OPERANDS_10(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10) \
	DTU_OPERANDS_9(a1, a2, a3, a4, a5, a6, a7, a8, a9), DTU_OPERAND(10, a10)
#define DTU_OPERANDS_11(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11) \
	DTU_OPERANDS_10(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10), \
	DTU_OPERAND(11, a11)
#define DTU_OPERANDS_12(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12) \
	DTU_OPERANDS_11(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11), \
	DTU_OPERAND(12, a12)

/*
 * A site: `n` is the number of arguments, `args` has them in parentheses.  As
 * for a call, the compiler must store the memory that they point to.
 */
#define DTU_PROBE(provider, name, semaphore, n, args) \
	do { \
		__asm__ __volatile__(DTU_SITE(provider, name, semaphore, \
		    DTU_STR(DTU_ARGS_##n)) : : DTU_OPERANDS_##n args : \
		    "memory"); \
	} while (0)

#endif /* __ASSEMBLER__ */

/* clang-format on */

#endif
