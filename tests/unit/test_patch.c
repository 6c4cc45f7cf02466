/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Real code is patched in this process, and behaves as before.  The body of
 * each point counts itself and then fills all registers and flags with garbage;
 * the trampoline must restore them.
 *
 * Each test runs two children that do the same work, one of them patched; the
 * parent compares their reports.
 */
#include <dlfcn.h>
#include <link.h>
#include <malloc.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/err.h"
#include "base/vec.h"
#include "sites.h"

#define NCOUNTS (1 << 20)

void patch_test_body(void);
extern uint64_t patch_test_counts[];
uint64_t patch_test_counts[NCOUNTS];

/* clang-format off */
__asm__(
	".text\n"
	".globl patch_test_body\n"
	".hidden patch_test_body\n.hidden patch_test_counts\n"
	"patch_test_body:\n"
	"	mov %eax,%eax\n"
	"	lea patch_test_counts(%rip),%rcx\n"
	"	incq (%rcx,%rax,8)\n"
	"	mov $0x5a5a5a5a5a5a5a5a,%rax\n"
	"	mov %rax,%rcx; mov %rax,%rdx; mov %rax,%rbx; mov %rax,%rbp\n"
	"	mov %rax,%rsi; mov %rax,%rdi; mov %rax,%r8; mov %rax,%r9\n"
	"	mov %rax,%r10; mov %rax,%r11; mov %rax,%r12; mov %rax,%r13\n"
	"	mov %rax,%r14; mov %rax,%r15\n"
	"	push %rax; push %rax; add %al,%al; pop %rcx; pop %rcx\n"
	"	ret\n");
/* clang-format on */

/* ---- patching ourselves ------------------------------------------------- */

