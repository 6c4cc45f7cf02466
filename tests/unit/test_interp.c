/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The meaning of each DIF instruction, from doc/reference/dif.md: programs as
 * text, run in the reference interpreter.
 */
#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "dif/dif.h"
#include "exec/interp/interp.h"

#define STRSIZE 16
#define SCRATCH 256
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Variables that every program may use. */
static const char vars[] =
    "NAME ID KND SCP FLAG TYPE\n"
    "g 500 scl glb rw D type (integer) (size 8)\n"
    "gs 501 scl glb rw string by ref (size strsize)\n"
    "gb 502 scl glb rw D type (struct) by ref (size 12)\n"
    "t 500 scl tls rw D type (integer) (size 8)\n"
    "ts 501 scl tls rw string by ref (size strsize)\n"
    "l 500 scl loc rw D type (integer) (size 8)\n"
    "ls 501 scl loc rw string by ref (size strsize)\n"
    "a 600 arr glb rw D type (integer) (size 8)\n"
    "as 601 arr glb rw string by ref (size strsize)\n"
    "ta 600 arr tls rw D type (integer) (size 8)\n";

/* Foreign memory: eight bytes of the kernel, eight of the process. */
static const uint8_t kernel_bytes[8] = { 0x80, 0x81, 0x82, 0x83, 0x84, 0x85,
	0x86, 0x87 };
static const uint8_t user_bytes[8] = { 0xf0, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6,
	0xf7 };
static const char execname[] = "interp";

enum ending {
	VALUE,
	STRING,
	BADADDR = 100 + DIF_FLT_BADADDR,
	BADALIGN = 100 + DIF_FLT_BADALIGN,
	ILLOP = 100 + DIF_FLT_ILLOP,
	DIVZERO = 100 + DIF_FLT_DIVZERO,
	NOSCRATCH = 100 + DIF_FLT_NOSCRATCH,
	KPRIV = 100 + DIF_FLT_KPRIV,
	TUPOFLOW = 100 + DIF_FLT_TUPOFLOW
};

struct prog_case {
	const char *text;
	enum ending ending;
	uint64_t value;	 /* or the fault's value */
	const char *str; /* STRING */
	uint32_t at;	 /* instruction of the fault */
};

#define MIN64 "0x8000000000000000"
#define MAX64 "0x7fffffffffffffff"
/* r1 <- a, r2 <- b, r3 <- a op b */
#define OP2(op, a, b)                                                          \
	"setx " a ", %r1\nsetx " b ", %r2\n" op " %r1, %r2, %r3\nret %r3\n"
/* 1 if the branch is taken after comparing a with b */
#define CMPBR(br, a, b)                                                        \
	"setx " a ", %r1\nsetx " b ", %r2\ncmp %r1, %r2\n" br                  \
	" yes\nret %r0\nyes: setx 1, %r3\nret %r3\n"
#define TSTBR(br, a)                                                           \
	"setx " a ", %r1\ntst %r1\n" br                                        \
	" yes\nret %r0\nyes: setx 1, %r3\nret %r3\n"
#define SCMPBR(br, a, b)                                                       \
	"sets " a ", %r1\nsets " b ", %r2\nscmp %r1, %r2\n" br                 \
	" yes\nret %r0\nyes: setx 1, %r3\nret %r3\n"
/* arg0: kernel_bytes, arg1: user_bytes */
#define LD(op) "ldgs arg0, %r1\n" op " [%r1], %r2\nret %r2\n"
#define ULD(op) "ldgs arg1, %r1\n" op " [%r1], %r2\nret %r2\n"
#define LD1(op)                                                                \
	"ldgs arg0, %r1\nsetx 1, %r2\nadd %r1, %r2, %r1\n" op                  \
	" [%r1], %r2\nret %r2\n"
/* r1 <- 16 bytes of scratch */
#define ALLOC16 "setx 16, %r1\nallocs %r1, %r1\n"
#define ST(op)                                                                 \
	ALLOC16 "setx 0x1122334455667788, %r2\n" op                            \
		" %r2, [%r1]\nldx [%r1], %r3\nret %r3\n"
#define PUSHS(s) "sets " s ", %r1\npushtr DT_TYPE(1), %r0, %r1\n"
#define PUSHV(v) "setx " v ", %r1\npushtv DT_TYPE(0), %r0, %r1\n"
#define PUSH8                                                                  \
	PUSHV("1")                                                             \
	PUSHV("2")                                                             \
	PUSHV("3") PUSHV("4") PUSHV("5") PUSHV("6") PUSHV("7") PUSHV("8")

