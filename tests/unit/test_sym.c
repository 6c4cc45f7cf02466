/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Symbols of ELF files (tests/prog/syms.c in every form) and of processes (this
 * one).  binutils reads the same files independently and gives the expected
 * result.
 */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "sym/demangle.h"
#include "sym/proc_maps.h"

static char *
prog(const char *name)
{
	return mem_printf("%s/%s", getenv("PROGS"), name);
}

/* The symbols of a test program, with debug files below `root`. */
static struct elf_syms *
open_below(const char *name, const char *root)
{
	char *path = prog(name);
	struct err err = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct elf_syms *es;

	assert_true(fd >= 0);
	es = elf_syms_open(fd, path, root, &err);
	if (es == NULL)
		fail_msg("%s: %s", path, err.text);
	close(fd);
	free(path);
	return es;
}

static uint64_t
value(struct elf_syms *es, const char *name)
{
	const struct elf_sym *sym = elf_syms_by_name(es, name);

	if (sym == NULL)
		fail_msg("no symbol %s", name);
	assert_string_equal(elf_sym_name(es, sym), name);
	return sym->value;
}

static const char *
name_at(const struct elf_syms *es, uint64_t vaddr)
{
	const struct elf_sym *sym = elf_syms_by_addr(es, vaddr);

	return sym != NULL ? elf_sym_name(es, sym) : "(none)";
}

/* ---- one file ------------------------------------------------------------ */

static void
innermost(void **state)
{
	struct elf_syms *es = open_below("syms", "");
	uint64_t outer = value(es, "sy_outer"), plain = value(es, "sy_plain");

	(void)state;
	assert_string_equal(name_at(es, plain), "sy_plain");
	assert_string_equal(name_at(es, plain + 3), "sy_plain");
	assert_string_equal(name_at(es, outer + 7), "sy_outer");
	assert_string_equal(name_at(es, outer + 8), "sy_inner");
	assert_string_equal(name_at(es, outer + 15), "sy_inner");
	assert_string_equal(name_at(es, outer + 16), "sy_outer");
	assert_string_equal(name_at(es, outer + 31), "sy_outer");
	assert_string_equal(name_at(es, outer + 32), "(none)");
	assert_string_equal(name_at(es, outer + 47), "(none)");
	assert_string_equal(name_at(es, outer + 48), "sy_label");
	assert_string_equal(name_at(es, outer + 63), "sy_label");
	assert_string_equal(name_at(es, outer + 64), "sy_after");
	assert_string_equal(name_at(es, value(es, "sy_data") + 3), "sy_data");
	assert_string_equal(name_at(es, 1), "(none)");
	assert_string_equal(name_at(es, UINT64_MAX), "(none)");
	elf_syms_rele(es);
}

static void
aliases(void **state)
{
	struct elf_syms *es = open_below("syms", "");

	(void)state;
	assert_int_equal(value(es, "__sy_alias"), value(es, "sy_alias"));
	assert_int_equal(value(es, "__sy_alias"), value(es, "sy_weak"));
	/* the fewest underscores, then the alphabet */
	assert_string_equal(name_at(es, value(es, "sy_weak")), "sy_alias");
	elf_syms_rele(es);
}

/* Compare a table with the lines "address name" that a command prints. */
static unsigned
check_against(struct elf_syms *es, const char *command)
{
	FILE *p = popen(command, "re");
	char name[4096], *line = NULL;
	unsigned long long addr;
	unsigned n = 0;
	size_t cap = 0;

	assert_non_null(p);
	while (getline(&line, &cap, p) > 0) {
		const struct elf_sym *sym;

		if (sscanf(line, "%llx %4095s", &addr, name) != 2)
			continue;
		sym = elf_syms_by_name(es, name);
		if (sym == NULL)
			fail_msg("no symbol %s", name);
		sym = elf_syms_by_addr(es, addr);
		if (sym == NULL || sym->value != addr)
			fail_msg("nothing at %llx (%s)", addr, name);
		n++;
	}
	free(line);
	pclose(p);
	return n;
}

