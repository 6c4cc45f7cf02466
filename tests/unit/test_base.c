/* SPDX-License-Identifier: BSD-2-Clause */
/* The base layer: globs, growing strings, string numbers, arenas,
 * diagnostics. */
#include "unit.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/procfs.h>
#include <sys/user.h>
#include <unistd.h>

#include "base/bounds.h"
#include "base/core.h"
#include "base/cpulist.h"
#include "base/cputicks.h"
#include "base/diag.h"
#include "base/glob.h"
#include "base/idmap.h"
#include "base/kmsg.h"
#include "base/lines.h"
#include "base/mem.h"
#include "base/protobuf.h"
#include "base/refusals.h"
#include "base/sort.h"
#include "base/str.h"

#define NELEM(a) (sizeof(a) / sizeof((a)[0]))

static const struct glob_case {
	const char *pattern, *name;
	int match;
} glob_cases[] = {
	{ "", "anything", 1 },
	{ "", "", 1 },
	{ "read", "read", 1 },
	{ "read", "reads", 0 },
	{ "read", "rea", 0 },
	{ "*", "", 1 },
	{ "*", "read", 1 },
	{ "r*d", "read", 1 },
	{ "r*d", "rd", 1 },
	{ "r*d", "reads", 0 },
	{ "*a*b*c", "xaybzc", 1 },
	{ "*a*b*c", "xaybz", 0 },
	{ "?ead", "read", 1 },
	{ "?ead", "ead", 0 },
	{ "[a-r]ead", "read", 1 },
	{ "[s-z]ead", "read", 0 },
	{ "[!s-z]ead", "read", 1 },
	{ "[!r]ead", "read", 0 },
	{ "[]x]ead", "]ead", 1 },
	{ "[rx", "[rx", 1 },
	{ "\\*", "*", 1 },
	{ "\\*", "x", 0 },
	{ "a\\?", "a?", 1 },
	{ "**a", "bba", 1 },
	{ "pread*", "pread64", 1 },
};

static void
globs(void **state)
{
	(void)state;
	for (size_t i = 0; i < NELEM(glob_cases); i++) {
		const struct glob_case *c = &glob_cases[i];

		if (!!glob_match(c->pattern, c->name) != c->match)
			fail_msg("'%s' on '%s': expected %d", c->pattern,
			    c->name, c->match);
	}
	assert_true(glob_is_pattern("a*"));
	assert_false(glob_is_pattern("read"));
}

/* A pattern of many stars must not take exponential time. */
static void
globs_hostile(void **state)
{
	char pattern[200], name[2000];

	(void)state;
	for (size_t i = 0; i + 2 < sizeof(pattern); i += 2) {
		pattern[i] = '*';
		pattern[i + 1] = 'a';
	}
	strcpy(pattern + sizeof(pattern) - 3, "*b");
	memset(name, 'a', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	assert_false(glob_match(pattern, name));
}

static void
strings_grow(void **state)
{
	struct strbuf sb = { 0 };
	char *s;

	(void)state;
	s = strbuf_steal(&sb);
	assert_string_equal(s, "");
	free(s);
	for (int i = 0; i < 1000; i++)
		strbuf_printf(&sb, "%d,", i % 10);
	strbuf_addc(&sb, '\0');
	strbuf_adds(&sb, "end");
	assert_int_equal(sb.len, 2004);
	assert_memory_equal(sb.s + 2000, "\0end", 5);
	s = strbuf_steal(&sb);
	assert_null(sb.s);
	free(s);
}

/*
 * Bytes that a terminal would obey are replaced; a UTF-8 character may contain
 * such bytes.
 */
static void
strings_plain(void **state)
{
	struct strbuf sb = { 0 };

	(void)state;
	strbuf_add_plain(&sb, "a\\\"\n\t\033[1m\177 \302\233 \233", "\t");
	assert_string_equal(sb.s, "a\\\"\\n\t\\033[1m\\177 \302\\233 \\233");
	strbuf_reset(&sb);
	strbuf_add_plain(&sb, "\303\237\342\202\254\342\200\223", "");
	assert_string_equal(sb.s, "\303\237\342\202\254\342\200\223");
	strbuf_fini(&sb);
}

static void
strings_number(void **state)
{
	struct strtab st;
	char name[16];

	(void)state;
	strtab_init(&st);
	assert_int_equal(strtab_find(&st, "n0"), 0);
	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < 1000; i++) {
			snprintf(name, sizeof(name), "n%u", i);
			assert_int_equal(strtab_intern(&st, name), i + 1);
		}
	}
	assert_string_equal(strtab_str(&st, 1), "n0");
	assert_string_equal(strtab_str(&st, 1000), "n999");
	assert_int_equal(strtab_find(&st, "n500"), 501);
	strtab_fini(&st);
}