/* clang-format off */
static const struct prog_case cases[] = {
	/* arithmetic is modulo 2^64 */
	{ OP2("or", "5", "0x30"), VALUE, .value = 0x35 },
	{ OP2("xor", "7", "5"), VALUE, .value = 2 },
	{ OP2("and", "12", "10"), VALUE, .value = 8 },
	{ OP2("add", "0xffffffffffffffff", "3"), VALUE, .value = 2 },
	{ OP2("sub", "3", "5"), VALUE, .value = (uint64_t)-2 },
	{ OP2("mul", "0x100000001", "0x100000001"), VALUE, .value = 0x200000001 },
	{ "setx 5, %r1\nnot %r1, %r2\nret %r2", VALUE, .value = ~(uint64_t)5 },
	{ "setx 9, %r1\nmov %r1, %r2\nret %r2", VALUE, .value = 9 },
	{ "nop\nret %r0", VALUE, .value = 0 },
	/* shift counts are taken modulo 64 */
	{ OP2("sll", "3", "4"), VALUE, .value = 48 },
	{ OP2("sll", "3", "64"), VALUE, .value = 3 },
	{ OP2("sll", "3", "65"), VALUE, .value = 6 },
	{ OP2("srl", MIN64, "63"), VALUE, .value = 1 },
	{ OP2("srl", "8", "0xffffffffffffffc1"), VALUE, .value = 4 },
	{ OP2("sra", MIN64, "63"), VALUE, .value = (uint64_t)-1 },
	{ OP2("sra", MIN64, "64"), VALUE, .value = (uint64_t)INT64_MIN },
	/* division truncates; a remainder has the dividend's sign */
	{ OP2("sdiv", "7", "0xfffffffffffffffe"), VALUE, .value = (uint64_t)-3 },
	{ OP2("sdiv", "0xfffffffffffffff9", "2"), VALUE, .value = (uint64_t)-3 },
	{ OP2("sdiv", MIN64, "0xffffffffffffffff"), VALUE, .value = (uint64_t)INT64_MIN },
	{ OP2("sdiv", MIN64, "1"), VALUE, .value = (uint64_t)INT64_MIN },
	{ OP2("sdiv", "5", MIN64), VALUE, .value = 0 },
	{ OP2("srem", "7", "0xfffffffffffffffe"), VALUE, .value = 1 },
	{ OP2("srem", "0xfffffffffffffff9", "2"), VALUE, .value = (uint64_t)-1 },
	{ OP2("srem", MIN64, "0xffffffffffffffff"), VALUE, .value = 0 },
	{ OP2("udiv", "0xfffffffffffffff9", "2"), VALUE, .value = 0x7ffffffffffffffc },
	{ OP2("urem", "0xffffffffffffffff", "10"), VALUE, .value = 5 },
	{ OP2("sdiv", "7", "0"), DIVZERO, 0, .at = 2 },
	{ OP2("udiv", "7", "0"), DIVZERO, 0, .at = 2 },
	{ OP2("srem", "7", "0"), DIVZERO, 0, .at = 2 },
	{ OP2("urem", "7", "0"), DIVZERO, 0, .at = 2 },
	/* branches after CMP: signed ones are right where r1 - r2 overflows */
	{ CMPBR("be", "3", "3"), VALUE, .value = 1 },
	{ CMPBR("be", "3", "4"), VALUE, .value = 0 },
	{ CMPBR("bne", "3", "4"), VALUE, .value = 1 },
	{ CMPBR("bne", "4", "4"), VALUE, .value = 0 },
	{ CMPBR("bg", "1", "0xffffffffffffffff"), VALUE, .value = 1 },
	{ CMPBR("bg", "1", "1"), VALUE, .value = 0 },
	{ CMPBR("bg", MAX64, MIN64), VALUE, .value = 1 },
	{ CMPBR("bg", MIN64, MAX64), VALUE, .value = 0 },
	{ CMPBR("bgu", "1", "0xffffffffffffffff"), VALUE, .value = 0 },
	{ CMPBR("bgu", MIN64, MAX64), VALUE, .value = 1 },
	{ CMPBR("bge", "1", "1"), VALUE, .value = 1 },
	{ CMPBR("bge", MIN64, "1"), VALUE, .value = 0 },
	{ CMPBR("bgeu", "1", "1"), VALUE, .value = 1 },
	{ CMPBR("bgeu", "0", "0xffffffffffffffff"), VALUE, .value = 0 },
	{ CMPBR("bl", MIN64, "1"), VALUE, .value = 1 },
	{ CMPBR("bl", "1", "1"), VALUE, .value = 0 },
	{ CMPBR("blu", MIN64, "1"), VALUE, .value = 0 },
	{ CMPBR("blu", "1", "2"), VALUE, .value = 1 },
	{ CMPBR("ble", "0xffffffffffffffff", "0"), VALUE, .value = 1 },
	{ CMPBR("ble", "1", "0"), VALUE, .value = 0 },
	{ CMPBR("bleu", "0xffffffffffffffff", "0"), VALUE, .value = 0 },
	{ CMPBR("bleu", "5", "5"), VALUE, .value = 1 },
	{ "setx 1, %r1\nba out\nsetx 2, %r1\nout: ret %r1", VALUE, .value = 1 },
	/* after TST n, v and c are clear: not 0 is above 0 */
	{ TSTBR("be", "0"), VALUE, .value = 1 },
	{ TSTBR("bne", "5"), VALUE, .value = 1 },
	{ TSTBR("bg", "0xffffffffffffffff"), VALUE, .value = 1 },
	{ TSTBR("bgu", "5"), VALUE, .value = 1 },
	{ TSTBR("bl", "0xffffffffffffffff"), VALUE, .value = 0 },
	{ TSTBR("blu", "0"), VALUE, .value = 0 },
	/* the flags start clear: z says "differs", n and c say "not below" */
	{ "bne yes\nret %r0\nyes: setx 1, %r1\nret %r1", VALUE, .value = 1 },
	{ "bl yes\nret %r0\nyes: setx 1, %r1\nret %r1", VALUE, .value = 0 },
	/* strings compare by bytes; NULL is the empty string */
	{ SCMPBR("be", "\"abc\"", "\"abc\""), VALUE, .value = 1 },
	{ SCMPBR("bl", "\"abc\"", "\"abd\""), VALUE, .value = 1 },
	{ SCMPBR("bg", "\"b\"", "\"abc\""), VALUE, .value = 1 },
	{ SCMPBR("bg", "\"\\377\"", "\"a\""), VALUE, .value = 1 },
	{ SCMPBR("blu", "\"a\"", "\"b\""), VALUE, .value = 0 },
	{ SCMPBR("be", "\"aaaabbbbccccdddd1\"", "\"aaaabbbbccccdddd2\""),
	    VALUE, .value = 1 },
	{ "sets \"\", %r1\nscmp %r0, %r1\nbe yes\nret %r0\n"
	  "yes: setx 1, %r3\nret %r3\n", VALUE, .value = 1 },
	{ "setx 8, %r1\nscmp %r1, %r0\nret %r0", BADADDR, 8, .at = 1 },
	/* loads */
	{ LD("ldsb"), VALUE, .value = 0xffffffffffffff80 },
	{ LD("ldsh"), VALUE, .value = 0xffffffffffff8180 },
	{ LD("ldsw"), VALUE, .value = 0xffffffff83828180 },
	{ LD("ldub"), VALUE, .value = 0x80 },
	{ LD("lduh"), VALUE, .value = 0x8180 },
	{ LD("lduw"), VALUE, .value = 0x83828180 },
	{ LD("ldx"), VALUE, .value = 0x8786858483828180 },
	{ LD1("lduw"), VALUE, .value = 0x84838281 },
	{ LD("rldsb"), VALUE, .value = 0xffffffffffffff80 },
	{ LD("rldsh"), VALUE, .value = 0xffffffffffff8180 },
	{ LD("rldsw"), VALUE, .value = 0xffffffff83828180 },
	{ LD("rldub"), VALUE, .value = 0x80 },
	{ LD("rlduh"), VALUE, .value = 0x8180 },
	{ LD("rlduw"), VALUE, .value = 0x83828180 },
	{ LD("rldx"), VALUE, .value = 0x8786858483828180 },
	{ ULD("uldsb"), VALUE, .value = 0xfffffffffffffff0 },
	{ ULD("uldsh"), VALUE, .value = 0xfffffffffffff1f0 },
	{ ULD("uldsw"), VALUE, .value = 0xfffffffff3f2f1f0 },
	{ ULD("uldub"), VALUE, .value = 0xf0 },
	{ ULD("ulduh"), VALUE, .value = 0xf1f0 },
	{ ULD("ulduw"), VALUE, .value = 0xf3f2f1f0 },
	{ ULD("uldx"), VALUE, .value = 0xf7f6f5f4f3f2f1f0 },
	{ "setx 0x10, %r1\nldub [%r1], %r2\nret %r2", BADADDR, 0x10, .at = 1 },
	{ "ldub [%r0], %r2\nret %r2", BADADDR, 0, .at = 0 },
	{ "setx 0xffffffffffffffff, %r1\nldx [%r1], %r2\nret %r2", BADADDR,
	    UINT64_MAX, .at = 1 },
	{ "setx 0x10, %r1\nuldx [%r1], %r2\nret %r2", BADADDR, 0x10, .at = 1 },
	/* stores: to own memory only, aligned */
	{ ST("stb"), VALUE, .value = 0x88 },
	{ ST("sth"), VALUE, .value = 0x7788 },
	{ ST("stw"), VALUE, .value = 0x55667788 },
	{ ST("stx"), VALUE, .value = 0x1122334455667788 },
	{ "ldgs arg0, %r1\nstb %r0, [%r1]\nret %r0", BADADDR, ~(uint64_t)0,
	    .at = 1 },
	{ "setx 0x1002, %r1\nstw %r0, [%r1]\nret %r0", BADALIGN, 0x1002,
	    .at = 1 },
	{ "setx 0x1004, %r1\nstx %r0, [%r1]\nret %r0", BADALIGN, 0x1004,
	    .at = 1 },
	{ "setx 0x1001, %r1\nsth %r0, [%r1]\nret %r0", BADALIGN, 0x1001,
	    .at = 1 },
	/* ALLOCS zeroes, at multiples of 8 */
	{ "setx 3, %r1\nallocs %r1, %r2\nallocs %r1, %r3\nsub %r3, %r2, %r1\n"
	  "ret %r1", VALUE, .value = 8 },
	{ ALLOC16 "ldx [%r1], %r2\nret %r2", VALUE, .value = 0 },
	{ "setx 256, %r1\nallocs %r1, %r2\nsetx 1, %r1\nallocs %r1, %r2\n"
	  "ret %r2", NOSCRATCH, 1, .at = 3 },
	{ "setx 0xfffffffffffffff8, %r1\nallocs %r1, %r2\nret %r2", NOSCRATCH,
	    0xfffffffffffffff8, .at = 1 },
	/* COPYS: from r1 to rd, r2 bytes */
	{ ALLOC16 "ldgs arg0, %r2\nsetx 3, %r3\ncopys %r2, %r3, %r1\n"
	  "ldx [%r1], %r4\nret %r4", VALUE, .value = 0x828180 },
	{ ALLOC16 "setx 3, %r3\ncopys %r3, %r3, %r1\nret %r0", BADADDR, 3,
	    .at = 3 },
	{ "setx 0x2000, %r1\nsets \"abc\", %r2\nsetx 3, %r3\n"
	  "copys %r2, %r3, %r1\nret %r0", BADADDR, 0x2000, .at = 3 },
	{ "setx 1, %r1\nsetx 2, %r2\ncopys %r1, %r0, %r2\nret %r0", VALUE, .value = 0 },
	/* constants, built-in variables, args[] */
	{ "sets \"tail\", %r1\nret %r1", STRING, .str = "tail" },
	{ "ldgs pid, %r1\nret %r1", VALUE, .value = 4711 },
	{ "ldgs execname, %r1\nret %r1", STRING, .str = "interp" },
	{ "ldls pid, %r1\nret %r1", VALUE, .value = 0 },
	{ "setx 2, %r1\nldga args, %r1, %r2\nret %r2", VALUE, .value = 32 },
	{ "setx 10, %r1\nldga args, %r1, %r2\nret %r2", VALUE, .value = 0 },
	{ "ldta args, %r0, %r1\nret %r1", ILLOP, 0, .at = 0 },
	/* variables */
	{ "ldgs 0x500, %r1\nret %r1", VALUE, .value = 0 },
	{ "setx 5, %r1\nstgs %r1, 0x500\nldgs 0x500, %r2\nret %r2", VALUE, .value = 5 },
	{ "ldts 0x500, %r1\nret %r1", VALUE, .value = 0 },
	{ "setx 6, %r1\nstts %r1, 0x500\nldts 0x500, %r2\nret %r2", VALUE, .value = 6 },
	{ "stts %r0, 0x500\nldts 0x500, %r2\nret %r2", VALUE, .value = 0 },
	{ "setx 7, %r1\nstls %r1, 0x500\nldls 0x500, %r2\nret %r2", VALUE, .value = 7 },
	/* by reference: a copy is stored; storing 0 stores NULL; an unset one
	 * is NULL */
	{ "ldgs 0x501, %r1\nret %r1", VALUE, .value = 0 },
	{ "sets \"abc\", %r1\nstgs %r1, 0x501\nldgs 0x501, %r2\nret %r2",
	    STRING, .str = "abc" },
	{ "sets \"abc\", %r1\nstgs %r1, 0x501\nstgs %r0, 0x501\n"
	  "ldgs 0x501, %r2\nret %r2", VALUE, .value = 0 },
	{ "sets \"t\", %r1\nstts %r1, 0x501\nldts 0x501, %r2\nret %r2",
	    STRING, .str = "t" },
	{ "sets \"l\", %r1\nstls %r1, 0x501\nldls 0x501, %r2\nret %r2",
	    STRING, .str = "l" },
	{ "sets \"0123456789abcdefXYZ\", %r1\nstgs %r1, 0x501\n"
	  "ldgs 0x501, %r2\nret %r2", STRING, .str = "0123456789abcde" },
	{ "sets \"0123456789ab\", %r1\nstgs %r1, 0x502\nldgs 0x502, %r2\n"
	  "ldub [%r2], %r3\nret %r3", VALUE, .value = '0' },
	{ "setx 8, %r1\nstgs %r1, 0x501\nret %r0", BADADDR, 8, .at = 1 },
	{ "sets \"abcdef\", %r1\nstgs %r1, 0x501\nldgs 0x501, %r2\n"
	  "setx 0x58, %r3\nstb %r3, [%r2]\nldgs 0x501, %r2\nret %r2",
	    STRING, .str = "Xbcdef" },
	/* the tuple stack */
	{ PUSHV("1") PUSHV("2") "popts\n" PUSHV("16")
	  "call lltostr, %r2\nret %r2", STRING, .str = "0x1" },
	{ PUSHS("\"abc\"") "flushts\n" PUSHS("\"abcde\"")
	  "call strlen, %r2\nret %r2", VALUE, .value = 5 },
	{ PUSH8 "pushtv DT_TYPE(0), %r0, %r1\nret %r0", TUPOFLOW, 0,
	    .at = 16 },
	{ PUSH8 "pushtr DT_TYPE(1), %r0, %r1\nret %r0", TUPOFLOW, 0,
	    .at = 16 },
	{ "setx " MIN64 ", %r1\npushtr DT_TYPE(0), %r1, %r0\nret %r0", ILLOP,
	    (uint64_t)INT64_MIN, .at = 1 },
	/* a call does not pop the stack */
	{ PUSHS("\"ab\"") "call strlen, %r2\ncall strlen, %r3\n"
	  "add %r2, %r3, %r2\nret %r2", VALUE, .value = 4 },
	/* associative arrays: the whole stack is the key; 0 deletes */
	{ PUSHV("1") "ldgaa 0x600, %r1\nret %r1", VALUE, .value = 0 },
	{ PUSHV("1") "setx 7, %r2\nstgaa %r2, 0x600\nldgaa 0x600, %r3\n"
	  "ret %r3", VALUE, .value = 7 },
	{ PUSHV("1") "setx 7, %r2\nstgaa %r2, 0x600\nflushts\n" PUSHV("2")
	  "ldgaa 0x600, %r3\nret %r3", VALUE, .value = 0 },
	{ PUSHV("1") "setx 7, %r2\nstgaa %r2, 0x600\nstgaa %r0, 0x600\n"
	  "ldgaa 0x600, %r3\nret %r3", VALUE, .value = 0 },
	{ PUSHS("\"k\"") PUSHV("3") "setx 8, %r2\nsttaa %r2, 0x600\nflushts\n"
	  PUSHS("\"k\"") PUSHV("3") "ldtaa 0x600, %r3\nret %r3", VALUE, .value = 8 },
	{ PUSHS("\"k\"") "setx 8, %r2\nsttaa %r2, 0x600\nldgaa 0x600, %r3\n"
	  "ret %r3", VALUE, .value = 0 },
	{ PUSHS("\"ab\"") PUSHS("\"c\"") "setx 8, %r2\nstgaa %r2, 0x600\n"
	  "flushts\n" PUSHS("\"a\"") PUSHS("\"bc\"") "ldgaa 0x600, %r3\n"
	  "ret %r3", VALUE, .value = 0 },
	{ PUSHV("1") "sets \"text\", %r2\nstgaa %r2, 0x601\n"
	  "ldgaa 0x601, %r3\nret %r3", STRING, .str = "text" },
	{ "setx 4, %r1\nsets \"abcd\", %r2\npushtr DT_TYPE(0), %r1, %r2\n"
	  "stgaa %r1, 0x600\nflushts\nsets \"abcdX\", %r2\n"
	  "pushtr DT_TYPE(0), %r1, %r2\nldgaa 0x600, %r3\nret %r3", VALUE, .value = 4 },
	/* ... of a string, at most the size that is given */
	{ "setx 2, %r1\nsets \"abcd\", %r2\npushtr DT_TYPE(1), %r1, %r2\n"
	  "stgaa %r1, 0x600\nflushts\n" PUSHS("\"ab\"")
	  "ldgaa 0x600, %r3\nret %r3", VALUE, .value = 2 },
	{ "setx 24, %r1\nsets \"abcd\", %r2\npushtr DT_TYPE(0), %r1, %r2\n"
	  "ldgaa 0x600, %r3\nret %r3", ILLOP, 24, .at = 3 },
	{ "setx 8, %r1\npushtr DT_TYPE(1), %r0, %r1\nldgaa 0x600, %r3\n"
	  "ret %r3", BADADDR, 8, .at = 2 },
	{ "setx 8, %r1\npushtr DT_TYPE(1), %r0, %r1\nldtaa 0x600, %r3\n"
	  "ret %r3", BADADDR, 8, .at = 2 },
	{ PUSHV("1") "setx 8, %r1\nstgaa %r1, 0x601\nret %r0", BADADDR, 8,
	    .at = 3 },
	/* subroutines that have no function of their own */
	{ PUSHV("0x11223344") "call htons, %r2\nret %r2", VALUE, .value = 0x4433 },
	{ PUSHV("0x11223344") "call ntohl, %r2\nret %r2", VALUE, .value = 0x44332211 },
	{ PUSHV("1") "call htonll, %r2\nret %r2", VALUE, .value = 1ULL << 56 },
	{ PUSHS("\"a/b\"") "call basename, %r2\nret %r2", STRING, .str = "b" },
	{ PUSHS("\"ab\"") PUSHS("\"cd\"") "call strjoin, %r2\nret %r2",
	    STRING, .str = "abcd" },
	{ "setx 8, %r1\npushtr DT_TYPE(1), %r0, %r1\ncall strlen, %r2\n"
	  "ret %r2", BADADDR, 8, .at = 2 },
};
/* clang-format on */

