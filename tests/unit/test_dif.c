/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The verifier rejects violations of each rule and accepts valid objects; the
 * disassembler prints DTrace's layout.
 */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "dif/flow.h"

#define R(op, a, b, c)                                                         \
	((uint32_t)DIF_OP_##op << 24 | (a) << 16 | (b) << 8 | (c))
#define W(op, idx, r) ((uint32_t)DIF_OP_##op << 24 | (idx) << 8 | (r))
#define B(op, label) ((uint32_t)DIF_OP_##op << 24 | (label))
#define RET(r) R(RET, 0, 0, r)
#define MAXTEXT 12

/*
 * Every object has the integers { 5, 8 }, the strings "", "x", "arr" and "s",
 * and these variables: global int x (0x500), self int x (0x501), this int x
 * (0x502), global int arr[] (0x503), self int arr[] (0x504), global string s
 * (0x505).
 */
static struct dif_obj *
make(const uint32_t *text, uint32_t n)
{
	static const char strs[] = "\0x\0arr\0s";
	static const struct dif_type t_int = { .ckind = 1, .size = 4 };
	static const struct dif_type t_str = { .kind = DIF_TYPE_STRING,
		.flags = DIF_TF_BYREF };
	const struct dif_var vars[] = {
		{ 1, 0x500, DIFV_KIND_SCALAR, DIFV_SCOPE_GLOBAL, 3, t_int },
		{ 1, 0x501, DIFV_KIND_SCALAR, DIFV_SCOPE_THREAD, 1, t_int },
		{ 1, 0x502, DIFV_KIND_SCALAR, DIFV_SCOPE_LOCAL, 2, t_int },
		{ 3, 0x503, DIFV_KIND_ARRAY, DIFV_SCOPE_GLOBAL, 3, t_int },
		{ 3, 0x504, DIFV_KIND_ARRAY, DIFV_SCOPE_THREAD, 3, t_int },
		{ 7, 0x505, DIFV_KIND_SCALAR, DIFV_SCOPE_GLOBAL, 3, t_str },
	};
	struct dif_obj *dp = mem_alloc(sizeof(*dp));

	dp->text = mem_alloc(n * sizeof(*text));
	memcpy(dp->text, text, n * sizeof(*text));
	dp->ntext = n;
	dp->inttab = mem_alloc(2 * sizeof(uint64_t));
	dp->inttab[0] = 5;
	dp->inttab[1] = 8;
	dp->nint = 2;
	dp->strtab = mem_alloc(sizeof(strs));
	memcpy(dp->strtab, strs, sizeof(strs));
	dp->strlen = sizeof(strs);
	dp->vartab = mem_alloc(sizeof(vars));
	memcpy(dp->vartab, vars, sizeof(vars));
	dp->nvar = sizeof(vars) / sizeof(vars[0]);
	dp->rtype = t_int;
	return dp;
}

struct text_case {
	uint32_t text[MAXTEXT];
	const char *msg; /* NULL: accepted */
};

static const struct text_case text_cases[] = {
	/* accepted */
	{ { RET(0) }, NULL },
	{ { W(SETX, 1, 1), RET(1) }, NULL },
	{ { W(SETS, 7, 7), RET(7) }, NULL },
	{ { W(LDGS, DIF_VAR_PID, 1), RET(1) }, NULL },
	{ { W(LDGS, 0x500, 1), W(STGS, 0x500, 1), RET(1) }, NULL },
	{ { W(LDTS, 0x501, 1), W(STTS, 0x501, 1), RET(1) }, NULL },
	{ { W(LDLS, 0x502, 1), W(STLS, 0x502, 1), RET(1) }, NULL },
	{ { W(LDLS, 0x106, 1), RET(1) }, NULL },
	{ { R(PUSHTV, 0, 0, 0), W(LDGAA, 0x503, 1), R(POPTS, 0, 0, 0),
	      W(STTAA, 0x504, 1), RET(1) },
	    NULL },
	{ { W(LDGS, DIF_VAR_EXECNAME, 1), R(PUSHTR, 1, 0, 1),
	      W(CALL, DIF_SUBR_STRLEN, 1), RET(1) },
	    NULL },
	{ { W(SETX, 1, 1), R(ALLOCS, 1, 0, 2), R(COPYS, 1, 1, 2),
	      R(STX, 1, 0, 2), R(ULDUB, 2, 0, 3), RET(3) },
	    NULL },
	/* both ways set %r1 */
	{ { R(TST, 0, 0, 0), B(BE, 4), W(SETX, 0, 1), B(BA, 5), W(SETX, 1, 1),
	      RET(1) },
	    NULL },
	/* unreachable code reads nothing */
	{ { B(BA, 2), RET(3), RET(0) }, NULL },
	/* fields */
	{ { 0, RET(0) },
	    "instruction 0 (unknown opcode): opcode 0x00 is not defined" },
	{ { 80U << 24, RET(0) },
	    "instruction 0 (unknown opcode): opcode 0x50 is not defined" },
	{ { R(ADD, 8, 0, 1), RET(1) },
	    "instruction 0 (add): r1 is %r8, but there are 8 registers" },
	{ { R(ADD, 0, 200, 1), RET(1) },
	    "instruction 0 (add): r2 is %r200, but there are 8 registers" },
	{ { R(ADD, 0, 0, 0), RET(0) },
	    "instruction 0 (add): %r0 cannot be written" },
	{ { R(MOV, 0, 1, 1), RET(1) },
	    "instruction 0 (mov): unused field r2 is 1, not 0" },
	{ { R(CMP, 0, 0, 1), RET(0) },
	    "instruction 0 (cmp): unused field rd is 1, not 0" },
	{ { R(TST, 0, 1, 0), RET(0) },
	    "instruction 0 (tst): unused field r2 is 1, not 0" },
	{ { R(NOP, 1, 0, 0), RET(0) },
	    "instruction 0 (nop): unused field r1 is 1, not 0" },
	{ { R(LDX, 0, 0, 0), RET(0) },
	    "instruction 0 (ldx): %r0 cannot be written" },
	{ { R(STX, 0, 3, 1), RET(0) },
	    "instruction 0 (stx): unused field r2 is 3, not 0" },
	{ { R(RET, 0, 1, 0) },
	    "instruction 0 (ret): unused field r2 is 1, not 0" },
	{ { RET(8) },
	    "instruction 0 (ret): rd is %r8, but there are 8 registers" },
	{ { W(SETX, 2, 1), RET(1) },
	    "instruction 0 (setx): integer 2 is outside of the table of 2" },
	{ { W(SETS, 9, 1), RET(1) },
	    "instruction 0 (sets): string 9 is outside of the table of 9 "
	    "bytes" },
	{ { W(SETX, 0, 0), RET(0) },
	    "instruction 0 (setx): %r0 cannot be written" },
	{ { R(PUSHTR, 2, 0, 0), RET(0) },
	    "instruction 0 (pushtr): type 2 cannot be pushed so" },
	{ { R(PUSHTV, 1, 0, 0), RET(0) },
	    "instruction 0 (pushtv): type 1 cannot be pushed so" },
	{ { R(LDGA, 3, 0, 1), RET(1) },
	    "instruction 0 (ldga): there is no built-in array 3" },
	{ { W(CALL, 0x2000, 1), RET(1) },
	    "instruction 0 (call): there is no subroutine 8192" },
	{ { W(CALL, DIF_SUBR_RAND, 0), RET(0) },
	    "instruction 0 (call): %r0 cannot be written" },
	{ { W(XLATE, 0, 1), RET(1) },
	    "instruction 0 (xlate): translator references must be linked "
	    "first" },
	{ { W(XLARG, 0, 1), RET(1) },
	    "instruction 0 (xlarg): translator references must be linked "
	    "first" },
	/* branches and the end */
	{ { B(BA, 0), RET(0) },
	    "instruction 0 (ba): label 0 does not go forward" },
	{ { R(NOP, 0, 0, 0), B(BE, 0), RET(0) },
	    "instruction 1 (be): label 0 does not go forward" },
	{ { B(BNE, 2), RET(0) },
	    "instruction 0 (bne): label 2 is outside of the text" },
	{ { RET(0), R(NOP, 0, 0, 0) },
	    "instruction 1 (nop): the last instruction must be ret" },
	/* variables */
	{ { W(LDGS, 0xff, 1), RET(1) },
	    "instruction 0 (ldgs): there is no built-in variable 255" },
	{ { W(LDGS, 0x4ff, 1), RET(1) },
	    "instruction 0 (ldgs): there is no built-in variable 1279" },
	{ { W(LDGS, 0x501, 1), RET(1) },
	    "instruction 0 (ldgs): global variable 1281 is not in the "
	    "variable table" },
	{ { W(STGS, DIF_VAR_PID, 0), RET(0) },
	    "instruction 0 (stgs): variable 278 is not a user variable" },
	{ { W(LDTS, DIF_VAR_PID, 1), RET(1) },
	    "instruction 0 (ldts): variable 278 is not a user variable" },
	{ { W(LDGS, 0x503, 1), RET(1) },
	    "instruction 0 (ldgs): global variable 1283 is not in the "
	    "variable table" },
	{ { W(LDGAA, 0x500, 1), RET(1) },
	    "instruction 0 (ldgaa): global array 1280 is not in the variable "
	    "table" },
	{ { W(STTAA, 0x503, 0), RET(0) },
	    "instruction 0 (sttaa): thread-local array 1283 is not in the "
	    "variable table" },
	{ { W(STLS, 0x500, 0), RET(0) },
	    "instruction 0 (stls): clause-local variable 1280 is not in the "
	    "variable table" },
	/* reads on paths without a write */
	{ { RET(1) }, "instruction 0 (ret): %r1 is read before it is written" },
	{ { R(ADD, 0, 2, 1), RET(1) },
	    "instruction 0 (add): %r2 is read before it is written" },
	{ { R(COPYS, 0, 0, 3), RET(0) },
	    "instruction 0 (copys): %r3 is read before it is written" },
	{ { R(STB, 0, 0, 1), RET(0) },
	    "instruction 0 (stb): %r1 is read before it is written" },
	{ { R(PUSHTV, 0, 4, 0), RET(0) },
	    "instruction 0 (pushtv): %r4 is read before it is written" },
	{ { W(STGS, 0x500, 5), RET(0) },
	    "instruction 0 (stgs): %r5 is read before it is written" },
	{ { R(TST, 0, 0, 0), B(BE, 3), W(SETX, 0, 1), RET(1) },
	    "instruction 3 (ret): %r1 is read before it is written" },
	/*
	 * a branch to a join: a register set on one path may be unset on the
	 * other
	 */
	{ { R(TST, 0, 0, 0), B(BE, 4), W(SETX, 0, 1), W(SETX, 0, 2),
	      R(ADD, 1, 0, 1), RET(1) },
	    "instruction 4 (add): %r1 is read before it is written" },
	/* arguments of subroutines */
	{ { W(CALL, DIF_SUBR_STRLEN, 1), RET(1) },
	    "instruction 0 (call): strlen takes 1 argument, but the tuple "
	    "stack may hold 0" },
	{ { R(PUSHTV, 0, 0, 0), W(CALL, DIF_SUBR_SUBSTR, 1), RET(1) },
	    "instruction 1 (call): substr takes 2 arguments, but the tuple "
	    "stack may hold 1" },
	{ { R(PUSHTV, 0, 0, 0), R(FLUSHTS, 0, 0, 0), W(CALL, DIF_SUBR_HTONS, 1),
	      RET(1) },
	    "instruction 2 (call): htons takes 1 argument, but the tuple "
	    "stack may hold 0" },
	{ { R(TST, 0, 0, 0), B(BE, 3), R(PUSHTV, 0, 0, 0),
	      W(CALL, DIF_SUBR_HTONS, 1), RET(1) },
	    "instruction 3 (call): htons takes 1 argument, but the tuple "
	    "stack may hold 0" },
	{ { R(PUSHTV, 0, 0, 0), R(PUSHTV, 0, 0, 0), R(POPTS, 0, 0, 0),
	      W(CALL, DIF_SUBR_HTONS, 1), RET(1) },
	    NULL },
	{ { R(PUSHTV, 0, 0, 0), R(PUSHTV, 0, 0, 0), W(CALL, DIF_SUBR_SUBSTR, 1),
	      RET(1) },
	    NULL },
	{ { W(CALL, DIF_SUBR_RAND, 1), RET(1) }, NULL },
	/* POPTS on an empty stack does nothing */
	{ { R(POPTS, 0, 0, 0), RET(0) }, NULL },
};

static uint32_t
text_len(const uint32_t *text)
{
	uint32_t n = MAXTEXT;

	while (n > 0 && text[n - 1] == 0)
		n--;
	return n;
}

static void
check_verify(struct dif_obj *dp, const char *want)
{
	struct err err = { 0 };
	int code = dif_verify(dp, &err);

	if (want == NULL)
		assert_string_equal(code == 0 ? "" : err.text, "");
	else
		assert_string_equal(code == 0 ? "accepted" : err.text, want);
	err_clear(&err);
	dif_obj_destroy(dp);
}

static void
test_text(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(text_cases) / sizeof(text_cases[0]);
	     i++) {
		const struct text_case *tc = &text_cases[i];

		check_verify(make(tc->text, text_len(tc->text)), tc->msg);
	}
}