static void
as_binutils(void **state)
{
	static const char *const files[] = { "/bin/bash", "/usr/bin/python3",
		"/lib/x86_64-linux-gnu/libc.so.6" };

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		int fd = open(files[i], O_RDONLY | O_CLOEXEC);
		char *command;
		struct err err = { 0 };
		struct elf_syms *es;

		if (fd < 0)
			continue;
		es = elf_syms_open(fd, NULL, "", &err);
		assert_non_null(es);
		close(fd);
		command = mem_printf("nm -D --defined-only "
				     "--without-symbol-versions %s | "
				     "sed -n 's/ [Tti] / /p'",
		    files[i]);
		assert_true(check_against(es, command) > 1000);
		free(command);
		command = mem_printf(
		    "objdump -d -j .plt -j .plt.sec "
		    "-j .plt.got %s 2>/dev/null | sed -nE "
		    "'/\\*ABS/!s/^([0-9a-f]+) <([^@+]+@plt)>:/\\1 \\2/p'",
		    files[i]);
		assert_true(check_against(es, command) > 10);
		free(command);
		elf_syms_rele(es);
	}
}

static void
offsets(void **state)
{
	struct elf_syms *es = open_below("syms", "");
	uint64_t plain = value(es, "sy_plain"), data = value(es, "sy_data");
	uint64_t off, vaddr;

	(void)state;
	assert_true(elf_syms_offset(es, plain, &off));
	assert_true(elf_syms_vaddr(es, off, true, &vaddr));
	assert_int_equal(vaddr, plain);
	assert_true(elf_syms_offset(es, data, &off));
	assert_true(elf_syms_vaddr(es, off, false, &vaddr));
	assert_int_equal(vaddr, data);
	assert_false(elf_syms_offset(es, UINT64_MAX, &off));
	assert_false(elf_syms_vaddr(es, UINT64_MAX, true, &vaddr));
	elf_syms_rele(es);
}

/* ---- stripped files ------------------------------------------------------ */

static void
stripped(void **state)
{
	struct elf_syms *full = open_below("syms", "");
	struct elf_syms *es = open_below("syms_stripped", "");

	(void)state;
	assert_int_equal(value(es, "sy_plain"), value(full, "sy_plain"));
	assert_null(elf_syms_by_name(es, "sy_static"));
	assert_non_null(elf_syms_by_name(full, "sy_static"));
	assert_non_null(elf_syms_by_name(es, "printf@plt"));
	elf_syms_rele(es);
	elf_syms_rele(full);
}

static void
elsewhere(const char *name, const char *root)
{
	struct elf_syms *full = open_below("syms", "");
	struct elf_syms *es = open_below(name, root);

	assert_int_equal(value(es, "sy_static"), value(full, "sy_static"));
	assert_int_equal(value(es, "sy_plain"), value(full, "sy_plain"));
	assert_non_null(elf_syms_by_name(es, "printf@plt"));
	elf_syms_rele(es);
	elf_syms_rele(full);
}

static void
packed(void **state)
{
	(void)state;
	elsewhere("syms_mini", "");
}

static void
by_link(void **state)
{
	(void)state;
	elsewhere("syms_linked", "");
}

static void
run(const char *fmt, const char *arg1, const char *arg2)
{
	char *command;

	assert_true(arg1 != NULL && arg2 != NULL);
	command =
	    mem_printf("set -e; exec 2>&1; a=%s; b=%s; %s", arg1, arg2, fmt);
	assert_int_equal(system(command), 0);
	free(command);
}

/* A root directory with a file of debug information at the right place; a wrong
 * file there is ignored. */
static void
by_build_id(void **state)
{
	struct elf_syms *es = open_below("syms", "");
	char root[] = "/tmp/test_sym.XXXXXX", *path = prog("syms");
	char *wrong = prog("syms_linked"), *dir;
	size_t len;
	const uint8_t *id = elf_syms_build_id(es, &len);

	(void)state;
	assert_int_equal(len, 20);
	assert_non_null(mkdtemp(root));
	dir = mem_printf("%s/usr/lib/debug/.build-id/%02x/", root, id[0]);
	for (size_t i = 1; i < len; i++) {
		char *more = mem_printf("%s%02x", dir, id[i]);

		free(dir);
		dir = more;
	}
	run("mkdir -p ${b%/*}; cp $a $b.debug", path, dir);
	elsewhere("syms_stripped", root);
	elf_syms_rele(es);
	run("cp $a.debug $b.debug", wrong, dir);
	es = open_below("syms_stripped", root);
	assert_null(elf_syms_by_name(es, "sy_static"));
	elf_syms_rele(es);
	run("rm -r $a", root, "");
	free(dir);
	free(path);
	free(wrong);
}

/* ---- files that are not ELF ---------------------------------------------- */

static void
refused(const void *img, size_t len, const char *why)
{
	struct err err = { 0 };

	assert_null(elf_syms_parse(img, len, &err));
	assert_string_equal(err.text, why);
	err_clear(&err);
}