static struct dif_obj *
assemble(const char *text)
{
	struct err err = { 0 };
	char *all = mem_printf("DIFO returns D type (integer) "
			       "(size 8)\n%s\n%s",
	    text, vars);
	struct dif_obj *dp = NULL;

	if (dif_assemble(all, strlen(all), &dp, &err) != 0 ||
	    dif_verify(dp, &err) != 0)
		fail_msg("%s\n%s", err.text, text);
	free(all);
	return dp;
}

struct env {
	struct in_firing firing;
	struct rt_range kernel[2], user;
	struct in_opts opts;
};

static uint64_t
addr_of(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

static void
env_init(struct env *e)
{
	memset(e, 0, sizeof(*e));
	e->kernel[0] =
	    (struct rt_range){ .addr = addr_of(kernel_bytes), .size = 8 };
	e->kernel[1] = (struct rt_range){ .addr = addr_of(execname),
		.size = sizeof(execname) };
	e->user = (struct rt_range){ .addr = addr_of(user_bytes), .size = 8 };
	e->opts = (struct in_opts){ .strsize = STRSIZE,
		.scratchsize = SCRATCH,
		.dynvarsize = 4096,
		.kernel = { e->kernel, 2 },
		.user = { &e->user, 1 } };
	e->firing.vars[RT_VAR_PID] = 4711;
	e->firing.vars[RT_VAR_EXECNAME] = addr_of(execname);
	e->firing.vars[RT_VAR_ARG0] = addr_of(kernel_bytes);
	e->firing.vars[RT_VAR_ARG1] = addr_of(user_bytes);
	e->firing.args[2] = 32;
	e->firing.thread = 1;
}

static struct in_machine *
machine(const struct env *e, const struct dif_obj *const *objs, uint32_t n)
{
	struct err err = { 0 };
	struct in_machine *m = in_machine_create(&e->opts, objs, n, &err);

	if (m == NULL)
		fail_msg("%s", err.text);
	return m;
}

static void
note_op(
    void *arg, uint32_t obj, uint32_t pc, const uint64_t *regs, uint32_t depth)
{
	struct {
		bool seen[256];
		const struct dif_obj *dp;
	} *ops = arg;

	(void)obj;
	assert_int_equal(regs[0], 0);
	assert_true(depth <= DIF_NTREGS);
	ops->seen[dif_instr_op(ops->dp->text[pc])] = true;
}

static void
check_ending(struct in_machine *m, const struct prog_case *pc,
    const struct in_result *res)
{
	char str[STRSIZE + 1] = { 0 };

	if (pc->ending < 100 && res->is_fault)
		fail_msg("fault %d at %u, value %llx:\n%s", res->fault,
		    res->offset / 4, (unsigned long long)res->value, pc->text);
	if (pc->ending == VALUE) {
		assert_int_equal(res->value, pc->value);
	} else if (pc->ending == STRING) {
		assert_int_equal(in_read_str(m, str, res->value, STRSIZE), 0);
		assert_string_equal(str, pc->str);
	} else {
		assert_true(res->is_fault);
		assert_int_equal(res->fault, pc->ending - 100);
		assert_int_equal(res->offset, 4 * pc->at);
		/* ~0 stands for an address that differs from run to run */
		if (pc->value != ~(uint64_t)0)
			assert_int_equal(res->value, pc->value);
	}
}

/* Run every program; together they have every instruction that may run. */
static void
test_cases(void **state)
{
	struct {
		bool seen[256];
		const struct dif_obj *dp;
	} ops = { 0 };
	struct env e;

	(void)state;
	env_init(&e);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct dif_obj *dp = assemble(cases[i].text);
		const struct dif_obj *objs[] = { dp };
		struct in_machine *m = machine(&e, objs, 1);
		struct in_result res;

		ops.dp = dp;
		in_watch(m, note_op, &ops);
		in_fire(m, &e.firing);
		in_run(m, 0, &res);
		check_ending(m, &cases[i], &res);
		in_machine_destroy(m);
		dif_obj_destroy(dp);
	}
	for (unsigned op = 0; op < 256; op++) {
		if (dif_opinfo[op].mnem != NULL && op != DIF_OP_XLATE &&
		    op != DIF_OP_XLARG && !ops.seen[op])
			fail_msg("no case runs %s", dif_opinfo[op].mnem);
	}
}