static struct dif_obj *
make_ret(void)
{
	static const uint32_t text[] = { RET(0) };

	return make(text, 1);
}

static void
test_rtype(void **state)
{
	static const struct {
		struct dif_type t;
		const char *msg;
	} cases[] = {
		{ { .size = 0 }, NULL },
		{ { .size = 8 }, NULL },
		{ { .size = 3 }, "a value of 3 bytes cannot be returned" },
		{ { .size = 100 }, "a value of 100 bytes cannot be returned" },
		{ { .size = 100, .flags = DIF_TF_BYREF }, NULL },
		{ { .size = 100, .flags = DIF_TF_BYUREF }, NULL },
		{ { .kind = DIF_TYPE_STRING, .flags = DIF_TF_BYREF }, NULL },
		{ { .kind = DIF_TYPE_STRING },
		    "a string must be returned by reference" },
		{ { .kind = 2 }, "unknown kind 2 of return type" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dif_obj *dp = make_ret();

		dp->rtype = cases[i].t;
		check_verify(dp, cases[i].msg);
	}
}

static void
test_vartab(void **state)
{
	static const struct {
		struct dif_var v;
		const char *msg;
	} cases[] = {
		{ { 1, 0x600, 1, 0, 0, { .size = 8 } }, NULL },
		{ { 1, 0x600, 1, 0, 0, { .size = 40, .flags = 1 } }, NULL },
		{ { 1, 0x116, 1, 0, 0, { .size = 40 } }, NULL },
		{ { 1, 0x600, 1, 3, 0, { .size = 8 } },
		    "variable 0: unknown scope 3" },
		{ { 1, 0x600, 2, 0, 0, { .size = 8 } },
		    "variable 0: unknown kind 2" },
		{ { 1, 0x10000, 1, 0, 0, { .size = 8 } },
		    "variable 0: id 65536 is above 65535" },
		{ { 9, 0x600, 1, 0, 0, { .size = 8 } },
		    "variable 0: its name is outside of the string table" },
		{ { 1, 0x600, 1, 0, 0, { .size = 40 } },
		    "variable 0: a value of 40 bytes" },
		{ { 1, 0x600, 1, 0, 0, { .size = 0, .flags = 1 } },
		    "variable 0: stored by reference without a size" },
		{ { 1, 0x600, 1, 0, 0, { .size = 16385, .flags = 1 } },
		    "variable 0: 16385 bytes, more than 16384" },
		{ { 1, 0x600, 1, 0, 0, { .kind = 1 } },
		    "variable 0: a string must be stored by reference" },
		{ { 1, 0x600, 1, 0, 0, { .kind = 9 } },
		    "variable 0: unknown kind 9 of type" },
		{ { 1, 0x503, 1, 0, 0, { .size = 4, .ckind = 1 } },
		    "variables 0 and 3 share an id but not a type" },
		{ { 1, 0x505, 1, 0, 0, { .size = 4 } },
		    "variables 0 and 5 share an id but not a type" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dif_obj *dp = make_ret();

		dp->vartab[0] = cases[i].v;
		check_verify(dp, cases[i].msg);
	}
}

static void
test_sizes(void **state)
{
	struct dif_obj *dp = make_ret();

	(void)state;
	dp->ntext = 0;
	check_verify(dp, "the object has no instructions");
	dp = make_ret();
	dp->strtab[dp->strlen - 1] = 'z';
	check_verify(dp, "the string table does not end with a NUL");
	dp = make_ret();
	dp->text = mem_realloc(dp->text, DIF_MAX_BYTES);
	dp->ntext = DIF_MAX_BYTES / 4;
	for (uint32_t i = 0; i < dp->ntext; i++)
		dp->text[i] = RET(0);
	check_verify(dp, "the object has 262289 bytes, more than 262144");
}

static void
test_dump(void **state)
{
	static const uint32_t text[] = { W(LDGS, DIF_VAR_PID, 1), W(SETX, 0, 2),
		R(ADD, 1, 2, 1), R(CMP, 1, 2, 0), B(BGE, 6), W(STTS, 0x501, 1),
		W(SETS, 3, 2), R(PUSHTR, 1, 0, 2), R(PUSHTV, 0, 0, 1),
		W(CALL, DIF_SUBR_STRJOIN, 3), R(LDUB, 3, 0, 4), R(STW, 4, 0, 3),
		R(FLUSHTS, 0, 0, 0), W(LDLS, 0x502, 1), RET(1) };
	static const char want[] =
	    "DIFO returns D type (integer) (size 4)\n"
	    "OFF OPCODE      INSTRUCTION\n"
	    "00: 29011601    ldgs 278, %r1\t\t! DT_VAR(278) = \"pid\"\n"
	    "01: 25000002    setx DT_INTEGER[0], %r2\t! 0x5\n"
	    "02: 07010201    add  %r1, %r2, %r1\n"
	    "03: 0f010200    cmp  %r1, %r2\n"
	    "04: 16000006    bge  6\n"
	    "05: 2d050101    stts %r1, 1281\t\t! DT_VAR(1281) = \"self->x\"\n"
	    "06: 26000302    sets DT_STRING[3], %r2\t! \"arr\"\n"
	    "07: 30010002    pushtr DT_TYPE(1), %r0, %r2\t! string\n"
	    "08: 31000001    pushtv DT_TYPE(0), %r0, %r1\t! D type\n"
	    "09: 2f001703    call 23, %r3\t\t! strjoin\n"
	    "10: 1f030004    ldub [%r3], %r4\n"
	    "11: 3e040003    stw  %r4, [%r3]\n"
	    "12: 33000000    flushts\n"
	    "13: 38050201    ldls 1282, %r1\t\t! DT_VAR(1282) = \"this->x\"\n"
	    "14: 23000001    ret  %r1\n"
	    "\n"
	    "NAME             ID   KND SCP FLAG TYPE\n"
	    "x                500  scl glb rw   D type (integer) (size 4)\n"
	    "x                501  scl tls r    D type (integer) (size 4)\n"
	    "x                502  scl loc w    D type (integer) (size 4)\n"
	    "arr              503  arr glb rw   D type (integer) (size 4)\n"
	    "arr              504  arr tls rw   D type (integer) (size 4)\n"
	    "s                505  scl glb rw   string by ref (size strsize)\n";
	struct dif_obj *dp = make(text, sizeof(text) / sizeof(text[0]));
	struct strbuf out = { 0 };

	(void)state;
	dif_dump(dp, &out);
	assert_string_equal(out.s, want);
	strbuf_fini(&out);
	dif_obj_destroy(dp);
}

/* Helper objects of traced processes have further limits. */
static void
test_helper(void **state)
{
	static const struct text_case cases[] = {
		{ { W(LDGS, DIF_VAR_ARG0, 1), W(STGS, 0x500, 1),
		      W(LDLS, 0x502, 2), W(STLS, 0x502, 2), RET(1) },
		    NULL },
		{ { W(LDGS, DIF_VAR_EXECNAME, 1), R(PUSHTR, 1, 0, 1),
		      R(PUSHTR, 1, 0, 1), W(CALL, DIF_SUBR_STRJOIN, 1),
		      RET(1) },
		    NULL },
		{ { R(RLDX, 0, 0, 1), R(ULDX, 0, 0, 1), RET(1) }, NULL },
		{ { R(LDX, 0, 0, 1), RET(1) }, NULL },
		{ { W(LDGS, DIF_VAR_TIMESTAMP, 1), RET(1) },
		    "instruction 0 (ldgs): timestamp is not for helpers" },
		{ { R(PUSHTR, 1, 0, 0), W(CALL, DIF_SUBR_STRLEN, 1), RET(1) },
		    "instruction 1 (call): strlen() is not for helpers" },
		{ { R(LDTA, 0, 0, 1), RET(1) },
		    "instruction 0 (ldta): not in a helper" },
		{ { W(LDTS, 0x501, 1), RET(1) },
		    "instruction 0 (ldts): not in a helper" },
		{ { W(STTS, 0x501, 0), RET(0) },
		    "instruction 0 (stts): not in a helper" },
		{ { W(LDGAA, 0x503, 1), RET(1) },
		    "instruction 0 (ldgaa): not in a helper" },
		{ { W(LDTAA, 0x504, 1), RET(1) },
		    "instruction 0 (ldtaa): not in a helper" },
		{ { W(STGAA, 0x503, 0), RET(0) },
		    "instruction 0 (stgaa): not in a helper" },
		{ { W(STTAA, 0x504, 0), RET(0) },
		    "instruction 0 (sttaa): not in a helper" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dif_obj *dp =
		    make(cases[i].text, text_len(cases[i].text));
		struct err err = { 0 };

		assert_int_equal(dif_verify(dp, &err), 0);
		dif_hide_kernel(dp);
		assert_int_equal(dif_verify_helper(dp, &err),
		    cases[i].msg != NULL ? -EINVAL : 0);
		assert_string_equal(err.text != NULL ? err.text : "",
		    cases[i].msg != NULL ? cases[i].msg : "");
		err_clear(&err);
		dif_obj_destroy(dp);
	}
}

/* Without permission to read kernel memory, every load is checked. */
static void
test_hide_kernel(void **state)
{
	static const uint32_t text[] = { R(LDSB, 0, 0, 1), R(LDSH, 0, 0, 1),
		R(LDSW, 0, 0, 1), R(LDUB, 0, 0, 1), R(LDUH, 0, 0, 1),
		R(LDUW, 0, 0, 1), R(LDX, 0, 0, 1), R(ULDX, 0, 0, 1), RET(1) };
	static const uint32_t want[] = { R(RLDSB, 0, 0, 1), R(RLDSH, 0, 0, 1),
		R(RLDSW, 0, 0, 1), R(RLDUB, 0, 0, 1), R(RLDUH, 0, 0, 1),
		R(RLDUW, 0, 0, 1), R(RLDX, 0, 0, 1), R(ULDX, 0, 0, 1), RET(1) };
	struct dif_obj *dp = make(text, sizeof(text) / sizeof(text[0]));
	struct err err = { 0 };

	(void)state;
	assert_int_equal(dif_verify_helper(dp, &err), -EINVAL);
	assert_string_equal(err.text, "instruction 0 (ldsb): not in a helper");
	err_clear(&err);
	dif_hide_kernel(dp);
	assert_memory_equal(dp->text, want, sizeof(want));
	dif_obj_destroy(dp);
}

/* ---- results of the walk ------------------------------------------------- */

static const char *
value_text(const struct dif_value *v, char *buf, size_t size)
{
	static const char *const kinds[] = { [DIF_K_UNSET] = "unset",
		[DIF_K_ANY] = "any",
		[DIF_K_CONST] = "const",
		[DIF_K_STRING] = "string",
		[DIF_K_SCRATCH] = "scratch",
		[DIF_K_VAR] = "var",
		[DIF_K_ELEM] = "elem" };

	snprintf(buf, size, "%s %llu/%u", kinds[v->kind],
	    (unsigned long long)v->v, v->size);
	return buf;
}

/* State on arrival at the last instruction: %r1, depth, top of the stack. */
static bool
note_last(void *arg, uint32_t pc, const struct dif_state *st)
{
	static const char *const kinds[] = { "mixed", "value", "string",
		"bytes" };
	const struct dif_pushed *top =
	    st->depth_max == 0 ? NULL : &st->tuple[st->depth_max - 1];
	struct strbuf *out = arg;
	char buf[64];

	strbuf_reset(out);
	strbuf_printf(out, "%u: %s, depth %u-%u", pc,
	    value_text(&st->regs[1], buf, sizeof(buf)), st->depth_min,
	    st->depth_max);
	if (top != NULL)
		strbuf_printf(out, ", %s", kinds[top->kind]);
	if (top != NULL && top->is_const)
		strbuf_printf(out, " %u", top->n);
	return true;
}

static void
test_flow(void **state)
{
	static const struct {
		uint32_t text[MAXTEXT];
		const char *want;
	} cases[] = {
		{ { RET(0) }, "0: unset 0/0, depth 0-0" },
		{ { W(SETX, 1, 1), RET(1) }, "1: const 8/0, depth 0-0" },
		{ { W(SETX, 1, 1), W(SETX, 0, 2), R(SUB, 1, 2, 1), RET(1) },
		    "3: const 3/0, depth 0-0" },
		{ { W(SETX, 1, 1), R(UDIV, 1, 1, 1), RET(1) },
		    "2: any 0/0, depth 0-0" },
		{ { R(NOT, 0, 0, 1), RET(1) },
		    "1: const 18446744073709551615/0, depth 0-0" },
		{ { W(SETS, 3, 2), R(MOV, 2, 0, 1), RET(1) },
		    "2: string 3/0, depth 0-0" },
		{ { W(LDGS, 0x505, 1), RET(1) }, "1: var 0/0, depth 0-0" },
		{ { W(LDGS, 0x500, 1), RET(1) }, "1: any 0/0, depth 0-0" },
		{ { W(LDLS, 0x106, 1), RET(1) }, "1: const 0/0, depth 0-0" },
		{ { W(SETX, 1, 2), W(LDGS, 0x505, 1), R(ADD, 2, 1, 1), RET(1) },
		    "3: var 8/0, depth 0-0" },
		{ { W(LDGAA, 0x503, 1), RET(1) }, "1: elem 0/0, depth 0-0" },
		{ { W(SETX, 1, 2), W(LDGAA, 0x503, 1), R(ADD, 1, 2, 1),
		      R(MOV, 1, 0, 1), RET(1) },
		    "4: elem 8/0, depth 0-0" },
		{ { W(LDTAA, 0x504, 1), RET(1) }, "1: any 0/0, depth 0-0" },
		/* scratch memory: offset and size */
		{ { W(SETX, 1, 1), R(ALLOCS, 1, 0, 1), RET(1) },
		    "2: scratch 0/8, depth 0-0" },
		{ { W(SETX, 1, 1), W(SETX, 0, 2), R(ALLOCS, 1, 0, 1),
		      R(ADD, 2, 1, 1), RET(1) },
		    "4: scratch 5/8, depth 0-0" },
		{ { W(LDGS, 0x500, 1), R(ALLOCS, 1, 0, 1), RET(1) },
		    "2: scratch 0/0, depth 0-0" },
		{ { W(SETX, 1, 1), R(PUSHTV, 0, 0, 1),
		      W(CALL, DIF_SUBR_ALLOCA, 1), RET(1) },
		    "3: scratch 0/8, depth 1-1, value 8" },
		{ { W(SETX, 1, 1), R(PUSHTV, 0, 0, 0), R(PUSHTV, 0, 0, 1),
		      W(CALL, DIF_SUBR_COPYIN, 1), RET(1) },
		    "4: scratch 0/8, depth 2-2, value 8" },
		/* joins */
		{ { R(TST, 0, 0, 0), W(SETX, 0, 1), B(BE, 4), W(SETX, 1, 1),
		      RET(1) },
		    "4: any 0/0, depth 0-0" },
		{ { R(TST, 0, 0, 0), W(SETX, 1, 1), B(BE, 4), W(SETX, 1, 1),
		      RET(1) },
		    "4: const 8/0, depth 0-0" },
		{ { R(TST, 0, 0, 0), B(BE, 4), W(SETX, 1, 1), B(BA, 5),
		      W(SETX, 1, 1), RET(1) },
		    "5: const 8/0, depth 0-0" },
		{ { R(TST, 0, 0, 0), B(BE, 3), W(SETX, 1, 1), RET(0) },
		    "3: unset 0/0, depth 0-0" },
		{ { R(TST, 0, 0, 0), B(BE, 3), R(PUSHTV, 0, 0, 0), RET(0) },
		    "3: unset 0/0, depth 0-1, value 0" },
		{ { R(TST, 0, 0, 0), B(BE, 4), R(PUSHTV, 0, 0, 0), B(BA, 5),
		      R(PUSHTR, 1, 0, 0), RET(0) },
		    "5: unset 0/0, depth 1-1, mixed" },
		{ { R(TST, 0, 0, 0), B(BE, 3), R(PUSHTV, 0, 0, 0),
		      R(PUSHTV, 0, 0, 0), RET(0) },
		    "4: unset 0/0, depth 1-2, mixed" },
		{ { W(SETX, 0, 2), R(PUSHTR, 0, 2, 0), R(PUSHTR, 1, 0, 0),
		      R(POPTS, 0, 0, 0), RET(0) },
		    "4: unset 0/0, depth 1-1, bytes 5" },
		{ { R(PUSHTV, 0, 0, 0), R(FLUSHTS, 0, 0, 0), RET(0) },
		    "2: unset 0/0, depth 0-0" },
	};
	struct strbuf got = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dif_obj *dp =
		    make(cases[i].text, text_len(cases[i].text));

		dp->vartab[3].type = dp->vartab[5].type; /* of type string */
		assert_true(dif_flow(dp, note_last, &got));
		assert_string_equal(got.s, cases[i].want);
		dif_obj_destroy(dp);
	}
	strbuf_fini(&got);
}

/* The accesses that are proved: inside of scratch, and aligned. */
static void
test_in_scratch(void **state)
{
	const struct dif_value v = { DIF_K_SCRATCH, 12, 0 };
	const struct dif_value last = { DIF_K_SCRATCH, 12, 8 };
	const struct dif_value odd = { DIF_K_SCRATCH, 12, 1 };
	const struct dif_value below = { DIF_K_SCRATCH, 12, (uint64_t)-8 };
	const struct dif_value elsewhere = { DIF_K_ANY, 12, 0 };

	(void)state;
	assert_true(dif_in_scratch(&v, 8));
	assert_true(dif_in_scratch(&last, 4));
	assert_false(dif_in_scratch(&last, 8));
	assert_true(dif_in_scratch(&odd, 1));
	assert_false(dif_in_scratch(&odd, 2));
	assert_false(dif_in_scratch(&below, 8));
	assert_false(dif_in_scratch(&elsewhere, 8));
}

/* A register set on one of very many ways is unset; one set on all is set. */
static void
test_many_branches(void **state)
{
	const uint32_t n = 5000;
	uint32_t *text = mem_alloc((n + 3) * sizeof(*text));

	(void)state;
	text[0] = W(SETX, 0, 1);
	text[1] = R(TST, 1, 0, 0);
	/* every branch leads to an instruction of its own */
	for (uint32_t i = 2; i < n / 2; i++)
		text[i] = B(BE, n / 2 + i);
	for (uint32_t i = n / 2; i < n + 2; i++)
		text[i] = R(ADD, 1, 1, 1);
	text[n + 2] = RET(1);
	check_verify(make(text, n + 3), NULL);
	text[n / 2] = W(SETX, 0, 2);
	text[n + 2] = RET(2);
	check_verify(make(text, n + 3),
	    "instruction 5002 (ret): %r2 is read "
	    "before it is written");
	free(text);
}

/* ---- text --------------------------------------------------------------- */

static void
check_same(const struct dif_obj *a, const struct dif_obj *b)
{
	assert_int_equal(a->ntext, b->ntext);
	assert_int_equal(a->nint, b->nint);
	assert_int_equal(a->strlen, b->strlen);
	assert_int_equal(a->nvar, b->nvar);
	if (a->ntext != 0)
		assert_memory_equal(a->text, b->text, a->ntext * 4);
	if (a->nint != 0)
		assert_memory_equal(a->inttab, b->inttab, a->nint * 8);
	if (a->strlen != 0)
		assert_memory_equal(a->strtab, b->strtab, a->strlen);
	if (a->nvar != 0)
		assert_memory_equal(
		    a->vartab, b->vartab, a->nvar * sizeof(*a->vartab));
	assert_memory_equal(&a->rtype, &b->rtype, sizeof(a->rtype));
	assert_int_equal(a->nkrel, b->nkrel);
	for (uint32_t i = 0; i < a->nkrel; i++) {
		assert_int_equal(a->krels[i].int_index, b->krels[i].int_index);
		assert_string_equal(a->krels[i].module, b->krels[i].module);
		assert_string_equal(a->krels[i].symbol, b->krels[i].symbol);
		assert_int_equal(a->krels[i].addend, b->krels[i].addend);
		assert_int_equal(a->krels[i].is_percpu, b->krels[i].is_percpu);
	}
}

/* Relocations of the first two integers, one of a per-CPU variable. */
static void
add_krels(struct dif_obj *dp)
{
	dp->krels = mem_alloc(2 * sizeof(*dp->krels));
	dp->nkrel = 2;
	dp->krels[0] = (struct dif_krel){ 1, mem_strdup("vmlinux"),
		mem_strdup("a \"quoted\" name"), 0, false };
	dp->krels[1] = (struct dif_krel){ 0, mem_strdup(""),
		mem_strdup("cpu_number"), UINT64_MAX, true };
}

static void
test_krels(void **state)
{
	struct dif_obj *dp = make_ret();

	(void)state;
	add_krels(dp);
	check_verify(dp, NULL);
	dp = make_ret();
	add_krels(dp);
	dp->krels[1].int_index = 2;
	check_verify(dp,
	    "relocation 1: integer 2 is outside of the table of "
	    "2");
}

/* An object survives the way to text and back, byte for byte; `dp` is
 * destroyed. */
static void
check_round_trip(struct dif_obj *dp)
{
	struct strbuf out = { 0 };
	struct dif_obj *back = NULL;
	struct err err = { 0 };

	dif_format(dp, &out);
	if (dif_assemble(out.s, out.len, &back, &err) != 0)
		fail_msg("%s\n%s", err.text, out.s);
	check_same(dp, back);
	strbuf_fini(&out);
	dif_obj_destroy(back);
	dif_obj_destroy(dp);
}

static void
test_round_trip(void **state)
{
	static const uint32_t odd[] = { 0, 0xff123456, R(MOV, 1, 7, 2),
		R(CMP, 255, 0, 9), R(TST, 1, 2, 3), R(LDX, 1, 9, 2),
		R(STB, 1, 9, 2), R(RET, 1, 2, 3), R(NOP, 1, 2, 3),
		W(SETX, 0xffff, 8), W(SETS, 0xffff, 255), B(BA, 0xffffff) };
	static const struct dif_type types[] = { { .kind = 7,
						     .ckind = 200,
						     .flags = 0xff,
						     .pad = 255,
						     .size = UINT32_MAX },
		{ .kind = DIF_TYPE_STRING, .ckind = 4 },
		{ .kind = DIF_TYPE_STRING, .size = 9, .flags = 0x40 },
		{ .ckind = 13, .flags = DIF_TF_BYUREF } };
	struct dif_obj *dp;

	(void)state;
	for (size_t i = 0; i < sizeof(text_cases) / sizeof(text_cases[0]);
	     i++) {
		const uint32_t *text = text_cases[i].text;

		check_round_trip(make(text, text_len(text)));
	}
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		dp = make(odd, sizeof(odd) / sizeof(odd[0]));
		dp->rtype = types[i];
		dp->vartab[0] = (struct dif_var){ 0xffffffff, 0xffffffff, 99, 9,
			0xfffc, types[i] };
		dp->vartab[1].name = 0;
		memcpy(dp->strtab, "\x01 \"\\\xff\0!\n", 8);
		add_krels(dp);
		dp->strtab[dp->strlen - 1] = i & 1 ? '\t' : '\0';
		check_round_trip(dp);
	}
}

/*
 * Column "Chk" of doc/reference/dif.md section 3, for every opcode: the values
 * allowed in each field.
 */
static const struct {
	uint8_t first, last; /* opcodes */
	char r1, r2, rd;
	uint32_t fixed;
} field_rules[] = {
	{ 1, 12, 'R', 'R', 'D', 0 },	     /* or ... urem */
	{ 13, 14, 'R', '0', 'D', 0 },	     /* not, mov */
	{ 15, 15, 'R', 'R', '0', 0 },	     /* cmp */
	{ 16, 16, 'R', '0', '0', 0 },	     /* tst */
	{ 17, 27, '-', '-', '-', 8 },	     /* branches, to the end */
	{ 28, 34, 'R', '0', 'D', 0 },	     /* ldsb ... ldx */
	{ 35, 35, '0', '0', 'R', 0 },	     /* ret */
	{ 36, 36, '0', '0', '0', 0 },	     /* nop */
	{ 37, 38, '-', '-', 'D', 0 },	     /* setx, sets: the first */
	{ 39, 39, 'R', 'R', '0', 0 },	     /* scmp */
	{ 40, 40, '-', 'R', 'D', 0 },	     /* ldga: args */
	{ 41, 41, '-', '-', 'D', 0x050000 }, /* ldgs */
	{ 42, 42, '-', '-', 'R', 0x050000 }, /* stgs */
	{ 43, 43, '-', 'R', 'D', 0 },	     /* ldta */
	{ 44, 44, '-', '-', 'D', 0x050100 }, /* ldts */
	{ 45, 45, '-', '-', 'R', 0x050100 }, /* stts */
	{ 46, 46, 'R', 'R', 'D', 0 },	     /* sra */
	{ 47, 47, '-', '-', 'D', 0 },	     /* call: rand */
	{ 48, 49, '-', 'R', 'R', 0 },	     /* pushtr, pushtv */
	{ 50, 51, '0', '0', '0', 0 },	     /* popts, flushts */
	{ 52, 52, '-', '-', 'D', 0x050300 }, /* ldgaa */
	{ 53, 53, '-', '-', 'D', 0x050400 }, /* ldtaa */
	{ 54, 54, '-', '-', 'R', 0x050300 }, /* stgaa */
	{ 55, 55, '-', '-', 'R', 0x050400 }, /* sttaa */
	{ 56, 56, '-', '-', 'D', 0x050200 }, /* ldls */
	{ 57, 57, '-', '-', 'R', 0x050200 }, /* stls */
	{ 58, 58, 'R', '0', 'D', 0 },	     /* allocs */
	{ 59, 59, 'R', 'R', 'D', 0 },	     /* copys */
	{ 60, 63, 'R', '0', 'D', 0 },	     /* stb ... stx */
	{ 64, 77, 'R', '0', 'D', 0 },	     /* uldsb ... rldx */
};

static bool
may_be(char rule, uint32_t value)
{
	switch (rule) {
	case 'R':
		return value < 8;
	case 'D':
		return value > 0 && value < 8;
	default:
		return value == 0;
	}
}

/* Check the instruction where all registers are set, and its way to text and
 * back. */
static void
check_instruction(uint32_t ins, bool is_valid)
{
	uint32_t text[9] = { 0 };
	struct dif_obj *dp;
	struct err err = { 0 };

	for (uint32_t r = 1; r < 8; r++)
		text[r - 1] = W(SETX, 0, r);
	text[7] = ins;
	text[8] = RET(0);
	dp = make(text, 9);
	if ((dif_verify(dp, &err) == 0) != is_valid)
		fail_msg(
		    "%08x: %s", ins, err.text != NULL ? err.text : "accepted");
	err_clear(&err);
	check_round_trip(dp);
}

static void
check_fields(uint32_t op, size_t rule)
{
	static const uint32_t values[] = { 0, 1, 7, 8, 255 };
	const char kinds[] = { field_rules[rule].rd, field_rules[rule].r2,
		field_rules[rule].r1 };
	uint32_t good = op << 24 | field_rules[rule].fixed;

	for (unsigned f = 0; f < 3; f++)
		good |= (kinds[f] == 'R' || kinds[f] == 'D') << 8 * f;
	check_instruction(good, true);
	for (unsigned f = 0; f < 3; f++) {
		for (size_t i = 0;
		     kinds[f] != '-' && i < sizeof(values) / sizeof(values[0]);
		     i++)
			check_instruction(
			    (good & ~(0xffU << 8 * f)) | values[i] << 8 * f,
			    may_be(kinds[f], values[i]));
	}
}

static void
test_fields(void **state)
{
	bool is_known[256] = { false };

	(void)state;
	for (size_t i = 0; i < sizeof(field_rules) / sizeof(field_rules[0]);
	     i++) {
		for (uint32_t op = field_rules[i].first;
		     op <= field_rules[i].last; op++) {
			assert_false(is_known[op]);
			is_known[op] = true;
			check_fields(op, i);
		}
	}
	/* xlate, xlarg and undefined opcodes are refused, whatever the
	 * fields */
	for (uint32_t op = 0; op < 256; op++) {
		assert_int_equal(is_known[op], op >= 1 && op <= 77);
		if (!is_known[op]) {
			check_instruction(op << 24, false);
			check_instruction(op << 24 | 1, false);
		}
	}
	/* a branch must lead forward to an instruction */
	for (uint32_t op = DIF_OP_BA; op <= DIF_OP_BLEU; op++) {
		check_instruction(op << 24, false);
		check_instruction(op << 24 | 7, false);
		check_instruction(op << 24 | 9, false);
		check_instruction(op << 24 | 0xffffff, false);
	}
}

/* 64 Ki instructions without a table are the largest text; a table makes it too
 * large. */
static void
test_largest(void **state)
{
	const uint32_t n = DIF_MAX_BYTES / 4;
	struct dif_obj *dp = make_ret();
	struct err err = { 0 };

	(void)state;
	dp->text = mem_realloc(dp->text, DIF_MAX_BYTES);
	dp->ntext = n;
	for (uint32_t i = 0; i < n - 1; i++)
		dp->text[i] = R(ADD, 0, 0, 1 + i % 7);
	dp->text[n - 1] = RET(7);
	dp->nint = dp->strlen = dp->nvar = 0;
	assert_int_equal(dif_verify(dp, &err), 0);
	dp->strlen = 1;
	dp->strtab[0] = '\0';
	assert_int_equal(dif_verify(dp, &err), -EINVAL);
	assert_string_equal(err.text,
	    "the object has 262145 bytes, more than "
	    "262144");
	err_clear(&err);
	dp->strlen = 0;
	check_round_trip(dp);
}

static void
test_assemble(void **state)
{
	static const char text[] =
	    "DIFO returns string by ref (size strsize)\n"
	    "! constants and names in place of numbers\n"
	    "\tldgs pid, %r1\n"
	    "\tsetx 4711, %r2\n"
	    "\tcmp %r1, %r2\n"
	    "\tbne other\n"
	    "\tsets \"my\\tself\", %r3\n"
	    "\tba out\n"
	    "other: pushtv DT_TYPE(0), %r0, %r1\n"
	    "\tcall lltostr, %r3\n"
	    "out:\tstgs %r3, 0x500\n"
	    "\tret %r3\n"
	    "NAME ID KND SCP FLAG TYPE\n"
	    "who 500 scl glb w string by ref (size strsize)\n";
	static const uint32_t want[] = { W(LDGS, DIF_VAR_PID, 1), W(SETX, 0, 2),
		R(CMP, 1, 2, 0), B(BNE, 6), W(SETS, 1, 3), B(BA, 8),
		R(PUSHTV, 0, 0, 1), W(CALL, DIF_SUBR_LLTOSTR, 3),
		W(STGS, 0x500, 3), RET(3) };
	struct dif_obj *dp = NULL;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(dif_assemble(text, sizeof(text) - 1, &dp, &err), 0);
	assert_int_equal(dp->ntext, sizeof(want) / sizeof(want[0]));
	assert_memory_equal(dp->text, want, sizeof(want));
	assert_int_equal(dp->inttab[0], 4711);
	assert_int_equal(dp->strlen, sizeof("\0my\tself\0who"));
	assert_memory_equal(dp->strtab, "\0my\tself\0who", dp->strlen);
	assert_int_equal(dp->vartab[0].name, 9);
	check_verify(dp, NULL);
}

static void
test_assemble_errors(void **state)
{
	static const struct {
		const char *text, *msg;
	} cases[] = {
		{ "ret %r0", "line 1: there is no line 'DIFO returns'" },
		{ "DIFO returns nothing", "line 1: 'D type' was expected" },
		{ "DIFO returns D type (wobbly) (size 4)",
		    "line 1: a kind of type was expected" },
		{ "DIFO returns string (size 4294967296)",
		    "line 1: '4294967296' is not a number up to 4294967295" },
		{ "\nfoo %r1", "line 2: there is no instruction 'foo'" },
		{ "add %r1, %r2", "line 1: ',' was expected" },
		{ "mov %r1, 5", "line 1: a register was expected" },
		{ "mov %r256, %r1", "line 1: '256' is not a number up to 255" },
		{ "ret %r1 %r2", "line 1: '%r2' was not expected" },
		{ "1: nop", "line 1: instruction 0 has the number 1" },
		{ "00: 24000000 ret %r0",
		    "line 1: 24000000 is not the word "
		    "of this instruction, which is 23000000" },
		{ "00: 24000000 ???", "line 1: 24000000 has a name" },
		{ "ldgs nosuch, %r1",
		    "line 1: there is no built-in variable 'nosuch'" },
		{ "call nosuch, %r1",
		    "line 1: there is no subroutine 'nosuch'" },
		{ "ldga 256, %r1, %r1",
		    "line 1: 256 is not the number of an array" },
		{ "call 65536, %r1",
		    "line 1: '65536' is not a number up to 65535" },
		{ "ba 16777216",
		    "line 1: '16777216' is not a number up to 16777215" },
		{ "x: nop\nx: nop", "line 2: label x is there twice" },
		{ "DIFO returns string (size 1)\nba x\nret %r0",
		    "line 2: there is no label x" },
		{ "sets \"abc, %r1", "line 1: '\"' was expected" },
		{ "sets \"a\\", "line 1: the string does not end" },
		{ "sets \"\\000\", %r1",
		    "line 1: \\000 is no character of a string" },
		{ "sets \"\\9\", %r1",
		    "line 1: after '\\' come n, t, \", "
		    "\\ or three octal digits" },
		{ "DT_INTEGER[1] = 5", "line 1: DT_INTEGER[0] comes next" },
		{ "DT_STRING[1] = \"\"", "line 1: DT_STRING[0] comes next" },
		{ "DT_KREL[1] = DT_INTEGER[0]",
		    "line 1: DT_KREL[0] comes next" },
		{ "DT_KREL[0] = DT_INTEGER[0] \"m\"",
		    "line 1: '\"' was expected" },
		{ "NAME ID\nx 500 foo", "line 2: arr, ... was expected" },
		{ "NAME ID\nx 500 scl s256",
		    "line 2: '256' is not a number up to 255" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dif_obj *dp = NULL;
		struct err err = { 0 };

		assert_int_equal(dif_assemble(cases[i].text,
				     strlen(cases[i].text), &dp, &err),
		    -EINVAL);
		assert_string_equal(err.text, cases[i].msg);
		assert_null(dp);
		err_clear(&err);
	}
}

/* Some of the published numbers: a shifted row would show. */
static void
test_tables(void **state)
{
	(void)state;
	assert_string_equal(dif_opinfo[0x23].mnem, "ret");
	assert_string_equal(dif_opinfo[0x4d].mnem, "rldx");
	assert_null(dif_opinfo[80].mnem);
	assert_int_equal(dif_opinfo[0].fmt, DIF_FMT_INVALID);
	assert_string_equal(dif_var_name(0x116), "pid");
	assert_null(dif_var_name(0x500));
	assert_int_equal(dif_subr_find_name("strjoin")->id, 23);
	assert_string_equal(dif_subr_find(8)->name, "copyin");
	assert_null(dif_subr_find_name("nosuch"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tables),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_rtype),
		cmocka_unit_test(test_vartab),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_krels),
		cmocka_unit_test(test_helper),
		cmocka_unit_test(test_hide_kernel),
		cmocka_unit_test(test_flow),
		cmocka_unit_test(test_in_scratch),
		cmocka_unit_test(test_many_branches),
		cmocka_unit_test(test_dump),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_largest),
		cmocka_unit_test(test_assemble),
		cmocka_unit_test(test_assemble_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
