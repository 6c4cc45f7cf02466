/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The notes of probe sites: operands of arguments as data, and ELF files that
 * are damaged in every byte.
 */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/vec.h"
#include "usdt/arg.h"
#include "usdt/notes.h"

#define SITE 0x1000
#define R(name) USDT_REG_##name
#define NO USDT_REG_NONE

static bool
find_symbol(void *arg, const char *name, uint64_t *addr)
{
	(void)arg;
	*addr = strcmp(name, "low") == 0 ? 0x40 :
	    strcmp(name, ".high$1") == 0 ? 0x5000 :
					   0;
	return *addr != 0;
}

static const struct usdt_syms syms = { find_symbol, NULL };

/* ---- operands ------------------------------------------------------------ */

static const struct operand {
	const char *text;
	int8_t size;
	struct usdt_arg arg;
} operands[] = {
	/* registers and their parts: bits of the part if that is smaller */
	{ "8@%rax", 8, { .base = R(AX), .index = NO, .bits = 64 } },
	{ "-4@%eax", -4,
	    { .base = R(AX), .index = NO, .bits = 32, .is_signed = true } },
	{ "-8@%eax", -8,
	    { .base = R(AX), .index = NO, .bits = 32, .is_signed = true } },
	{ "4@%r15d", 4, { .base = R(R15), .index = NO, .bits = 32 } },
	{ "2@%r8w", 2, { .base = R(R8), .index = NO, .bits = 16 } },
	{ "-1@%sil", -1,
	    { .base = R(SI), .index = NO, .bits = 8, .is_signed = true } },
	{ "1@%ah", 1, { .base = R(AX), .index = NO, .bits = 8, .skip = 8 } },
	{ "1@%rbp", 1, { .base = R(BP), .index = NO, .bits = 8 } },
	{ "%rdi", 8, { .base = R(DI), .index = NO, .bits = 64 } },
	/* numbers */
	{ "-4@$-5", -4,
	    { .disp = -5,
		.base = NO,
		.index = NO,
		.bits = 32,
		.is_signed = true } },
	{ "8@$0x7fffffffffffffff", 8,
	    { .disp = INT64_MAX, .base = NO, .index = NO, .bits = 64 } },
	{ "-8@$-9223372036854775808", -8,
	    { .disp = INT64_MIN,
		.base = NO,
		.index = NO,
		.bits = 64,
		.is_signed = true } },
	{ "8@$18446744073709551615", 8,
	    { .disp = -1, .base = NO, .index = NO, .bits = 64 } },
	{ "1@$010", 1, { .disp = 8, .base = NO, .index = NO, .bits = 8 } },
	/* memory */
	{ "8@-16(%rbp)", 8,
	    { .disp = -16,
		.base = R(BP),
		.index = NO,
		.bits = 64,
		.is_memory = true } },
	{ "4@(%rsp)", 4,
	    { .base = R(SP), .index = NO, .bits = 32, .is_memory = true } },
	{ "8@(%rax,%rbx,8)", 8,
	    { .base = R(AX),
		.index = R(BX),
		.shift = 3,
		.bits = 64,
		.is_memory = true } },
	{ "8@(%rax,%rbx)", 8,
	    { .base = R(AX), .index = R(BX), .bits = 64, .is_memory = true } },
	{ "2@0x20(,%rcx,4)", 2,
	    { .disp = 32,
		.base = NO,
		.index = R(CX),
		.shift = 2,
		.bits = 16,
		.is_memory = true } },
	{ "-4@8+4(%esp)", -4,
	    { .disp = 12,
		.base = R(SP),
		.index = NO,
		.bits = 32,
		.is_signed = true,
		.is_memory = true } },
	{ "4@-8+-4(%rsp)", 4,
	    { .disp = -12,
		.base = R(SP),
		.index = NO,
		.bits = 32,
		.is_memory = true } },
	{ "4@4096", 4,
	    { .disp = 4096,
		.base = NO,
		.index = NO,
		.bits = 32,
		.is_memory = true } },
	/* symbols: relative to the site */
	{ "-4@low(%rip)", -4,
	    { .disp = 0x40 - SITE,
		.base = R(IP),
		.index = NO,
		.bits = 32,
		.is_signed = true,
		.is_memory = true } },
	{ "8@52+.high$1(%rip)", 8,
	    { .disp = 0x5034 - SITE,
		.base = R(IP),
		.index = NO,
		.bits = 64,
		.is_memory = true } },
	{ "8@.high$1-4", 8,
	    { .disp = 0x4ffc - SITE,
		.base = R(IP),
		.index = NO,
		.bits = 64,
		.is_memory = true } },
	{ "8@$.high$1+1", 8,
	    { .disp = 0x5001 - SITE, .base = R(IP), .index = NO, .bits = 64 } },
	{ "8@.high$1(,%rax,8)", 8,
	    { .disp = 0x5000 - SITE,
		.base = R(IP),
		.index = R(AX),
		.shift = 3,
		.bits = 64,
		.is_memory = true } },
	{ "8@.high$1(%rax)", 8,
	    { .disp = 0x5000 - SITE,
		.base = R(IP),
		.index = R(AX),
		.bits = 64,
		.is_memory = true } },
};