/* The life of each kind of variable: objects, firings, threads. */
static void
test_lifetimes(void **state)
{
	static const char set[] =
	    "setx 5, %r1\nstgs %r1, 0x500\n"
	    "stts %r1, 0x500\nstls %r1, 0x500\npushtv DT_TYPE(0), %r0, %r1\n"
	    "sttaa %r1, 0x600\nret %r0";
	/* global | thread << 8 | local << 16 | array << 24 */
	static const char get[] =
	    "setx 5, %r1\npushtv DT_TYPE(0), %r0, %r1\n"
	    "ldgs 0x500, %r1\nldts 0x500, %r2\nsetx 8, %r3\n"
	    "sll %r2, %r3, %r2\nor %r1, %r2, %r1\nldls 0x500, %r2\n"
	    "setx 16, %r3\nsll %r2, %r3, %r2\nor %r1, %r2, %r1\n"
	    "ldtaa 0x600, %r2\nsetx 24, %r3\nsll %r2, %r3, %r2\n"
	    "or %r1, %r2, %r1\nret %r1";
	struct dif_obj *objs[] = { assemble(set), assemble(get) };
	struct in_machine *m;
	struct in_result res;
	struct env e;

	(void)state;
	env_init(&e);
	m = machine(&e, (const struct dif_obj *const *)objs, 2);
	in_fire(m, &e.firing);
	in_run(m, 0, &res);
	in_run(m, 1, &res);
	assert_int_equal(res.value, 0x05050505);
	in_fire(m, &e.firing);
	in_run(m, 1, &res);
	assert_int_equal(res.value, 0x05000505);
	e.firing.thread = 2;
	in_fire(m, &e.firing);
	in_run(m, 1, &res);
	assert_int_equal(res.value, 0x00000005);
	e.firing.thread = 1;
	in_fire(m, &e.firing);
	in_run(m, 1, &res);
	assert_int_equal(res.value, 0x05000505);
	in_machine_destroy(m);
	dif_obj_destroy(objs[0]);
	dif_obj_destroy(objs[1]);
}