static void
bad_files(void **state)
{
	char *path = prog("syms"), *img;
	struct err err = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	(void)state;
	refused("#!/bin/sh\n", 10, "it is not an ELF file");
	assert_int_equal(fstat(fd, &st), 0);
	img = mem_alloc((size_t)st.st_size);
	assert_int_equal(read(fd, img, (size_t)st.st_size), st.st_size);
	close(fd);
	/* a truncated file may have fewer symbols, but does no harm */
	for (size_t len = (size_t)st.st_size; len > 64; len -= len / 40 + 1) {
		struct elf_syms *es = elf_syms_parse(img, len, &err);

		err_clear(&err);
		elf_syms_rele(es);
	}
	img[16] = 1; /* ET_REL */
	refused(img, (size_t)st.st_size,
	    "it is not a program or shared "
	    "library of this machine");
	fd = open("/", O_RDONLY | O_CLOEXEC);
	assert_null(elf_syms_open(fd, NULL, "", &err));
	assert_string_equal(err.text, "it is not a regular file");
	err_clear(&err);
	close(fd);
	free(img);
	free(path);
}

/* ---- mangled names ------------------------------------------------------- */

/* text NULL: it is not a mangled name. */
static const struct {
	const char *name, *text;
} mangled[] = {
	/* C++ (Itanium ABI, section 5.1) */
	{ "_Z4openPKci", "open(char const*, int)" },
	{ "_ZN5store3putERKSs", "store::put(std::string const&)" },
	{ "_ZN1aC1Ev", "a::a()" },
	{ "_Zz", NULL },
	{ "main", NULL },
	{ "_", NULL },
	/* Rust's legacy mangling */
	{ "_ZN4disk4read17h00112233aabbccddE", "disk::read" },
	{ "_ZN4disk4read17h00112233aabbccddE.llvm.7", "disk::read" },
	{ "_ZN27_$LT$disk..Page$LT$T$GT$$GT$3get17h00112233aabbccddE", NULL },
	{ "_ZN28_$LT$disk..Page$LT$T$GT$$GT$3get17h00112233aabbccddE",
	    "<disk::Page<T>>::get" },
	{ "_ZN4disk11a$u20$b$C$c17h00112233aabbccddE", "disk::a b,c" },
	/* v0: paths, namespaces, disambiguators */
	{ "_RNvC4disk4read", "disk::read" },
	{ "_RNvCs7_4disk4read", "disk::read" },
	{ "_RNvNtC4disk4page4read", "disk::page::read" },
	{ "_RNCNvC4disk4read0", "disk::read::{closure#0}" },
	{ "_RNCNvC4disk4reads_0", "disk::read::{closure#1}" },
	{ "_RNCNvC4disk4reads0_0", "disk::read::{closure#2}" },
	{ "_RNSNvC4disk4read6vtable", "disk::read::{shim:vtable#0}" },
	{ "_RNvMC4diskNtB2_4Page3get", "<disk::Page>::get" },
	{ "_RNvXC4diskNtB2_4PageNtB2_4Read3get",
	    "<disk::Page as disk::Read>::get" },
	{ "_RNvYtNtC4disk4Read3get", "<u16 as disk::Read>::get" },
	{ "_RNvC4disk4readC3app", "disk::read" },
	{ "_RNvC4disk4read.llvm.7", "disk::read" },
	/* types and constants */
	{ "_RINvC4disk4readhbeE", "disk::read::<u8, bool, str>" },
	{ "_RINvC4disk4readRhQmPxOaE",
	    "disk::read::<&u8, &mut u32, *const i64, *mut i8>" },
	{ "_RINvC4disk4readShAlj3_TE", NULL },
	{ "_RINvC4disk4readShAlj3_TEThEThbEE",
	    "disk::read::<[u8], [i32; 3], (), (u8,), (u8, bool)>" },
	{ "_RINvC4disk4readFhmEuFUKCEzE",
	    "disk::read::<fn(u8, u32), unsafe extern \"C\" fn() -> !>" },
	{ "_RINvC4disk4readDNtC4core4SendEL_E",
	    "disk::read::<dyn core::Send>" },
	{ "_RINvC4disk4readDINtC4core2FnTlEEp6OutputuEL_E",
	    "disk::read::<dyn core::Fn<(i32,), Output = ()>>" },
	{ "_RINvC4disk4readFG_RL0_hEuE", "disk::read::<for<'a> fn(&'a u8)>" },
	{ "_RINvC4disk4readKjff_Kb1_Kc41_Kln5_KpE",
	    "disk::read::<255, true, 'A', -5, _>" },
	{ "_RINvC4disk4readKo123456789abcdef01_E",
	    "disk::read::<0x123456789abcdef01>" },
	/* punycode: b, then u-umlaut before it */
	{ "_RNvC4disku4_b_jra", NULL },
	{ "_RNvC4disku4bcher", NULL },
	{ "_RNvC4disku9bcher_kva", "disk::b\u00fccher" },
	/* back references forward, to themselves, in a circle; no end */
	{ "_RNvB4_4read", NULL },
	{ "_RB_", NULL },
	{ "_RNvC4disk9read", NULL },
	{ "_RINvC4disk4readhb", NULL },
	{ "_R", NULL },
	{ "_R0NvC4disk4read", NULL },
};

