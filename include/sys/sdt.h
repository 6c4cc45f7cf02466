/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SYS_SDT_H
#define SYS_SDT_H

/*
 * Probes of a program, without generated files or libraries:
 *
 *	#include <sys/sdt.h>
 *	...
 *	DTRACE_PROBE2(myserver, request__start, path, len);
 *
 * is probe myserver<pid>:::request-start, whose arg0 is path.  The macros are
 * those of SystemTap's header of this name, whose documentation is
 * https://sourceware.org/systemtap/wiki/UserSpaceProbeImplementation.
 *
 * With _SDT_HAS_SEMAPHORES defined, a probe names its semaphore, which the
 * program defines, and which is not 0 while the probe is traced:
 *
 *	__extension__ unsigned short myserver_request__start_semaphore
 *	    __attribute__((used, section(".probes")));
 */
#ifndef _SYS_SDT_H /* SystemTap's, with the same macros */
#define _SYS_SDT_H
#pragma GCC system_header /* variadic macros, in any standard */

#include "../dtrace/usdt.h"

/* clang-format off */
#ifdef _SDT_HAS_SEMAPHORES
#define DTU_SEMAPHORE(provider, name) provider##_##name##_semaphore
#else
#define DTU_SEMAPHORE(provider, name) 0
#endif

#define DTU_STR_ALL(...) DTU_STR_ALL_(__VA_ARGS__)
#define DTU_STR_ALL_(...) #__VA_ARGS__

/*
 * In assembler, or within an asm statement.  The operands are given as the
 * assembler writes them, 4@%eax 8@-16(%rbp), or by the other two macros:
 *
 *	__asm__("..." STAP_PROBE_ASM(p, n, STAP_PROBE_ASM_TEMPLATE(2))
 *	    : : STAP_PROBE_ASM_OPERANDS(2, a, b));
 */
#define STAP_PROBE_ASM(provider, name, ...) \
	DTU_SITE(DTU_STR(provider), DTU_STR(name), \
	    DTU_SEMAPHORE(provider, name), \
	    DTU_STR_ALL(__VA_ARGS__))
#define STAP_PROBE_ASM_TEMPLATE(n) DTU_ARGS_##n
#define STAP_PROBE_ASM_OPERANDS(n, ...) DTU_OPERANDS_##n(__VA_ARGS__)