/* Scratch memory lasts for all objects of a clause. */
static void
test_scratch(void **state)
{
	struct dif_obj *dp = assemble("setx 128, %r1\nallocs %r1, %r2\n"
				      "ret %r2");
	const struct dif_obj *objs[] = { dp };
	struct in_machine *m;
	struct in_result res;
	struct env e;

	(void)state;
	env_init(&e);
	m = machine(&e, objs, 1);
	in_fire(m, &e.firing);
	for (int clause = 0; clause < 2; clause++) {
		in_clause(m, 1);
		for (int i = 0; i < 3; i++) {
			in_run(m, 0, &res);
			assert_int_equal(res.is_fault, i == 2);
		}
		assert_int_equal(res.fault, DIF_FLT_NOSCRATCH);
		assert_int_equal(res.value, 128);
	}
	in_machine_destroy(m);
	dif_obj_destroy(dp);
}

/* Without permission to read kernel memory, only own memory is readable. */
static void
test_hidden_kernel(void **state)
{
	static const struct prog_case hidden[] = {
		{ LD("ldub"), KPRIV, ~(uint64_t)0, .at = 1 },
		{ LD("rldx"), KPRIV, ~(uint64_t)0, .at = 1 },
		{ ULD("uldub"), VALUE, .value = 0xf0 },
		{ "sets \"x\", %r1\nrldub [%r1], %r2\nret %r2", VALUE,
		    .value = 'x' },
		{ ALLOC16 "rldx [%r1], %r2\nret %r2", VALUE, .value = 0 },
		{ "sets \"x\", %r1\nstgs %r1, 0x501\nldgs 0x501, %r1\n"
		  "rldub [%r1], %r2\nret %r2",
		    VALUE, .value = 'x' },
	};
	struct env e;

	(void)state;
	env_init(&e);
	e.opts.hides_kernel = true;
	for (size_t i = 0; i < COUNT(hidden); i++) {
		struct dif_obj *dp = assemble(hidden[i].text);
		const struct dif_obj *objs[] = { dp };
		struct in_machine *m = machine(&e, objs, 1);
		struct in_result res;

		in_fire(m, &e.firing);
		in_run(m, 0, &res);
		check_ending(m, &hidden[i], &res);
		in_machine_destroy(m);
		dif_obj_destroy(dp);
	}
}