static void
demangled(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(mangled) / sizeof(mangled[0]); i++) {
		char *text = demangle_name(mangled[i].name);

		if (text == NULL && mangled[i].text == NULL)
			continue;
		if (text == NULL || mangled[i].text == NULL ||
		    strcmp(text, mangled[i].text) != 0)
			fail_msg("%s: %s, not %s", mangled[i].name,
			    text != NULL ? text : "(none)",
			    mangled[i].text != NULL ? mangled[i].text :
						      "(none)");
		free(text);
	}
}

/* Few bytes that stand for a huge name: each parameter is three of the one
 * before. */
static void
never_huge(void **state)
{
	struct strbuf name = { 0 };
	char *text;

	(void)state;
	strbuf_adds(&name, "_Z1f1AIiE");
	for (int i = 0; i < 30; i++) {
		char d = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i];

		strbuf_printf(&name, "S_IS%c_S%c_S%c_E", d, d, d);
	}
	text = demangle_name(name.s);
	assert_null(text);
	strbuf_reset(&name);
	/* and the same as types of Rust */
	strbuf_adds(&name, "_RINvC1f1gTyyE");
	for (int i = 0; i < 20; i++)
		strbuf_printf(
		    &name, "TB%c_B%c_E", "8cgkosw"[i % 7], "8cgkosw"[i % 7]);
	strbuf_adds(&name, "E");
	text = demangle_name(name.s);
	assert_true(text == NULL || strlen(text) < 4096);
	free(text);
	strbuf_fini(&name);
}

/* ---- a process ----------------------------------------------------------- */

static const char *
name_here(struct sym_cache *sc, const struct proc_maps *pm, const void *at)
{
	uint64_t addr = (uint64_t)(uintptr_t)at, vaddr;
	const struct proc_map *map = proc_maps_find(pm, addr);
	struct err err = { 0 };
	struct elf_syms *es;

	if (map == NULL)
		return "(not mapped)";
	es = proc_map_syms(sc, getpid(), map, &err);
	err_clear(&err);
	if (es == NULL || !proc_map_vaddr(map, es, addr, &vaddr))
		return "(no symbols)";
	return name_at(es, vaddr);
}

static const char *
module_here(const struct proc_maps *pm, const void *at)
{
	const struct proc_map *map =
	    proc_maps_find(pm, (uint64_t)(uintptr_t)at);
	const struct proc_module *m = proc_maps_module(pm, map);

	return m != NULL ? m->name : "(none)";
}

static void
this_process(void **state)
{
	const char *vdso = (const char *)getauxval(AT_SYSINFO_EHDR);
	struct sym_cache *sc = sym_cache_create();
	struct proc_maps pm;
	char *heap = mem_alloc(100);
	struct err err = { 0 };
	struct elf_syms *es;
	const struct proc_map *map;
	uint64_t bias;

	(void)state;
	assert_int_equal(proc_maps_read(&pm, getpid(), &err), 0);
	assert_string_equal(
	    name_here(sc, &pm, (void *)this_process), "this_process");
	assert_string_equal(module_here(&pm, (void *)this_process), "test_sym");
	assert_string_equal(name_here(sc, &pm, (void *)mkdtemp), "mkdtemp");
	assert_string_equal(module_here(&pm, (void *)mkdtemp), "libc.so.6");
	assert_string_equal(module_here(&pm, vdso), "[vdso]");
	assert_string_equal(module_here(&pm, heap), "(none)");
	assert_string_equal(name_here(sc, &pm, heap), "(no symbols)");
	assert_string_equal(name_here(sc, &pm, NULL), "(not mapped)");

	map = proc_maps_find(&pm, (uint64_t)(uintptr_t)this_process);
	es = proc_map_syms(sc, getpid(), map, &err);
	assert_true(proc_map_bias(map, es, &bias));
	assert_int_equal(
	    bias + value(es, "this_process"), (uintptr_t)this_process);
	map = proc_maps_find(&pm, (uint64_t)(uintptr_t)vdso);
	es = proc_map_syms(sc, getpid(), map, &err);
	assert_non_null(elf_syms_by_name(es, "__vdso_gettimeofday"));
	proc_maps_fini(&pm);
	sym_cache_destroy(sc);
	free(heap);
}