#ifdef __ASSEMBLER__
#define DTU_SDT(provider, name, n, args) \
	DTU_SITE(DTU_STR(provider), DTU_STR(name), \
	    DTU_SEMAPHORE(provider, name), \
	    DTU_STR(DTU_JOIN_##n args))
#define DTU_JOIN_0()
#define DTU_JOIN_1(a1) a1
#define DTU_JOIN_2(a1, a2) a1 a2
#define DTU_JOIN_3(a1, a2, a3) a1 a2 a3
#define DTU_JOIN_4(a1, a2, a3, a4) a1 a2 a3 a4
#define DTU_JOIN_5(a1, a2, a3, a4, a5) a1 a2 a3 a4 a5
#define DTU_JOIN_6(a1, a2, a3, a4, a5, a6) a1 a2 a3 a4 a5 a6
#define DTU_JOIN_7(a1, a2, a3, a4, a5, a6, a7) a1 a2 a3 a4 a5 a6 a7
#define DTU_JOIN_8(a1, a2, a3, a4, a5, a6, a7, a8) a1 a2 a3 a4 a5 a6 a7 a8
#define DTU_JOIN_9(a1, a2, a3, a4, a5, a6, a7, a8, a9) \
	a1 a2 a3 a4 a5 a6 a7 a8 a9
#define DTU_JOIN_10(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10) \
	a1 a2 a3 a4 a5 a6 a7 a8 a9 a10
#define DTU_JOIN_11(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11) \
	a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11
#define DTU_JOIN_12(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12) \
	a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11 a12
#else
#define DTU_SDT(provider, name, n, args) \
	DTU_PROBE(DTU_STR(provider), DTU_STR(name), \
	    DTU_SEMAPHORE(provider, name), n, args)
#endif

/* Any number of arguments; the name counts as one. */
#define STAP_PROBEV(provider, ...) \
	DTU_SDTV(DTU_14TH(__VA_ARGS__, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, \
	    0, 0), provider, __VA_ARGS__)
#define DTU_SDTV(n, ...) DTU_SDTV_(n, __VA_ARGS__)
#define DTU_SDTV_(n, ...) STAP_PROBE##n(__VA_ARGS__)
#define DTU_14TH(name, a, b, c, d, e, f, g, h, i, j, k, l, n, ...) n
#define STAP_PROBE0(provider, name) STAP_PROBE(provider, name)

#define STAP_PROBE(provider, name) DTU_SDT(provider, name, 0, ())
#define DTRACE_PROBE(provider, name) STAP_PROBE(provider, name)
#define STAP_PROBE1(provider, name, a1) \
	DTU_SDT(provider, name, 1, (a1))
#define DTRACE_PROBE1(provider, name, a1) \
	STAP_PROBE1(provider, name, a1)
#define STAP_PROBE2(provider, name, a1, a2) \
	DTU_SDT(provider, name, 2, (a1, a2))
#define DTRACE_PROBE2(provider, name, a1, a2) \
	STAP_PROBE2(provider, name, a1, a2)
#define STAP_PROBE3(provider, name, a1, a2, a3) \
	DTU_SDT(provider, name, 3, (a1, a2, a3))
#define DTRACE_PROBE3(provider, name, a1, a2, a3) \
	STAP_PROBE3(provider, name, a1, a2, a3)
#define STAP_PROBE4(provider, name, a1, a2, a3, a4) \
	DTU_SDT(provider, name, 4, (a1, a2, a3, a4))
#define DTRACE_PROBE4(provider, name, a1, a2, a3, a4) \
	STAP_PROBE4(provider, name, a1, a2, a3, a4)
#define STAP_PROBE5(provider, name, a1, a2, a3, a4, a5) \
	DTU_SDT(provider, name, 5, (a1, a2, a3, a4, a5))
#define DTRACE_PROBE5(provider, name, a1, a2, a3, a4, a5) \
	STAP_PROBE5(provider, name, a1, a2, a3, a4, a5)
#define STAP_PROBE6(provider, name, a1, a2, a3, a4, a5, a6) \
	DTU_SDT(provider, name, 6, (a1, a2, a3, a4, a5, a6))
#define DTRACE_PROBE6(provider, name, a1, a2, a3, a4, a5, a6) \
	STAP_PROBE6(provider, name, a1, a2, a3, a4, a5, a6)
#define STAP_PROBE7(provider, name, a1, a2, a3, a4, a5, a6, a7) \
	DTU_SDT(provider, name, 7, (a1, a2, a3, a4, a5, a6, a7))
#define DTRACE_PROBE7(provider, name, a1, a2, a3, a4, a5, a6, a7) \
	STAP_PROBE7(provider, name, a1, a2, a3, a4, a5, a6, a7)
#define STAP_PROBE8(provider, name, a1, a2, a3, a4, a5, a6, a7, a8) \
	DTU_SDT(provider, name, 8, (a1, a2, a3, a4, a5, a6, a7, a8))
#define DTRACE_PROBE8(provider, name, a1, a2, a3, a4, a5, a6, a7, a8) \
	STAP_PROBE8(provider, name, a1, a2, a3, a4, a5, a6, a7, a8)
#define STAP_PROBE9(provider, name, a1, a2, a3, a4, a5, a6, a7, a8, a9) \
	DTU_SDT(provider, name, 9, (a1, a2, a3, a4, a5, a6, a7, a8, a9))
#define DTRACE_PROBE9(provider, name, a1, a2, a3, a4, a5, a6, a7, a8, a9) \
	STAP_PROBE9(provider, name, a1, a2, a3, a4, a5, a6, a7, a8, a9)
#define STAP_PROBE10(provider, name, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10) \
	DTU_SDT(provider, name, 10, (a1, a2, a3, a4, a5, a6, a7, a8, a9, a10))
#define DTRACE_PROBE10(provider, name, a1, a2, a3, a4, a5, a6, a7, a8, a9, \
	    a10) \
	STAP_PROBE10(provider, name, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10)
#define STAP_PROBE11(provider, name, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, \
	    a11) \
	DTU_SDT(provider, name, 11, (a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11))
#define DTRACE_PROBE11(provider, name, a1, a2, a3, a4, a5, a6, a7, a8, a9, \
	    a10, a11) \
	STAP_PROBE11(provider, name, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11)
#define STAP_PROBE12(provider, name, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, \
	    a11, a12) \
	DTU_SDT(provider, name, 12, (a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, \
	    a12))
#define DTRACE_PROBE12(provider, name, a1, a2, a3, a4, a5, a6, a7, a8, a9, \
	    a10, a11, a12) \
	STAP_PROBE12(provider, name, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12)

/* clang-format on */

#endif
#endif