/* ---- pointers given to subroutines --------------------------------------- */

#define NPARAMS 4
#define WILD 0xdead000000000120ULL

/* The kind of a parameter, from its type in the prototype. */
enum param { P_NUMBER, P_STRING, P_POINTER, P_USER };

struct params {
	enum param v[NPARAMS];
	unsigned n;
};

static enum param
param_of(const char *type)
{
	return strstr(type, "string") != NULL ? P_STRING :
	    strchr(type, '*') != NULL	      ? P_POINTER :
	    strstr(type, "uintptr_t") != NULL ? P_USER :
						P_NUMBER;
}

/* Collect the parameters that are not optional. */
static void
parse_params(const char *proto, struct params *ps)
{
	const char *p = strchr(proto, '(');
	char text[128], *rest, *type;

	assert_true(p != NULL && strlen(p) < sizeof(text));
	strcpy(text, p + 1);
	ps->n = 0;
	for (rest = text; (type = strtok_r(rest, ",)", &rest)) != NULL;) {
		if (strchr(type, '[') == NULL && ps->n < NPARAMS)
			ps->v[ps->n++] = param_of(type);
	}
}

/* An object that calls a subroutine with valid arguments, except for `addr` as
 * parameter `victim`. */
static struct dif_obj *
call_with(
    uint32_t subr, const struct params *ps, unsigned victim, uint64_t addr)
{
	static const char *const fine[] = {
		[P_NUMBER] = "setx 2, %r1\n", /* AF_INET, too */
		[P_STRING] = "sets \"/a\", %r1\n",
		[P_POINTER] = "setx 64, %r1\nallocs %r1, %r1\n",
		[P_USER] = "ldgs arg1, %r1\n",
	};
	struct strbuf text = { 0 };
	struct dif_obj *dp;

	for (unsigned i = 0; i < ps->n; i++) {
		if (i == victim)
			strbuf_printf(&text, "setx 0x%llx, %%r1\n",
			    (unsigned long long)addr);
		else if (subr == DIF_SUBR_LINK_NTOP)
			strbuf_printf(&text, "setx 1, %%r1\n"); /* Ethernet */
		else
			strbuf_printf(&text, "%s", fine[ps->v[i]]);
		strbuf_printf(&text, "pushtv DT_TYPE(0), %%r0, %%r1\n");
	}
	strbuf_printf(&text, "call %u, %%r2\nret %%r2\n", subr);
	dp = assemble(text.s);
	strbuf_fini(&text);
	return dp;
}