static const struct refused {
	const char *text, *why;
} refused[] = {
	{ "8@%xmm0", "arg0: %xmm0 is no integer register\n" },
	{ "8@%st(1)", "arg0: %st(1) is no integer register\n" },
	{ "8f@%rax", "arg0: %rax is a floating point number\n" },
	{ "4@%fs:-8", "arg0: %fs:-8 is thread-local\n" },
	{ "8@foo@GOTPCREL(%rip)",
	    "arg0: foo@GOTPCREL(%rip) is a place of the dynamic linker's\n" },
	{ "8@foo(%rip)", "arg0: the file does not say where foo is\n" },
	{ "8@16(%rip)", "arg0: an address relative to %rip needs a symbol\n" },
	{ "8@low-.high$1", "arg0: differences of symbols are not supported\n" },
	{ "8@low(%rax,%rbx)",
	    "arg0: a symbol beside two registers is not supported\n" },
	{ "3@%rax", "arg0: an argument has 1, 2, 4 or 8 bytes\n" },
	{ "8@(", "arg0: a register is expected, not ''\n" },
	{ "8@(rax)", "arg0: a register is expected, not 'rax)'\n" },
	{ "8@(%rax", "arg0: a parenthesis is not closed\n" },
	{ "8@(%rax,%rbx,3)", "arg0: an index is scaled by 1, 2, 4 or 8\n" },
	{ "8@(%al)", "arg0: %al is no register of an address\n" },
	{ "8@(%rax,%rsp,1)", "arg0: the index is no general register\n" },
	{ "8@[rbp-4]", "arg0: '[rbp-4]' is not understood\n" },
	{ "8@%raxx", "arg0: %raxx is no integer register\n" },
	{ "8@$12x", "arg0: 12x is no number\n" },
	{ "8@", "arg0: '' is not understood\n" },
	{ "8@$5)", "arg0: ')' is not understood\n" },
	/* only that argument is refused; the others are usable */
	{ "8@%rax 8@%xmm1 8@%rbx 4@%fs:0",
	    "arg1: %xmm1 is no integer register\narg3: %fs:0 is "
	    "thread-local\n" },
	{ "1 2 3 4 5 6 7 8 9 10 11 12 13",
	    "arg12: a site has at most 12 arguments\n" },
};

static void
test_operands(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(operands) / sizeof(operands[0]); i++) {
		const struct operand *o = &operands[i];
		struct usdt_args args;
		char *why = usdt_args_parse(o->text, SITE, &syms, &args);

		if (why != NULL)
			fail_msg("%s: %s", o->text, why);
		assert_int_equal(args.n, 1);
		if (memcmp(&args.v[0], &o->arg, sizeof(o->arg)) != 0 ||
		    args.sizes[0] != o->size)
			fail_msg("%s is not what it should be", o->text);
	}
}

static void
test_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct usdt_args args;
		char *why =
		    usdt_args_parse(refused[i].text, SITE, &syms, &args);

		if (why == NULL)
			fail_msg("%s is accepted", refused[i].text);
		assert_string_equal(why, refused[i].why);
		free(why);
	}
}