static void
arenas_align(void **state)
{
	struct arena a;

	(void)state;
	arena_init(&a);
	for (size_t size = 1; size < 40000; size = size * 3 + 1) {
		char *p = arena_alloc(&a, size);

		assert_int_equal((uintptr_t)p % 16, 0);
		for (size_t i = 0; i < size; i++)
			assert_int_equal(p[i], 0);
		memset(p, 0xff, size);
	}
	assert_string_equal(arena_printf(&a, "%s-%d", "x", 5), "x-5");
	assert_string_equal(arena_strndup(&a, "abcdef", 3), "abc");
	arena_fini(&a);
}

static void
check_rendering(struct diags *ds, int tags, const char *want)
{
	struct strbuf sb = { 0 };

	diags_format(ds, tags, &sb);
	assert_string_equal(sb.s, want);
	strbuf_fini(&sb);
}

static void
diagnostics_point(void **state)
{
	static const char text[] = "BEGIN\n{\n\ttrace(foo);\n}\n";
	struct diag_span span = { .off = 15, .len = 3 };
	struct diags ds;

	(void)state;
	diags_init(&ds);
	span.source = diags_add_source(&ds, "x.d", text, strlen(text));
	diag_error(&ds, "D_IDENT_UNDEF", span, "unknown name '%s'", "foo");
	diag_hint(&ds, "try %d", 1);
	assert_int_equal(ds.list.n, 1);
	check_rendering(&ds, 1,
	    "dtrace: x.d:3: error: [D_IDENT_UNDEF] unknown name 'foo'\n"
	    "    \ttrace(foo);\n"
	    "    \t      ^~~\n"
	    "    hint: try 1\n");
	diag_error(&ds, NULL, (struct diag_span){ 0 }, "no place");
	assert_int_equal(ds.list.n, 2);
	check_rendering(&ds, 0,
	    "dtrace: x.d:3: error: unknown name 'foo'\n"
	    "    \ttrace(foo);\n"
	    "    \t      ^~~\n"
	    "    hint: try 1\n"
	    "dtrace: error: no place\n");
	diags_fini(&ds);
}

static void
diagnostics_follow_line_marks(void **state)
{
	static const char text[] = "a\n# 7 \"y.h\"\nb\nc\n";
	struct diag_span span = { .len = 1 };
	struct diags ds;
	const char *file;

	(void)state;
	diags_init(&ds);
	span.source = diags_add_source(&ds, "x.d", text, strlen(text));
	diags_add_linemark(&ds, span.source, 12, 7, "y.h");
	assert_int_equal(diag_line(&ds, span, &file), 1);
	assert_string_equal(file, "x.d");
	span.off = 14;
	assert_int_equal(diag_line(&ds, span, &file), 8);
	assert_string_equal(file, "y.h");
	diags_fini(&ds);
}

/* A span that lies at or beyond the text's end causes no wild read. */
static void
diagnostics_at_the_end(void **state)
{
	struct diag_span span = { .off = 100, .len = 50 };
	struct diags ds;
	struct strbuf sb = { 0 };

	(void)state;
	diags_init(&ds);
	span.source = diags_add_source(&ds, NULL, "BEGIN {", 7);
	diag_error(&ds, NULL, span, "the end");
	diags_format(&ds, 1, &sb);
	assert_string_equal(sb.s,
	    "dtrace: line 1: error: the end\n"
	    "    BEGIN {\n"
	    "           ^\n");
	strbuf_fini(&sb);
	diags_fini(&ds);
}