/* A system call without libc, whose code may be patched. */
static long
call(long nr, uint64_t a, uint64_t b, uint64_t c)
{
	long rc;

	__asm__ volatile("syscall"
			 : "=a"(rc)
			 : "a"(nr), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return rc;
}

static void
copy(uint64_t to, const uint8_t *from, size_t n)
{
	volatile uint8_t *p = (volatile uint8_t *)to;

	for (size_t i = 0; i < n; i++)
		p[i] = from[i];
}

struct target {
	const char *path; /* as in the link map */
	struct file file;
	uint64_t bias;
	struct points points;
	struct inproc_space space;
	struct inproc_plan plan;
};

static int
find_bias(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct target *t = arg;

	(void)size;
	if (strstr(info->dlpi_name, t->path) == NULL)
		return 0;
	t->bias = info->dlpi_addr;
	return file_open(&t->file, info->dlpi_name) ? 1 : -1;
}

/* Find the mappings.  From here on, only the heap may grow. */
static void
find_mappings(struct inproc_space *space)
{
	uint64_t end = (uint64_t)(uintptr_t)sbrk(0);
	FILE *f = fopen("/proc/self/maps", "re");
	char line[512];

	inproc_space_init(space);
	while (fgets(line, sizeof(line), f) != NULL) {
		unsigned long lo, hi;

		if (sscanf(line, "%lx-%lx", &lo, &hi) == 2)
			inproc_space_busy(space, lo, hi);
	}
	inproc_space_busy(space, end, end + (1 << 30));
	fclose(f);
}

static void
map_areas(const struct inproc_space *space)
{
	VEC_FOREACH(&space->areas, a) {
		if (mmap((void *)a->lo, a->hi - a->lo,
			PROT_READ | PROT_WRITE | PROT_EXEC,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
			0) != (void *)a->lo)
			_exit(4);
	}
}

/* Patch.  Libc may be the patched code, so none of its functions is called
 * here. */
static void
apply(const struct target *t)
{
	VEC_FOREACH(&t->plan.texts, x)
		copy(x->at, (uint8_t *)t->plan.code.s + x->off, x->len);
	VEC_FOREACH(&t->file.m->texts, x)
		call(SYS_mprotect, (t->bias + x->vaddr) & -4096ULL,
		    (x->len + (x->vaddr & 4095) + 4095) & -4096ULL,
		    PROT_READ | PROT_WRITE | PROT_EXEC);
	VEC_FOREACH(&t->plan.writes, w)
		copy(w->at, w->new, w->len);
}

static void
undo(const struct target *t)
{
	VEC_FOREACH(&t->plan.writes, w)
		copy(w->at, w->old, w->len);
}

static bool
old_is_there(const struct target *t)
{
	VEC_FOREACH(&t->plan.writes, w) {
		if (memcmp((void *)w->at, w->old, w->len) != 0)
			return false;
	}
	return true;
}

static void
prepare(struct target *t, int set)
{
	if (dl_iterate_phdr(find_bias, t) != 1)
		_exit(5);
	t->points.body = (struct inproc_body){ .emit = inproc_emit_call,
		.addr = (uint64_t)(uintptr_t)patch_test_body,
		.changes = 0xffef };
	find_points(&t->file, set, &t->points);
	if (t->points.v.n > NCOUNTS)
		_exit(6);
	find_mappings(&t->space);
	inproc_plan(t->file.m, t->bias, t->points.v.v, t->points.v.n, &t->space,
	    &t->plan);
	map_areas(&t->space);
	if (!old_is_there(t))
		_exit(7);
}

/* ---- work --------------------------------------------------------------- */

struct outcome {
	uint64_t result;
	uint64_t fired;	  /* counted entries of functions */
	uint64_t points;  /* points that fired */
	uint64_t refused; /* refused points */
	uint64_t refused_entries;
	uint64_t by[INPROC_NTACTICS]; /* fired points by tactic */
};

typedef uint64_t work_f(void *lib);

struct test {
	const char *lib; /* the library to load */
	const char *traced;
	work_f *work;
	bool uses_all; /* all tactics */
};

static void
count(const struct target *t, struct outcome *o)
{
	for (size_t i = 0; i < t->points.v.n; i++) {
		const struct inproc_point *p = &t->points.v.v[i];
		bool refused = t->plan.fates.v[i].tactic == INPROC_REFUSED;

		if (p->vaddr == p->func) {
			o->fired += patch_test_counts[i];
			o->refused_entries += refused;
		}
		o->points += patch_test_counts[i] != 0;
		o->by[t->plan.fates.v[i].tactic] += patch_test_counts[i] != 0;
		o->refused += refused;
	}
}

/* Do the work with the points of a set patched; -1: with none. */
static void
child(const struct test *test, int set, struct outcome *o)
{
	void *lib = dlopen(test->lib, RTLD_NOW);
	struct target t = { .path = test->traced };

	mallopt(M_MMAP_THRESHOLD, 1 << 30);
	if (lib == NULL) {
		fprintf(stderr, "# %s\n", dlerror());
		_exit(3);
	}
	test->work(lib); /* a test's work that is done only once */
	if (set >= 0) {
		prepare(&t, set);
		apply(&t);
	}
	o->result = test->work(lib);
	if (set >= 0) {
		undo(&t);
		count(&t, o);
		file_close(&t.file);
		inproc_plan_fini(&t.plan);
		inproc_space_fini(&t.space);
		VEC_FREE(&t.points.v);
	}
}

static struct outcome
run(const struct test *test, int set)
{
	struct outcome o = { 0 };
	int fds[2], status;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		alarm(100);
		child(test, set, &o);
		_exit(write(fds[1], &o, sizeof(o)) != sizeof(o));
	}
	close(fds[1]);
	if (read(fds[0], &o, sizeof(o)) != sizeof(o))
		o.result = 0;
	close(fds[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (status != 0)
		fprintf(stderr, "# %s: status 0x%x\n", test->traced, status);
	assert_int_equal(status, 0);
	return o;
}

/* Each tactic served some points that fired; a refused point never fired. */
static void
check_tactics(const struct test *test, const struct outcome *all)
{
	for (int i = 0; i < INPROC_NTACTICS; i++) {
		fprintf(stderr, "# %llu points: %s\n",
		    (unsigned long long)all->by[i], inproc_tactic_text(i));
		if (i == INPROC_REFUSED)
			assert_int_equal(all->by[i], 0);
		else if (test->uses_all)
			assert_true(all->by[i] > 0);
	}
}

static void
compare(const struct test *test)
{
	struct outcome none = run(test, -1);
	struct outcome entries = run(test, ENTRIES);
	struct outcome returns = run(test, RETURNS);
	struct outcome all = run(test, ALL);

	fprintf(stderr,
	    "# %s: %llu calls; points that fired: %llu entries, %llu "
	    "returns, %llu of all; refused %llu, %llu, %llu\n",
	    test->traced, (unsigned long long)entries.fired,
	    (unsigned long long)entries.points,
	    (unsigned long long)returns.points, (unsigned long long)all.points,
	    (unsigned long long)entries.refused,
	    (unsigned long long)returns.refused,
	    (unsigned long long)all.refused);
	assert_int_equal(entries.result, none.result);
	assert_int_equal(returns.result, none.result);
	assert_int_equal(all.result, none.result);
	check_tactics(test, &all);
	assert_true(entries.fired > 0 && returns.points > 0);
	if (entries.refused_entries + all.refused_entries == 0)
		assert_int_equal(entries.fired, all.fired);
}

static uint64_t
work_everything(void *lib)
{
	uint64_t (*f)(unsigned) = NULL;

	*(void **)&f = dlsym(lib, "everything");
	return f(30);
}

static uint64_t
hash(uint64_t h, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;

	for (size_t i = 0; i < n; i++)
		h = (h ^ p[i]) * 0x100000001b3;
	return h;
}

static int
compare_doubles(const void *pa, const void *pb)
{
	const double *a = pa, *b = pb;

	return (*a > *b) - (*a < *b);
}

static uint64_t
work_text(uint64_t h)
{
	double numbers[64];
	char text[4096] = "";

	for (int i = 0; i < 64; i++) {
		snprintf(text, sizeof(text), "%d %.*g %-10s|%x %lld %a\n", i,
		    i % 17, i / 7.0, "abc", (unsigned)i * 77, 1LL << i % 63,
		    i * 1.5);
		h = hash(h, text, strlen(text));
		numbers[i] = strtod(strchr(text, ' '), NULL);
	}
	qsort(numbers, 64, sizeof(numbers[0]), compare_doubles);
	return hash(h, numbers, sizeof(numbers));
}

static uint64_t
work_strings(uint64_t h)
{
	static char a[5000], b[5000];

	for (size_t n = 0; n < sizeof(a); n = n * 5 / 4 + 1) {
		memset(a, 'a' + (int)(n % 26), n);
		a[n] = '\0';
		memmove(b, a, n + 1);
		memmove(b + n / 2, b, n / 3);
		h += strlen(b) + (size_t)memcmp(a, b, n) % 3;
		h += memchr(b, 'b', n) != NULL;
		h += strstr(a, "bb") != NULL;
		h += strcmp(a, b) > 0;
		h += strspn(a, "abc") + strcspn(a, "xyz");
	}
	return hash(h, b, sizeof(b));
}

static uint64_t
work_files(uint64_t h)
{
	char buf[512] = "one,two\nthree four\n\nfive\n", *line = NULL;
	FILE *f = fmemopen(buf, strlen(buf), "r");
	struct tm tm = { 0 };
	time_t when = 1234567890;
	size_t cap = 0;
	regex_t re;

	regcomp(&re, "^(t[a-z]+) |,(two)", REG_EXTENDED);
	while (getline(&line, &cap, f) > 0) {
		regmatch_t m[3];

		h = hash(h, line, strlen(line));
		h += regexec(&re, line, 3, m, 0) == 0 ? (uint64_t)m[0].rm_eo :
							99;
	}
	regfree(&re);
	free(line);
	fclose(f);
	gmtime_r(&when, &tm);
	strftime(buf, sizeof(buf), "%Y-%m-%d %A %j", &tm);
	return hash(h, buf, strlen(buf));
}

static uint64_t
work_libc(void *lib)
{
	uint64_t h = 1;

	(void)lib;
	for (int i = 0; i < 5; i++)
		h = work_files(work_strings(work_text(h)));
	return h;
}

static int
take_row(void *arg, int n, char **values, char **names)
{
	uint64_t *h = arg;

	(void)names;
	for (int i = 0; i < n; i++)
		*h = hash(*h, values[i] != NULL ? values[i] : "-",
		    values[i] != NULL ? strlen(values[i]) : 1);
	return 0;
}

static const char sql[] =
    "create table t(a integer primary key, b text, c real);"
    "create index i on t(b);"
    "with recursive n(x) as (select 1 union all select x+1 from n where "
    "x<300) insert into t select x, 'row ' || (x*7919%101), x/3.0 from n;"
    "select b, count(*), sum(c), max(a) from t group by b order by 2, 1;"
    "update t set c = c*2 where b like 'row 1%'; delete from t where a%5=0;"
    "select t.a, u.b, round(u.c, 3) from t join t u on u.a = t.a+1 "
    "order by u.b desc, t.a limit 40;"
    "select substr(b, 2), upper(b), hex(b), printf('%08.3f|%s', c, b), "
    "strftime('%Y', 'now') > '2000' from t where c between 10 and 30;"
    "explain query plan select * from t where b = 'x';";

static uint64_t
work_sqlite(void *lib)
{
	int (*sqlite_open)(const char *, void **);
	int (*sqlite_exec)(void *, const char *,
	    int (*)(void *, int, char **, char **), void *, char **);
	int (*sqlite_close)(void *);
	void *db = NULL;
	uint64_t h = 1;

	*(void **)&sqlite_open = dlsym(lib, "sqlite3_open");
	*(void **)&sqlite_exec = dlsym(lib, "sqlite3_exec");
	*(void **)&sqlite_close = dlsym(lib, "sqlite3_close");
	if (sqlite_open(":memory:", &db) != 0 ||
	    sqlite_exec(db, sql, take_row, &h, NULL) != 0)
		_exit(8);
	sqlite_close(db);
	return h;
}

/* Under ASan, malloc() maps memory between planning and mapping, at any free
 * place. */
#ifdef __SANITIZE_ADDRESS__
#define NEEDS_PLAIN_MALLOC() skip()
#else
#define NEEDS_PLAIN_MALLOC() ((void)0)
#endif

static void
patch_libc(void **state)
{
	static const struct test test = { "libc.so.6", "libc.so.6", work_libc,
		false };

	(void)state;
	NEEDS_PLAIN_MALLOC();
	compare(&test);
}

static void
patch_sqlite(void **state)
{
	static const struct test test = { "libsqlite3.so.0", "libsqlite3.so",
		work_sqlite, true };

	(void)state;
	NEEDS_PLAIN_MALLOC();
	if (dlopen(test.lib, RTLD_NOW) == NULL)
		skip();
	compare(&test);
}

static void
patch_everything(void **state)
{
	static const struct test test = { EVERYTHING, "everything.so",
		work_everything, false };

	(void)state;
	compare(&test);
}

/* ---- a branch into an instruction ---------------------------------------- */

/* The target of a branch in the function where no instruction begins. */
static uint64_t
inner_target(const struct file *f, const char *name)
{
	const struct elf_sym *sym = elf_syms_by_name(f->es, name);
	const struct ip_text *t;

	assert_non_null(sym);
	t = ip_text_at(f->m, sym->value);
	for (uint64_t at = sym->value; at < sym->value + sym->size; at++) {
		if ((t->marks[at - t->vaddr] & (MARK_INSN | MARK_TARGET)) ==
		    MARK_TARGET)
			return at;
	}
	return 0;
}

/* A window must not extend beyond such a target: a thread that takes the branch
 * misses the window's jump, and so the points behind the target. */
static void
patch_inner_target(void **state)
{
	struct file f = { 0 };
	struct inproc_space space;
	struct inproc_plan plan;
	struct points ps = { .body = { .emit = inproc_emit_yes,
				 .keeps_flags = true } };
	uint64_t at;

	(void)state;
	assert_true(file_open(&f, EVERYTHING));
	at = inner_target(&f, "over_lock");
	assert_int_not_equal(at, 0);
	find_points(&f, ALL, &ps);
	inproc_space_init(&space);
	inproc_space_busy(&space, 0, 0x1000000);
	inproc_plan(f.m, 0, ps.v.v, ps.v.n, &space, &plan);
	for (size_t i = 1; i < plan.moves.n; i++)
		assert_false(!plan.moves.v[i].is_first &&
		    plan.moves.v[i - 1].from < at && plan.moves.v[i].from > at);
	inproc_plan_fini(&plan);
	inproc_space_fini(&space);
	VEC_FREE(&ps.v);
	file_close(&f);
}

/* Of all code behind the first return, no instruction is known to begin. */
static void
patch_doubtful_code(void **state)
{
	enum { CALL_AND_RET = 6, LAST = 10 };
	const struct elf_sym *sym;
	const struct ip_text *t;
	struct file f = { 0 };
	const uint8_t *marks;

	(void)state;
	assert_true(file_open(&f, EVERYTHING));
	sym = elf_syms_by_name(f.es, "padded");
	assert_non_null(sym);
	t = ip_text_at(f.m, sym->value);
	marks = t->marks + (sym->value - t->vaddr);
	assert_true(
	    marks[0] & MARK_INSN && marks[CALL_AND_RET - 1] & MARK_INSN);
	for (size_t i = CALL_AND_RET; i < sym->size; i++)
		assert_false(marks[i] & MARK_INSN);
	assert_true(marks[sym->size - LAST] & MARK_TARGET);
	file_close(&f);
}

static int
start(void **state)
{
	struct err err = { 0 };

	(void)state;
	return x86_init(&err);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patch_inner_target),
		cmocka_unit_test(patch_doubtful_code),
		cmocka_unit_test(patch_everything),
		cmocka_unit_test(patch_sqlite),
		cmocka_unit_test(patch_libc),
	};

	return cmocka_run_group_tests_name("patch", tests, start, NULL);
}