static void
test_lists(void **state)
{
	struct usdt_args args;

	(void)state;
	assert_null(usdt_args_parse("", SITE, &syms, &args));
	assert_int_equal(args.n, 0);
	assert_null(
	    usdt_args_parse("  -4@%edi   8@%rsi 1@$3 ", SITE, NULL, &args));
	assert_int_equal(args.n, 3);
	assert_int_equal(args.v[1].base, USDT_REG_SI);
	assert_int_equal(args.v[2].disp, 3);
	free(usdt_args_parse("8@%rax 8@%xmm1 8@%rbx", SITE, NULL, &args));
	assert_int_equal(args.n, 3);
	assert_false(args.v[0].is_refused);
	assert_true(args.v[1].is_refused);
	assert_int_equal(args.v[2].base, USDT_REG_BX);
}

/* ---- files --------------------------------------------------------------- */

static char *image;
static size_t image_len;

/* This test program has no probes; sdtapp beside it has some. */
static int
read_sdtapp(void **state)
{
	FILE *f = fopen(SDTAPP, "re");

	(void)state;
	if (f == NULL)
		return -1;
	fseek(f, 0, SEEK_END);
	image_len = (size_t)ftell(f);
	rewind(f);
	image = malloc(image_len);
	if (fread(image, 1, image_len, f) != image_len)
		return -1;
	return fclose(f);
}

static int
free_image(void **state)
{
	(void)state;
	free(image);
	return 0;
}

static const struct usdt_note *
find_note(const struct usdt_notes *notes, const char *name)
{
	VEC_FOREACH(&notes->v, n) {
		if (strcmp(n->name, name) == 0)
			return n;
	}
	return NULL;
}

static void
test_notes(void **state)
{
	static const char nop[] = "\x90\x0f\x1f\x40\x00";
	struct usdt_notes notes = { 0 };
	const struct usdt_note *round, *forms;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(
	    usdt_notes_read_mem(image, image_len, &notes, &err), 0);
	assert_int_equal(notes.cls, USDT_CLASS_64);
	assert_int_equal(notes.v.n, 3);
	round = find_note(&notes, "round");
	forms = find_note(&notes, "forms");
	assert_non_null(round);
	assert_non_null(forms);
	assert_string_equal(round->provider, "sdtapp");
	/* the offset is that of the nop, which may differ from its address */
	assert_true(round->offset + 5 <= image_len);
	assert_memory_equal(image + round->offset, nop, 5);
	assert_memory_equal(image + forms->offset, nop, 5);
	assert_true(round->semaphore + 2 <= image_len);
	assert_memory_equal(image + round->semaphore, "\0", 2);
	assert_int_not_equal(round->semaphore, forms->semaphore);
	usdt_notes_fini(&notes);
}

/* In a damaged file, every reported range lies in the file. */
static void
check_damaged(const char *img, size_t len)
{
	struct usdt_notes notes = { 0 };
	struct err err = { 0 };

	if (usdt_notes_read_mem(img, len, &notes, &err) != 0)
		assert_non_null(err.text);
	VEC_FOREACH(&notes.v, n)
		assert_true(
		    n->provider != NULL && n->name != NULL && n->args != NULL);
	usdt_notes_fini(&notes);
	err_clear(&err);
}

static void
test_damaged(void **state)
{
	char *copy = malloc(image_len);
	const char *notes = memmem(image, image_len, "stapsdt\0", 8);

	(void)state;
	assert_non_null(notes);
	memcpy(copy, image, image_len);
	for (size_t i = 0; i < 64 + 14 * 56 && i < image_len; i++) {
		copy[i] ^= 0x7f;
		check_damaged(copy, image_len);
		copy[i] = image[i];
	}
	for (size_t i = (size_t)(notes - image) - 12;
	     i < (size_t)(notes - image) + 300 && i < image_len; i++) {
		copy[i] ^= (char)0xff;
		check_damaged(copy, image_len);
		copy[i] = image[i];
	}
	for (size_t len = 0; len < image_len; len += 1 + len / 16)
		check_damaged(copy, len);
	free(copy);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_operands),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_notes),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, read_sdtapp, free_image);
}