/* Runs of ids at distances of a power of two, and replaced values. */
static void
ids_map(void **state)
{
	struct idmap m = { 0 };
	const uint32_t n = 5000, apart = 1 << 20;

	(void)state;
	assert_null(idmap_get(&m, 1));
	for (uint32_t i = 1; i <= n; i++) {
		idmap_put(&m, i, 7);
		idmap_put(&m, i + apart, i + 1);
		idmap_put(&m, i, i);
	}
	assert_int_equal(m.n, 2 * n);
	for (uint32_t i = 1; i <= n; i++) {
		assert_int_equal(*idmap_get(&m, i), i);
		assert_int_equal(*idmap_get(&m, i + apart), i + 1);
	}
	assert_null(idmap_get(&m, 0));
	assert_null(idmap_get(&m, n + 1));
	assert_null(idmap_get(&m, UINT32_MAX));
	idmap_fini(&m);
	assert_null(idmap_get(&m, 1));
}

static void
spans_join(void **state)
{
	struct diag_span a = { 1, 10, 5 }, b = { 1, 2, 3 }, none = { 0, 0, 0 };
	struct diag_span j = diag_span_join(a, b);

	(void)state;
	assert_int_equal(j.off, 2);
	assert_int_equal(j.len, 13);
	j = diag_span_join(none, a);
	assert_int_equal(j.off, 10);
}

struct seen {
	size_t n, stop_at, len;
	unsigned last;
};

static bool
see_line(char *line, void *arg)
{
	struct seen *s = arg;

	s->len += strlen(line);
	s->last = (unsigned)line[0];
	line[0] = 'x';
	return ++s->n == s->stop_at;
}

/* Lines of 0 to 299 characters, over several portions, and one line longer than
 * a portion; the last line has no newline. */
static void
lines_are_whole(void **state)
{
	char *path = strdup("/tmp/test_base.XXXXXX");
	int fd = mkstemp(path);
	FILE *f = fdopen(fd, "w");
	struct seen s = { 0 };
	size_t len = 0;
	char zeros[300];

	(void)state;
	memset(zeros, '0', sizeof(zeros));
	for (int i = 0; i < 1000; i++) {
		len += (size_t)(i % 300);
		fprintf(f, "%.*s\n", i % 300, zeros);
	}
	fprintf(f, "%0200000d\nend", 0);
	fflush(f);
	lseek(fd, 0, SEEK_SET);
	assert_true(lines_each(fd, see_line, &s));
	assert_int_equal(s.n, 1002);
	assert_int_equal(s.len, len + 200000 + 3);
	assert_int_equal(s.last, 'e');
	lseek(fd, 0, SEEK_SET);
	s = (struct seen){ .stop_at = 900 };
	assert_true(lines_each(fd, see_line, &s));
	assert_int_equal(s.n, 900);
	fclose(f);
	assert_false(lines_each(-1, see_line, &s));
	unlink(path);
	free(path);
}

static const struct cpulist_case {
	const char *list;
	unsigned cpu;
	bool is_there;
} cpulist_cases[] = {
	{ "0\n", 0, true },
	{ "0\n", 1, false },
	{ "0-3\n", 0, true },
	{ "0-3\n", 3, true },
	{ "0-3\n", 4, false },
	{ "0,2-3\n", 1, false },
	{ "0,2-3\n", 2, true },
	{ "0-1,4-5,1030\n", 3, false },
	{ "0-1,4-5,1030\n", 5, true },
	{ "0-1,4-5,1030\n", 1030, true },
	{ "0-1,4-5,1030\n", 103, false },
	{ "\n", 0, false },
	{ "", 0, false },
	{ "2-", 1, false },
	{ "2,", 3, false },
	{ "-3", 3, false },
};

static void
cpus_are_listed(void **state)
{
	(void)state;
	for (size_t i = 0; i < NELEM(cpulist_cases); i++) {
		const struct cpulist_case *c = &cpulist_cases[i];

		if (cpulist_has(c->list, c->cpu) != c->is_there)
			fail_msg("CPU %u in '%s': expected %d", c->cpu, c->list,
			    c->is_there);
	}
	assert_true(cpu_is_online((unsigned)sched_getcpu()));
	assert_false(cpu_is_online(1u << 30));
}