static struct in_result
result_with(struct env *e, uint32_t subr, const struct params *ps,
    unsigned victim, uint64_t addr)
{
	struct dif_obj *dp = call_with(subr, ps, victim, addr);
	const struct dif_obj *objs[] = { dp };
	struct in_machine *m = machine(e, objs, 1);
	struct in_result res;

	in_fire(m, &e->firing);
	in_run(m, 0, &res);
	in_machine_destroy(m);
	dif_obj_destroy(dp);
	return res;
}

static void
check_bad(const char *name, unsigned victim, const struct in_result *res,
    uint64_t addr)
{
	if (res->is_fault && res->fault == DIF_FLT_BADADDR &&
	    res->value == addr)
		return;
	fail_msg("%s(): argument %u is 0x%llx: fault %d (%d), value 0x%llx",
	    name, victim + 1, (unsigned long long)addr, res->is_fault,
	    res->fault, (unsigned long long)res->value);
}

/* Test one pointer parameter of one subroutine. */
static void
check_pointer(struct env *e, uint32_t subr, const char *name,
    const struct params *ps, unsigned i)
{
	/* the subroutine writes to these, and reads the others */
	bool is_written = (subr == DIF_SUBR_BCOPY && i == 1) ||
	    (subr == DIF_SUBR_COPYINTO && i == 2);
	struct in_result res = result_with(e, subr, ps, i, WILD);

	check_bad(name, i, &res, WILD);
	res = result_with(e, subr, ps, i, addr_of(execname));
	if (is_written)
		check_bad(name, i, &res, addr_of(execname));
	else if (ps->v[i] == P_STRING && res.is_fault &&
	    res.value == addr_of(execname))
		fail_msg("%s() does not read execname", name);
	if (ps->v[i] == P_USER)
		return;
	e->opts.hides_kernel = true;
	res = result_with(e, subr, ps, i, addr_of(execname));
	e->opts.hides_kernel = false;
	check_bad(name, i, &res, addr_of(execname));
}

/*
 * doc/reference/dif.md section 6 holds for each pointer that a subroutine gets:
 * it reads only own memory or permitted memory of the kernel and the process,
 * and writes only own memory.
 */
static void
test_pointer_arguments(void **state)
{
	static const struct {
		uint32_t subr;
		const char *name, *proto;
	} subrs[] = {
#define DIF_SUBR(id, NAME, name, proto, flags) { id, name, proto },
#include "dif/dif_subrs.def"
#undef DIF_SUBR
	};
	unsigned npointers = 0;
	struct params ps;
	struct env e;

	(void)state;
	env_init(&e);
	for (size_t i = 0; i < COUNT(subrs); i++) {
		/* memref() only stores the address, for printm() */
		if (subrs[i].subr == DIF_SUBR_MEMREF)
			continue;
		parse_params(subrs[i].proto, &ps);
		for (unsigned k = 0; k < ps.n; k++) {
			if (ps.v[k] == P_NUMBER)
				continue;
			check_pointer(&e, subrs[i].subr, subrs[i].name, &ps, k);
			npointers++;
		}
	}
	assert_true(npointers > 40);
}

/* A full pool drops new elements, counts them, and keeps the old ones. */
static void
test_dynvar_drops(void **state)
{
	struct dif_obj *objs[] = {
		assemble("ldgs arg2, %r1\npushtv DT_TYPE(0), %r0, %r1\n"
			 "setx 9, %r2\nstgaa %r2, 0x600\nret %r0"),
		assemble("ldgs arg2, %r1\npushtv DT_TYPE(0), %r0, %r1\n"
			 "ldgaa 0x600, %r2\nret %r2"),
		assemble("ldgs arg2, %r1\npushtv DT_TYPE(0), %r0, %r1\n"
			 "stgaa %r0, 0x600\nret %r0"),
	};
	struct in_machine *m;
	struct in_result res;
	uint64_t kept = 0;
	struct env e;

	(void)state;
	env_init(&e);
	m = machine(&e, (const struct dif_obj *const *)objs, 3);
	for (uint64_t i = 0; i < 200; i++) {
		e.firing.vars[RT_VAR_ARG2] = i;
		in_fire(m, &e.firing);
		in_run(m, 0, &res);
		assert_false(res.is_fault);
		in_run(m, 1, &res);
		kept += res.value == 9;
	}
	assert_true(kept > 10 && kept < 200);
	assert_int_equal(in_drops(m), 200 - kept);
	/* a deleted element makes room for one */
	e.firing.vars[RT_VAR_ARG2] = 0;
	in_fire(m, &e.firing);
	in_run(m, 2, &res);
	e.firing.vars[RT_VAR_ARG2] = 500;
	in_fire(m, &e.firing);
	in_run(m, 0, &res);
	assert_int_equal(in_drops(m), 200 - kept);
	in_run(m, 0, &res);
	assert_int_equal(in_drops(m), 200 - kept);
	in_machine_destroy(m);
	for (int i = 0; i < 3; i++)
		dif_obj_destroy(objs[i]);
}

