/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of kernel addresses, with lists of symbols and modules of our own. */
#include "unit.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "base/str.h"
#include "consume/ksyms.h"

/* A private /proc: some kernels have no /proc/modules. */
static int
own_proc(void **state)
{
	(void)state;
	if (unshare(CLONE_NEWNS) != 0 &&
	    unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
		return 0;
	if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0)
		(void)mount("ksyms", "/proc", "tmpfs", 0, NULL);
	return 0;
}

static void
put(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");

	if (f == NULL)
		skip();
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

#define CODE                                                                   \
	"ffffffff81000000 T _text\n"                                           \
	"ffffffff81000100 t before\n"                                          \
	"ffffffff81008000 T _etext\n"
#define DATA                                                                   \
	"0000000000000000 A __per_cpu_start\n"                                 \
	"0000000000002000 D per_cpu_thing\n"                                   \
	"ffffffff82000000 D init_task\n"                                       \
	"ffffffff82004000 b large\n"                                           \
	"ffffffff82300000 B __bss_stop\n"                                      \
	"ffffffff82300000 B _end\n"
#define INIT                                                                   \
	"ffffffff82800000 D __start_notes\n"                                   \
	"ffffffff82900000 T _sinittext\n"                                      \
	"ffffffff82901000 T _einittext\n"
#define FIRST                                                                  \
	"ffffffffc0000010 t first_code\t[first]\n"                             \
	"ffffffffc0010000 d first_data\t[first]\n"
#define SECOND "ffffffffc0005000 t second_code\t[second]\n"
#define MADE                                                                   \
	"ffffffffc0100000 t bpf_prog_1\t[bpf]\n"                               \
	"ffffffffc0200000 t trampoline\t[__builtin__ftrace]\n"

#define FIRST_LINE "first 16384 0 - Live 0xffffffffc0000000\n"
#define SECOND_LINE "second 8192 1 first,third, Live 0xffffffffc0005000 (OE)\n"

static void
check(struct ksyms *ks, uint64_t addr, const char *want)
{
	struct strbuf text = { 0 };

	ksyms_format(ks, addr, &text);
	assert_string_equal(text.s, want);
	strbuf_fini(&text);
}

static struct ksyms *
with_lists(const char *symbols, const char *modules)
{
	put("/proc/kallsyms", symbols);
	put("/proc/modules", modules);
	return ksyms_create();
}

static void
data(void **state)
{
	struct ksyms *ks = with_lists(CODE DATA INIT, "");
	struct ksym_name found;

	(void)state;
	check(ks, 0xffffffff81007fff, "vmlinux`before+0x7eff");
	check(ks, 0xffffffff81008000, "0xffffffff81008000");
	check(ks, 0xffffffff81ffffff, "0xffffffff81ffffff");
	check(ks, 0xffffffff82000008, "vmlinux`init_task+0x8");
	check(ks, 0xffffffff822fffff, "vmlinux`large+0x2fbfff");
	check(ks, 0xffffffff82300000, "0xffffffff82300000");
	check(ks, 0x2000, "0x2000");
	check(ks, 0xffff888000000000, "0xffff888000000000");
	assert_true(ksyms_find_name(ks, 0xffffffff82004001, &found));
	assert_true(found.is_data && found.offset == 1);
	assert_true(ksyms_find_name(ks, 0xffffffff81000000, &found));
	assert_false(found.is_data);
	ksyms_destroy(ks);
}

/* A list with few data symbols gives no names to data: most are missing. */
static void
without_data(void **state)
{
	struct ksyms *ks = with_lists(CODE INIT, "");

	(void)state;
	check(ks, 0xffffffff81007fff, "vmlinux`before+0x7eff");
	check(ks, 0xffffffff82000008, "0xffffffff82000008");
	check(ks, 0xffffffff82800000, "0xffffffff82800000");
	check(ks, 0xffffffff82900fff, "vmlinux`_sinittext+0xfff");
	check(ks, 0xffffffff82901000, "0xffffffff82901000");
	ksyms_destroy(ks);
}

static void
modules(void **state)
{
	struct ksyms *ks =
	    with_lists(CODE DATA FIRST SECOND MADE, FIRST_LINE SECOND_LINE);

	(void)state;
	check(ks, 0xffffffffc0000000, "0xffffffffc0000000");
	check(ks, 0xffffffffc0003fff, "first`first_code+0x3fef");
	check(ks, 0xffffffffc0004000, "0xffffffffc0004000");
	check(ks, 0xffffffffc0006fff, "second`second_code+0x1fff");
	check(ks, 0xffffffffc0007000, "0xffffffffc0007000");
	/* the list of modules does not give the end of a part */
	check(ks, 0xffffffffc0010fff, "first`first_data+0xfff");
	check(ks, 0xffffffffc0011000, "0xffffffffc0011000");
	check(ks, 0xffffffffc0108000, "bpf`bpf_prog_1+0x8000");
	check(ks, 0xffffffffc0110000, "0xffffffffc0110000");
	check(ks, 0xffffffffc0200010, "__builtin__ftrace`trampoline+0x10");
	check(ks, 0xffffffffc0201000, "0xffffffffc0201000");
	assert_true(ksyms_module_addr(ks, "first", 0xffffffffc0010000) ==
	    0xffffffffc0000010);
	ksyms_destroy(ks);
}

/* The kernel hides the addresses of modules. */
static void
hidden_extents(void **state)
{
	struct ksyms *ks = with_lists(CODE DATA FIRST SECOND,
	    "first 16384 0 - Live 0x0\nsecond 8192 0 - Live 0x0\n");

	(void)state;
	check(ks, 0xffffffffc000100f, "first`first_code+0xfff");
	check(ks, 0xffffffffc0001010, "0xffffffffc0001010");
	check(ks, 0xffffffffc0005fff, "second`second_code+0xfff");
	ksyms_destroy(ks);
}

static void
module_comes_later(void **state)
{
	struct ksyms *ks = with_lists(CODE DATA FIRST, FIRST_LINE);
	struct ksym_name early;

	(void)state;
	assert_true(ksyms_find_name(ks, 0xffffffffc0000010, &early));
	check(ks, 0xffffffffc0005008, "0xffffffffc0005008");
	put("/proc/kallsyms", CODE DATA FIRST SECOND);
	put("/proc/modules", FIRST_LINE SECOND_LINE);
	check(ks, 0xffffffffc0005008, "0xffffffffc0005008");
	usleep(1100000);
	check(ks, 0xffffffffc0005008, "second`second_code+0x8");
	assert_string_equal(early.name, "first_code");
	ksyms_destroy(ks);
}

/* Another module takes the place of one that is gone: a named address is looked
 * up again, too. */
static void
module_is_another(void **state)
{
	struct ksyms *ks = with_lists(CODE DATA FIRST, FIRST_LINE);

	(void)state;
	check(ks, 0xffffffffc0000018, "first`first_code+0x8");
	put("/proc/kallsyms",
	    CODE DATA "ffffffffc0000008 t third_code\t[third]\n");
	put("/proc/modules", "third 16384 0 - Live 0xffffffffc0000000\n");
	usleep(1100000);
	check(ks, 0xffffffffc0000018, "third`third_code+0x10");
	ksyms_destroy(ks);
}

/* Only kallsyms lists BPF programs. */
static void
program_comes_later(void **state)
{
	struct ksyms *ks = with_lists(CODE DATA FIRST, FIRST_LINE);

	(void)state;
	check(ks, 0xffffffffc0100008, "0xffffffffc0100008");
	put("/proc/kallsyms", CODE DATA FIRST MADE);
	usleep(1100000);
	check(ks, 0xffffffff81000000, "vmlinux`_text");
	check(ks, 0xffffffffc0100008, "bpf`bpf_prog_1+0x8");
	ksyms_destroy(ks);
}

static bool
ours(void *arg, uint64_t addr, const char **mod, const char **name,
    uint64_t *offset)
{
	(void)arg;
	*mod = addr < 0xffffffffd0001000 ? "device" : "other";
	*name = "part";
	*offset = addr & 0xff;
	return addr >= 0xffffffffd0000000;
}

/* mod() keys its rows by this address. */
static void
module_of_lookup(void **state)
{
	struct ksyms *ks = with_lists(CODE DATA, "");
	uint64_t device = 0xffffffffd0000010, other = 0xffffffffd0001010;

	(void)state;
	ksyms_set_lookup(ks, ours, NULL);
	check(ks, device, "device`part+0x10");
	assert_true(ksyms_module_addr(ks, "device", device) == device);
	assert_true(ksyms_module_addr(ks, "other", other) == other);
	check(ks, 0xffffffff81000000, "vmlinux`_text");
	ksyms_forget(ks);
	assert_true(ksyms_module_addr(ks, "device", device + 8) == device);
	check(ks, 0xffffffff81000000, "vmlinux`_text");
	assert_true(ksyms_module_addr(ks, "other", other + 8) == other);
	assert_true(ksyms_module_addr(ks, "vmlinux", 0xffffffff82000000) ==
	    0xffffffff81000000);
	ksyms_destroy(ks);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(data),
		cmocka_unit_test(without_data),
		cmocka_unit_test(modules),
		cmocka_unit_test(hidden_extents),
		cmocka_unit_test(module_comes_later),
		cmocka_unit_test(module_is_another),
		cmocka_unit_test(program_comes_later),
		cmocka_unit_test(module_of_lookup),
	};

	return cmocka_run_group_tests(tests, own_proc, NULL);
}