static const struct {
	const char *line;
	bool is_cpu;
	unsigned cpu;
	struct cpu_ticks ticks;
} tick_cases[] = {
	{ "cpu  2 0 0 100 8 0 2 2 0 0\n", false, 0, { 0, 0 } },
	{ "cpu0 1 2 3 400 5 6 7 8 90 10\n", true, 0, { 405, 432 } },
	{ "cpu127 1 0 0 0 0 0 0 0 0 0\n", true, 127, { 0, 1 } },
	{ "cpu1 1 2 3 400\n", true, 1, { 400, 406 } },
	{ "intr 7 0 0\n", false, 0, { 0, 0 } },
};

static void
idle_ticks_are_read(void **state)
{
	struct cpu_ticks t, none = { 0, 0 };

	(void)state;
	for (size_t i = 0; i < NELEM(tick_cases); i++) {
		unsigned cpu = 0;

		t = none;
		assert_int_equal(cpu_ticks_parse(tick_cases[i].line, &cpu, &t),
		    tick_cases[i].is_cpu);
		assert_int_equal(cpu, tick_cases[i].cpu);
		assert_int_equal(t.idle, tick_cases[i].ticks.idle);
		assert_int_equal(t.all, tick_cases[i].ticks.all);
	}
	cpu_ticks_read(&t, 1);
	assert_true(t.all > 0);
	assert_int_equal(cpu_ticks_idle(none, none), 0);
	assert_int_equal(cpu_ticks_idle(none, (struct cpu_ticks){ 3, 4 }), 75);
	assert_int_equal(cpu_ticks_idle((struct cpu_ticks){ 5, 9 },
			     (struct cpu_ticks){ 4, 10 }),
	    0);
}

/* ---- the kernel's log --------------------------------------------------- */

static const struct {
	const char *line;
	struct kmsg_fault f;
} kmsg_lines[] = {
	{ "seg[1833]: segfault at 8 ip 0000561ac8edf14a sp 00007ffff48dac38 "
	  "error 6 in seg[114a,561ac8edf000+1000] likely on CPU 1 (core 1, "
	  "socket 0)",
	    { 1833, 0x561ac8edf14a, 0x7ffff48dac38, "seg", true, 0x114a, "",
		false } },
	{ "traps: seg[1834] trap invalid opcode ip:56367208315b "
	  "sp:7ffe80e38d48 error:0 in seg[115b,563672083000+1000]",
	    { 1834, 0x56367208315b, 0x7ffe80e38d48, "seg", true, 0x115b, "",
		false } },
	{ "a.out[7]: segfault at 0 ip 401136 sp 7ffc error 6 in "
	  "libc-2.31.so[400000+2000]",
	    { 7, 0x401136, 0x7ffc, "libc-2.31.so", false, 0x400000, "",
		false } },
	/* nothing is mapped at the address */
	{ "seg[1836]: segfault at 1234567 ip 0000000001234567 sp "
	  "00007fff4dd22098 error 14 likely on CPU 1 (core 1, socket 0)",
	    { 1836, 0x1234567, 0x7fff4dd22098, "", false, 0, "", false } },
	/* a program name that looks like a line */
	{ "a[1] ip 2 sp [3]: segfault at 8 ip 10 sp 20 error 6 in b[0,0+10]",
	    { 3, 0x10, 0x20, "b", true, 0, "", false } },
};