/* ---- addresses of elements ---------------------------------------------- */

static struct rt_dynref
dyn_create(uint64_t size)
{
	struct rt_dynref r;

	rt_dyn_init(&r, mem_alloc(rt_dyn_bytes(size)), size);
	return r;
}

static uint8_t *
dyn_add(const struct rt_dynref *r, uint64_t key, const void *value, uint32_t n)
{
	const uint8_t *k = (const uint8_t *)&key;

	assert_true(rt_dyn_store(r, k, sizeof(key), value, n));
	return rt_dyn_find(r, k, sizeof(key));
}

/*
 * The values of the two elements, up to their ends, are the only addresses
 * around the pool that lead to memory.
 */
static void
test_element_addresses(void **state)
{
	struct rt_dynref r = dyn_create(4096);
	const uint64_t gone = 2;
	uint8_t value[5000] = { 0 }, *first, *last;
	uint64_t base = (uint64_t)(uintptr_t)rt_dyn_pool(&r);

	(void)state;
	first = dyn_add(&r, 1, value, 12);
	assert_non_null(dyn_add(&r, gone, value, 40));
	last = dyn_add(&r, 3, value, 1500);
	rt_dyn_delete(&r, (const uint8_t *)&gone, sizeof(gone));
	for (uint64_t addr = base - 64; addr < base + 4096 + 64; addr++) {
		uint8_t *p = (uint8_t *)(uintptr_t)addr;
		bool in_first = p >= first && p < first + 12;
		bool in_last = p >= last && p < last + 1500;
		uint64_t left = in_first ? (uint64_t)(first + 12 - p) :
		    in_last		 ? (uint64_t)(last + 1500 - p) :
					   0;

		assert_ptr_equal(rt_dyn_at(&r, addr, 1), left ? p : NULL);
		assert_ptr_equal(rt_dyn_at(&r, addr, left), left ? p : NULL);
		assert_null(rt_dyn_at(&r, addr, left + 1));
		assert_null(rt_dyn_at(&r, addr, UINT64_MAX));
	}
	free(r.d);
}

/*
 * Another process may have written anything to the pool: no memory beyond it is
 * touched.
 */
static void
test_scribbled_elements(void **state)
{
	struct rt_dynref r = dyn_create(4096);
	size_t n = rt_dyn_bytes(4096);
	uint8_t value[64] = { 0 };
	uint64_t base = (uint64_t)(uintptr_t)rt_dyn_pool(&r), found = 0;

	(void)state;
	srandom(4711);
	for (uint64_t key = 0; key < 12; key++)
		dyn_add(&r, key, value, sizeof(value));
	for (int i = 0; i < 3000; i++) {
		/*
		 * not the id of a living thread: dtrace would wait for its lock
		 */
		uint64_t at = (uint64_t)(rt_dyn_pool(&r) - (uint8_t *)r.d) - 8 +
		    (uint64_t)random() % 1024;
		uint64_t addr = base + (uint64_t)random() % 4096;

		((uint8_t *)r.d)[at] = (uint8_t)random();
		found += rt_dyn_at(&r, addr, (uint64_t)random() % 80) != NULL;
	}
	assert_true(found > 0 && n > 4096);
	free(r.d);
}

static void
check_refused(const struct in_opts *opts, const struct dif_obj *const *objs,
    uint32_t n, const char *want)
{
	struct err err = { 0 };

	assert_null(in_machine_create(opts, objs, n, &err));
	assert_string_equal(err.text, want);
	err_clear(&err);
}

static void
test_refused(void **state)
{
	struct dif_obj *dp = assemble("ret %r0"), *other;
	const struct dif_obj *objs[2] = { dp, NULL };
	struct env e;

	(void)state;
	env_init(&e);
	e.opts.strsize = 7;
	check_refused(&e.opts, objs, 1, "strsize 7 is not within 8 ... 65536");
	e.opts.strsize = STRSIZE;
	e.opts.scratchsize = 1U << 30;
	check_refused(&e.opts, objs, 1,
	    "no memory for 1073741824 bytes of "
	    "scratch memory; lower scratchsize");
	e.opts.scratchsize = SCRATCH;
	e.opts.dynvarsize = 1ULL << 40;
	check_refused(&e.opts, objs, 1,
	    "no memory for 1099511627776 bytes "
	    "of dynamic variables; lower dynvarsize");
	e.opts.dynvarsize = 4096;
	other = assemble("ret %r0");
	other->vartab[0].type =
	    (struct dif_type){ .size = 40, .flags = DIF_TF_BYREF };
	objs[1] = other;
	check_refused(&e.opts, objs, 2,
	    "variable 0x500 has different types "
	    "in two objects");
	dif_obj_destroy(other);
	dif_obj_destroy(dp);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_lifetimes),
		cmocka_unit_test(test_scratch),
		cmocka_unit_test(test_hidden_kernel),
		cmocka_unit_test(test_pointer_arguments),
		cmocka_unit_test(test_dynvar_drops),
		cmocka_unit_test(test_element_addresses),
		cmocka_unit_test(test_scribbled_elements),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