static void
no_process(void **state)
{
	struct proc_maps pm;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(proc_maps_read(&pm, 0x7ffffffe, &err), -ENOENT);
	assert_string_equal(err.text, "process 2147483646 does not exist");
	err_clear(&err);
	proc_maps_fini(&pm);
}

/* The maps of a process: each mapping of one file, deleted files, names with
 * spaces. */
static void
maps_text(void **state)
{
	char text[] = "1000-2000 r--p 00000000 08:01 7 /a b/lib.so\n"
		      "2000-3000 r-xp 00001000 08:01 7 /a b/lib.so\n"
		      "3000-4000 rw-p 00000000 00:00 0 \n"
		      "5000-6000 r-xp 00000000 08:01 7 /a b/lib.so\n"
		      "6000-7000 r-xp 00000000 08:02 9 /x\\012y (deleted)\n"
		      "rubbish\n"
		      "9000-8000 r-xp 00000000 08:02 9 /x\n"
		      "9000-a000 r-xp 00000000 00:00 0 [vdso]\n";
	struct proc_maps pm = { 0 };

	(void)state;
	proc_maps_parse(&pm, text);
	assert_int_equal(pm.maps.n, 6);
	assert_int_equal(pm.modules.n, 4);
	assert_int_equal(pm.modules.v[0].nmaps, 2);
	assert_string_equal(pm.modules.v[0].name, "lib.so");
	assert_string_equal(pm.modules.v[0].path, "/a b/lib.so");
	assert_int_equal(pm.modules.v[1].maps->start, 0x5000);
	assert_string_equal(pm.modules.v[2].path, "/x\ny");
	assert_true(pm.modules.v[2].maps->is_deleted);
	assert_string_equal(pm.modules.v[3].name, "[vdso]");
	assert_true(pm.maps.v[1].is_exec);
	assert_false(pm.maps.v[0].is_exec);
	assert_null(proc_maps_find(&pm, 0x4000));
	assert_ptr_equal(proc_maps_find(&pm, 0x2fff), &pm.maps.v[1]);
	proc_maps_fini(&pm);
}

/* A file replaces another one, while a process still maps the first. */
static void
replaced_file(void **state)
{
	char dir[] = "/tmp/test_sym.XXXXXX", *path = prog("syms");
	struct sym_cache *sc = sym_cache_create();
	struct elf_syms *one, *two;
	struct err err = { 0 };
	int fd;

	(void)state;
	assert_non_null(mkdtemp(dir));
	run("cp $a $b/x", path, dir);
	free(path);
	path = mem_printf("%s/x", dir);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	one = sym_cache_file(sc, fd, path, "", &err);
	assert_ptr_equal(sym_cache_file(sc, fd, path, "", &err), one);
	close(fd);
	run("cp /bin/true $b/y; mv $b/y $b/x", path, dir);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	two = sym_cache_file(sc, fd, path, "", &err);
	close(fd);
	assert_non_null(elf_syms_by_name(one, "sy_plain"));
	assert_true(two != one);
	assert_null(elf_syms_by_name(two, "sy_plain"));
	run("rm -r $a", dir, "");
	sym_cache_destroy(sc);
	free(path);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(innermost),
		cmocka_unit_test(aliases),
		cmocka_unit_test(as_binutils),
		cmocka_unit_test(offsets),
		cmocka_unit_test(stripped),
		cmocka_unit_test(packed),
		cmocka_unit_test(by_link),
		cmocka_unit_test(by_build_id),
		cmocka_unit_test(bad_files),
		cmocka_unit_test(demangled),
		cmocka_unit_test(never_huge),
		cmocka_unit_test(this_process),
		cmocka_unit_test(no_process),
		cmocka_unit_test(maps_text),
		cmocka_unit_test(replaced_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