static void
faults_are_read_from_the_log(void **state)
{
	static const char *const others[] = { "", "Code: f3 0f", "x ip 4 sp 5",
		"x[y] ip 4 sp 5", "x[1] ip  sp 5", "x[1] ip 4",
		"x[-1] ip 4 sp 5", "x[1] trap ip:zz sp:5" };
	struct kmsg_fault f;

	(void)state;
	for (size_t i = 0; i < sizeof(kmsg_lines) / sizeof(kmsg_lines[0]);
	     i++) {
		const struct kmsg_fault *want = &kmsg_lines[i].f;

		assert_true(kmsg_parse(kmsg_lines[i].line, &f));
		assert_int_equal(f.tid, want->tid);
		assert_int_equal(f.ip, want->ip);
		assert_int_equal(f.sp, want->sp);
		assert_string_equal(f.module, want->module);
		assert_int_equal(f.has_off, want->has_off);
		assert_int_equal(f.off, want->off);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_false(kmsg_parse(others[i], &f));
}

/* ---- core files ---------------------------------------------------------- */

#define CORE_PID 77
#define CORE_TID 79
#define CORE_STACK 0x7ffd0000ULL

/* A core file of one thread with its stack.  Padding belongs to the note before
 * it. */
struct core_file {
	Elf64_Ehdr eh;
	Elf64_Phdr ph[2];
	struct core_status {
		uint32_t pad;
		Elf64_Nhdr nh;
		char name[8];
		struct elf_prstatus desc;
	} status;
	struct core_info {
		uint32_t pad;
		Elf64_Nhdr nh;
		char name[8];
		struct elf_prpsinfo desc;
	} info;
	uint64_t stack[8];
};

static void
make_core(struct core_file *c)
{
	struct user_regs_struct regs = {
		.rip = 0x401000, .rsp = CORE_STACK + 8, .rbp = CORE_STACK + 32
	};

	memset(c, 0, sizeof(*c));
	c->eh = (Elf64_Ehdr){ .e_ident = ELFMAG "\2",
		.e_type = ET_CORE,
		.e_machine = EM_X86_64,
		.e_phoff = offsetof(struct core_file, ph),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 2 };
	c->ph[0] = (Elf64_Phdr){ .p_type = PT_NOTE,
		.p_offset = offsetof(struct core_file, status.nh),
		.p_filesz = sizeof(c->status) + sizeof(c->info) };
	c->ph[1] = (Elf64_Phdr){ .p_type = PT_LOAD,
		.p_offset = offsetof(struct core_file, stack),
		.p_vaddr = CORE_STACK,
		.p_filesz = sizeof(c->stack) };
	c->status.nh =
	    (Elf64_Nhdr){ 5, sizeof(c->status.desc) + 4, NT_PRSTATUS };
	c->status.desc.pr_pid = CORE_TID;
	memcpy(&c->status.desc.pr_reg, &regs, sizeof(regs));
	c->info.nh = (Elf64_Nhdr){ 5, sizeof(c->info.desc), NT_PRPSINFO };
	c->info.desc.pr_pid = CORE_PID;
	c->stack[1] = 0x1111;
	c->stack[5] = 0x5555;
}

static int
read_core(const struct core_file *c, size_t len, struct core_place *out)
{
	FILE *f = tmpfile();
	int rc;

	assert_int_equal(fwrite(c, 1, len, f), len);
	fflush(f);
	rc = core_read(fileno(f), CORE_PID, out);
	fclose(f);
	return rc;
}

static void
cores_tell_the_place(void **state)
{
	struct core_place at;
	struct core_file c;

	(void)state;
	make_core(&c);
	assert_int_equal(read_core(&c, sizeof(c), &at), 0);
	assert_int_equal(at.tid, CORE_TID);
	assert_int_equal(at.ip, 0x401000);
	assert_int_equal(at.nreturns, 2);
	assert_int_equal(at.returns[0], 0x1111);
	assert_int_equal(at.returns[1], 0x5555);
	assert_string_equal(at.code, "");
	c.ph[1].p_vaddr = 0x401000;
	memset(c.stack, 0x90, sizeof(c.stack));
	assert_int_equal(read_core(&c, sizeof(c), &at), 0);
	assert_int_equal(at.nreturns, 0);
	assert_int_equal(strncmp(at.code, "<90> 90 90", 10), 0);
	assert_int_equal(strlen(at.code), 16 * 3 + 1);
	c.info.desc.pr_pid++;
	assert_int_equal(read_core(&c, sizeof(c), &at), -ESRCH);
}

/* The user of the program may write any core file. */
static void
cores_are_hostile(void **state)
{
	struct core_file good, c;
	struct core_place at;

	(void)state;
	make_core(&good);
	for (size_t len = 0; len < offsetof(struct core_file, stack); len++)
		assert_int_not_equal(read_core(&good, len, &at), 0);
	for (size_t i = 0; i < offsetof(struct core_file, stack); i += 4) {
		c = good;
		memset((char *)&c + i, 0xff, 4);
		read_core(&c, sizeof(c), &at);
		c = good;
		memset((char *)&c + i, 0x7f, 4);
		read_core(&c, sizeof(c), &at);
	}
}

static void
check_core_name(
    const char *folder, const char *pattern, int uses_pid, const char *name)
{
	char path[128], whole[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	fd = core_open_by(pattern, uses_pid, 77, folder, 11);
	assert_true(fd >= 0);
	close(fd);
	snprintf(whole, sizeof(whole), "%s/%s", folder, pattern);
	fd = core_open_by(whole, uses_pid, 77, "/nowhere", 11);
	assert_true(fd >= 0);
	close(fd);
	unlink(path);
}

static void
cores_have_names(void **state)
{
	char folder[] = "/tmp/dt-core.XXXXXX", link[64];

	(void)state;
	assert_non_null(mkdtemp(folder));
	check_core_name(folder, "core", 0, "core");
	check_core_name(folder, "core", 1, "core.77");
	check_core_name(folder, "core.%p", 1, "core.77");
	check_core_name(folder, "%%c-%P-%s", 0, "%c-77-11");
	assert_int_equal(
	    core_open_by("|/bin/x %p", 0, 77, folder, 11), -ENOTSUP);
	assert_int_equal(core_open_by("core.%e", 0, 77, folder, 11), -ENOTSUP);
	assert_int_equal(core_open_by("core%", 0, 77, folder, 11), -ENOTSUP);
	assert_int_equal(core_open_by("core", 0, 77, folder, 11), -ENOENT);
	snprintf(link, sizeof(link), "%s/core", folder);
	assert_int_equal(symlink("/etc/passwd", link), 0);
	assert_int_equal(core_open_by("core", 0, 77, folder, 11), -ELOOP);
	unlink(link);
	rmdir(folder);
}

/* ---- refusals ----------------------------------------------------------- */

static void
refused(struct refusals *r, const char *what, const char *why, bool is_new)
{
	assert_int_equal(
	    refusals_add(r, mem_strdup(what), mem_strdup(why)), is_new);
}

static void
refusals_are_counted_by_reason(void **state)
{
	struct refusals r = { .tried = 20 };
	char *text;

	(void)state;
	refused(&r, "a:b", "it is a trap", true);
	text = refusals_text(&r, 0, false);
	assert_string_equal(
	    text, "1 of 20 places cannot be probed: a:b: it is a trap");
	free(text);
	refused(&r, "a:b", "it is a trap", false);
	refused(&r, "a:c", "it is a trap", true);
	text = refusals_text(&r, 0, true);
	assert_string_equal(text,
	    "2 of 20 places cannot be probed: it is a trap; the first is a:b");
	free(text);
	refused(&r, "a:d", "no room", true);
	text = refusals_text(&r, 0, false);
	assert_string_equal(text,
	    "3 of 20 places cannot be probed: 2: it is a trap; 1: no room; the "
	    "first is a:b (-v lists them)");
	free(text);
	text = refusals_text(&r, 2, false);
	assert_string_equal(
	    text, "1 of 20 places cannot be probed: a:d: no room");
	free(text);
	refusals_fini(&r);
}

/* ---- long work ----------------------------------------------------------- */

/* The sort needs more than three runs for so many rows; the last run is
 * short. */
#define NROWS ((size_t)200001)

static int
compare_rows(const void *pa, const void *pb, void *arg)
{
	const uint32_t *a = pa, *b = pb;

	++*(size_t *)arg;
	return (*a > *b) - (*a < *b);
}

/* Every number below NROWS once, in mixed order. */
static uint32_t *
mixed_rows(void)
{
	uint32_t *rows = mem_alloc(NROWS * sizeof(*rows));

	for (size_t i = 0; i < NROWS; i++)
		rows[i] = (uint32_t)(i * 7919 % NROWS);
	return rows;
}

static void
large_tables_are_sorted(void **state)
{
	uint32_t *rows = mixed_rows();
	size_t ncompared = 0;

	(void)state;
	sort_rows(rows, NROWS, sizeof(*rows), compare_rows, &ncompared);
	for (size_t i = 0; i < NROWS; i++)
		assert_int_equal(rows[i], i);
	free(rows);
}

static void
work_is_stopped_by_a_flag(void **state)
{
	volatile sig_atomic_t flag = 1;
	size_t ncompared = 0, steps = 0;
	uint32_t *rows = mixed_rows();

	(void)state;
	assert_false(bounds_is_stopped());
	assert_null(bounds_watch(&flag));
	assert_true(bounds_is_stopped());
	sort_rows(rows, NROWS, sizeof(*rows), compare_rows, &ncompared);
	assert_int_equal(ncompared, 0);
	while (!BOUNDS_POLL(steps))
		assert_true(steps < BOUNDS_STEPS);
	assert_ptr_equal(bounds_watch(NULL), &flag);
	assert_false(bounds_is_stopped());
	free(rows);
}

/* Bytes as in the documents of Protocol Buffers. */
static void
messages_are_encoded(void **state)
{
	static const char small[] = "\x08\x96\x01"	   /* 1: 150 */
				    "\x12\x07testing"	   /* 2: text */
				    "\x1a\x03\x08\x96\x01" /* 3: { 1: 150 } */
				    "\x32\x06\x03\x8e\x02\x9e\xa7\x05"
				    "\x38\xfe\xff\xff\xff\xff\xff\xff\xff"
				    "\xff\x01"		       /* 7: -2 */
				    "\x41\0\0\0\0\0\0\xf0\x3f" /* 8: 1.0 */
				    "\x82\x01\0";	       /* 16: { } */
	struct strbuf sb = { 0 };
	char text[300];
	size_t at, in;

	(void)state;
	pb_uint(&sb, 1, 150);
	pb_str(&sb, 2, "testing");
	at = pb_open(&sb, 3);
	pb_uint(&sb, 1, 150);
	pb_close(&sb, at);
	at = pb_open(&sb, 6);
	pb_packed(&sb, 3);
	pb_packed(&sb, 270);
	pb_packed(&sb, 86942);
	pb_close(&sb, at);
	pb_int(&sb, 7, -2);
	pb_double(&sb, 8, 1.0);
	pb_close(&sb, pb_open(&sb, 16));
	assert_int_equal(sb.len, sizeof(small) - 1);
	assert_memory_equal(sb.s, small, sb.len);
	strbuf_reset(&sb);
	/* a length of two bytes, in a message whose length has two, too */
	memset(text, 'x', sizeof(text));
	at = pb_open(&sb, 1);
	in = pb_open(&sb, 2);
	pb_bytes(&sb, 3, text, sizeof(text));
	pb_close(&sb, in);
	pb_close(&sb, at);
	assert_int_equal(sb.len, 300 + 3 + 3 + 3);
	assert_memory_equal(sb.s, "\x0a\xb2\x02\x12\xaf\x02\x1a\xac\x02x", 10);
	strbuf_fini(&sb);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(globs),
		cmocka_unit_test(globs_hostile),
		cmocka_unit_test(strings_grow),
		cmocka_unit_test(strings_plain),
		cmocka_unit_test(strings_number),
		cmocka_unit_test(arenas_align),
		cmocka_unit_test(diagnostics_point),
		cmocka_unit_test(diagnostics_follow_line_marks),
		cmocka_unit_test(diagnostics_at_the_end),
		cmocka_unit_test(ids_map),
		cmocka_unit_test(spans_join),
		cmocka_unit_test(lines_are_whole),
		cmocka_unit_test(cpus_are_listed),
		cmocka_unit_test(idle_ticks_are_read),
		cmocka_unit_test(faults_are_read_from_the_log),
		cmocka_unit_test(cores_tell_the_place),
		cmocka_unit_test(cores_are_hostile),
		cmocka_unit_test(cores_have_names),
		cmocka_unit_test(refusals_are_counted_by_reason),
		cmocka_unit_test(large_tables_are_sorted),
		cmocka_unit_test(work_is_stopped_by_a_flag),
		cmocka_unit_test(messages_are_encoded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
