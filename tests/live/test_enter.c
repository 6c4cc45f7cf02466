/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes are entered (src/inproc/enter.h) with a trampoline that counts.
 * The program behaves as before, the count is exact, and afterwards all changes
 * are undone.  The program is tests/prog/entered.c.
 */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"
#include "inproc/enter.h"
#include "sym/proc_maps.h"
#include "x86/insn.h"

#define PAGE 4096
#define PADDING 8	    /* bytes at the beginning of padded() */
#define REACH 0x7ff00000ULL /* distance that a jump reaches */
#define NOBODY 65534
#define CYCLES 1000 /* of enabling and disabling */

/* ---- the program -------------------------------------------------------- */

struct target {
	pid_t pid;
	FILE *in, *out; /* its input and output */
	uint64_t padded;
};

static void
become(const int to[2], const int from[2], const char *const argv[])
{
	dup2(to[0], 0);
	dup2(from[1], 1);
	close(to[1]);
	close(from[0]);
	execv(argv[0], (char *const *)argv);
	_exit(127);
}

static void
read_line(struct target *t, char *line, size_t len)
{
	struct pollfd fd = { .fd = fileno(t->out), .events = POLLIN };

	assert_int_equal(poll(&fd, 1, 60000), 1);
	assert_non_null(fgets(line, (int)len, t->out));
}

static void
start(struct target *t, const char *const argv[])
{
	int to[2], from[2];
	char line[80];
	void *addr;

	assert_int_equal(pipe2(to, O_CLOEXEC), 0);
	assert_int_equal(pipe2(from, O_CLOEXEC), 0);
	t->pid = fork();
	if (t->pid == 0)
		become(to, from, argv);
	close(to[0]);
	close(from[1]);
	t->in = fdopen(to[1], "w");
	t->out = fdopen(from[0], "r");
	setvbuf(t->out, NULL, _IONBF, 0);
	read_line(t, line, sizeof(line));
	assert_int_equal(sscanf(line, "padded %p", &addr), 1);
	t->padded = (uintptr_t)addr;
}

#define START(t, ...)                                                          \
	start((t), (const char *const[]){ PROGS "/entered", __VA_ARGS__, NULL })

static void
poke(struct target *t)
{
	fputs("\n", t->in);
	fflush(t->in);
}

/* The count that the target reports. */
static long
calls_of(struct target *t)
{
	char line[80];
	long calls = -1, wrong = -1;

	read_line(t, line, sizeof(line));
	assert_int_equal(
	    sscanf(line, "calls %ld wrong %ld", &calls, &wrong), 2);
	assert_int_equal(wrong, 0);
	return calls;
}

static void
expect_line(struct target *t, const char *expected)
{
	char line[80];

	read_line(t, line, sizeof(line));
	assert_string_equal(line, expected);
}

/* End the target by the end of its input. */
static void
end(struct target *t)
{
	int status;

	fclose(t->in);
	assert_int_equal(waitpid(t->pid, &status, 0), t->pid);
	assert_int_equal(status, 0);
	fclose(t->out);
}

/* ---- contents of the target ---------------------------------------------- */

static char *
read_proc(pid_t pid, const char *what)
{
	char path[64], *text = calloc(1, 1 << 20);
	size_t len = 0;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, what);
	fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	while ((n = read(fd, text + len, (1 << 20) - 1 - len)) > 0)
		len += (size_t)n;
	close(fd);
	return text;
}

static void
read_mem(pid_t pid, uint64_t at, void *buf, size_t len)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	assert_int_equal(pread(fd, buf, len, (off_t)at), len);
	close(fd);
}

static bool
has_own_code(const struct target *t)
{
	uint8_t code[PADDING], nops[PADDING];

	memset(nops, 0x90, sizeof(nops));
	read_mem(t->pid, t->padded, code, sizeof(code));
	return memcmp(code, nops, sizeof(nops)) == 0;
}

static bool
is_clean(const struct target *t)
{
	char *maps = read_proc(t->pid, "maps");
	bool is = has_own_code(t) && strstr(maps, "memfd") == NULL;

	free(maps);
	return is;
}

static void
sleep_ms(long ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&ts, NULL);
}

/*
 * A thread in dtrace's code leaves it when it next runs.  Remains on a thread's
 * stack may make it look as if it were still there: so await threads' ends
 * first.
 */
static void
await_clean(const struct target *t)
{
	for (int i = 0; i < 1000 && !is_clean(t); i++)
		sleep_ms(10);
	assert_true(is_clean(t));
}

/* ---- dtrace's side ------------------------------------------------------- */

struct session {
	struct inproc_share share;
	uint64_t *count;
	struct inproc_proc *p;
	struct inproc_space space;
	struct inproc_plan plan;
};

static int
file_of(size_t len)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)len), 0);
	return fd;
}

static void
open_session(struct session *s)
{
	*s = (struct session){ .share = { .code_fd = file_of(PAGE),
				   .data_fd = file_of(PAGE),
				   .code_len = PAGE,
				   .own_len = PAGE,
				   .data_len = PAGE } };
	s->count = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
	    s->share.data_fd, 0);
	assert_true(s->count != MAP_FAILED);
	inproc_space_init(&s->space);
}

static void
close_session(struct session *s)
{
	munmap(s->count, PAGE);
	close(s->share.code_fd);
	close(s->share.data_fd);
	inproc_space_fini(&s->space);
	inproc_plan_fini(&s->plan);
}

static void
add64(struct strbuf *code, uint64_t v)
{
	strbuf_add(code, &v, sizeof(v));
}

/* Emit code that counts in the entered process, and not in its children. */
static void
emit_count(struct strbuf *code, const struct inproc_proc *p)
{
	strbuf_add(code, "\x50", 1);	 /* push %rax */
	strbuf_add(code, "\x48\xb8", 2); /* movabs own, %rax */
	add64(code, p->own);
	strbuf_add(code, "\x48\x83\x38\x00", 4); /* cmpq $0, (%rax) */
	strbuf_add(code, "\x74\x0e", 2);	 /* je over */
	strbuf_add(code, "\x48\xb8", 2);	 /* movabs data, %rax */
	add64(code, p->data);
	strbuf_add(code, "\xf0\x48\xff\x00", 4); /* lock incq (%rax) */
	strbuf_add(code, "\x58", 1);		 /* over: pop %rax */
}

static void
add_jump(struct strbuf *code, uint64_t from, uint64_t to)
{
	int32_t rel = (int32_t)(to - (from + 5));

	strbuf_add(code, "\xe9", 1);
	strbuf_add(code, &rel, sizeof(rel));
}

/* Plan one window: the padding, of which a jump takes five bytes. */
static void
make_plan(struct session *s, const struct target *t)
{
	uint64_t low = t->padded > REACH ? t->padded - REACH : PAGE;
	uint64_t at = inproc_space_take(&s->space, low, t->padded + REACH, 256);
	struct strbuf *code = &s->plan.code, jump = { 0 };
	struct inproc_write w = { .at = t->padded, .len = 5 };

	assert_true(at != 0);
	emit_count(code, s->p);
	for (uint64_t i = 0; i < PADDING; i++) {
		VEC_PUSH(&s->plan.moves,
		    (struct inproc_move){ .from = t->padded + i,
			.to = at + code->len,
			.is_first = i == 0 });
		strbuf_add(code, "\x90", 1);
	}
	add_jump(code, at + code->len, t->padded + PADDING);
	VEC_PUSH(
	    &s->plan.texts, (struct inproc_text){ at, 0, (uint32_t)code->len });
	memset(w.old, 0x90, w.len);
	add_jump(&jump, t->padded, at);
	memcpy(w.new, jump.s, w.len);
	strbuf_fini(&jump);
	VEC_PUSH(&s->plan.writes, w);
	s->plan.nwindows = 1;
}

static void
must(int rc, char *msg)
{
	if (rc != 0)
		fail_msg("%s: %s", strerror(-rc), msg);
}

static void
apply(struct session *s)
{
	struct inproc_plan *plans[] = { &s->plan };
	struct err err = { 0 };
	int rc = inproc_apply(s->p, &s->space, plans, 1, &err);

	must(rc, err.text);
}

static void
describe(struct session *s)
{
	struct proc_maps pm;
	struct err err = { 0 };

	assert_int_equal(proc_maps_read(&pm, s->p->pid, &err), 0);
	inproc_describe_space(s->p, &pm, &s->space);
	proc_maps_fini(&pm);
}

static void
begin(struct session *s, const struct target *t)
{
	uint64_t one = 1;
	struct err err = { 0 };
	int rc;

	open_session(s);
	rc = inproc_enter(t->pid, false, &s->share, &s->p, &err);
	must(rc, err.text);
	rc = inproc_write_own(s->p, 0, &one, sizeof(one), &err);
	must(rc, err.text);
	describe(s);
}

static void
enter(struct session *s, const struct target *t)
{
	begin(s, t);
	make_plan(s, t);
	apply(s);
}

static void
restore(struct session *s)
{
	struct err err = { 0 };
	int rc = inproc_restore(s->p, &err);

	must(rc, err.text);
}

static void
leave(struct session *s)
{
	struct err err = { 0 };
	int rc = inproc_leave(s->p, &err);

	must(rc, err.text);
	close_session(s);
}

/* ---- cases -------------------------------------------------------------- */

/* Every call of every thread is counted, and afterwards nothing is left. */
static void
test_counts(void **state)
{
	struct target t;
	struct session s;
	char *before, *after;

	(void)state;
	START(&t, "calls", "4", "100000");
	before = read_proc(t.pid, "maps");
	enter(&s, &t);
	assert_false(is_clean(&t));
	poke(&t);
	assert_int_equal(calls_of(&t), 400000);
	assert_int_equal(*s.count, 400000);
	leave(&s);
	assert_true(is_clean(&t));
	after = read_proc(t.pid, "maps");
	assert_non_null(strstr(after, strstr(before, "libc.so")));
	poke(&t);
	assert_int_equal(calls_of(&t), 800000);
	free(before);
	free(after);
	end(&t);
}

/* Plan an area over the program's code, as if the code had been mapped
 * meanwhile. */
static void
take_busy_page(struct inproc_space *space, const struct target *t)
{
	uint64_t page = t->padded & -(uint64_t)PAGE;

	space->busy.n = 0;
	assert_int_equal(inproc_space_take(space, page, page + 1, 256), page);
}

/* If an area cannot be mapped at its place, nothing is planted.  The space
 * still knows its areas, and another plan can be applied. */
static void
test_mapped_meanwhile(void **state)
{
	struct inproc_space before;
	struct inproc_plan *plans[1];
	struct target t;
	struct session s;
	struct err err = { 0 };

	(void)state;
	START(&t, "calls", "4", "1000");
	begin(&s, &t);
	inproc_space_copy(&before, &s.space);
	make_plan(&s, &t);
	take_busy_page(&s.space, &t);
	plans[0] = &s.plan;
	assert_int_equal(inproc_apply(s.p, &s.space, plans, 1, &err), -EEXIST);
	err_clear(&err);
	assert_true(has_own_code(&t));
	inproc_take_back(s.p, &s.space, &before);
	inproc_space_fini(&before);
	assert_int_equal(s.space.areas.n, 1);
	inproc_plan_fini(&s.plan);
	s.plan = (struct inproc_plan){ 0 };
	make_plan(&s, &t);
	apply(&s);
	poke(&t);
	assert_int_equal(calls_of(&t), 4000);
	assert_int_equal(*s.count, 4000);
	leave(&s);
	assert_true(is_clean(&t));
	end(&t);
}

static size_t
settle(struct session *s)
{
	struct err err = { 0 };
	int rc = inproc_settle(s->p, &err);

	must(rc, err.text);
	return inproc_waiting(s->p);
}

/* A thread that has left a place may keep an address of it on its stack for
 * some more calls. */
static void
await_settled(struct session *s)
{
	for (int i = 0; i < 2000 && settle(s) != 0; i++)
		sleep_ms(5);
	assert_int_equal(inproc_waiting(s->p), 0);
}

/* A window waits while a thread will return into it, and is planted after
 * that. */
static void
test_waits(void **state)
{
	struct target t;
	struct session s;

	(void)state;
	START(&t, "kept", "10");
	expect_line(&t, "kept\n");
	enter(&s, &t);
	assert_int_equal(inproc_waiting(s.p), 1);
	assert_true(inproc_waits(s.p, &s.plan, 0));
	assert_true(has_own_code(&t));
	assert_int_equal(settle(&s), 1);
	inproc_may_settle(s.p);
	sleep_ms(20);
	inproc_may_settle(s.p);
	assert_false(inproc_may_settle(s.p));
	poke(&t);
	assert_int_equal(calls_of(&t), 10);
	assert_int_equal(*s.count, 0);
	assert_true(inproc_may_settle(s.p));
	await_settled(&s);
	assert_false(has_own_code(&t));
	poke(&t);
	assert_int_equal(calls_of(&t), 20);
	assert_int_equal(*s.count, 10);
	leave(&s);
	await_clean(&t);
	end(&t);
}

/* Add a window that can always be planted: two instructions of one byte become
 * one of two. */
static void
add_window(struct session *s, const struct target *t)
{
	VEC_PUSH(&s->plan.writes,
	    (struct inproc_write){ .at = t->padded + 5,
		.window = 1,
		.len = 2,
		.old = { 0x90, 0x90 },
		.new = { 0x66, 0x90 } });
	s->plan.nwindows = 2;
}

/* A child has one of two windows, since the other waited when the child was
 * made.  Leaving the child works, although its parent has got both windows by
 * then. */
static void
test_child_of_waiting(void **state)
{
	struct target t, heir = { 0 };
	struct session s;
	struct inproc_proc *p;
	char line[80];
	struct err err = { 0 };
	int rc;

	(void)state;
	START(&t, "heir", "10");
	expect_line(&t, "kept\n");
	begin(&s, &t);
	make_plan(&s, &t);
	add_window(&s, &t);
	apply(&s);
	assert_int_equal(inproc_waiting(s.p), 1);
	poke(&t);
	read_line(&t, line, sizeof(line));
	assert_int_equal(sscanf(line, "heir %d", &heir.pid), 1);
	heir.padded = t.padded;
	poke(&t);
	assert_int_equal(calls_of(&t), 10);
	await_settled(&s);
	assert_false(has_own_code(&heir));
	rc = inproc_adopt(s.p, heir.pid, &p, &err);
	must(rc, err.text);
	rc = inproc_leave(p, &err);
	must(rc, err.text);
	await_clean(&heir);
	poke(&t);
	assert_int_equal(calls_of(&t), 10);
	leave(&s);
	await_clean(&t);
	end(&t);
}

/* Threads run the code while the jump comes and goes, and signals interrupt
 * them.  A scheduler may take a turn of every thread each time, so only a few
 * threads get the many cycles. */
static void
hammer(const char *threads, int cycles)
{
	struct target t;
	struct session s;
	uint64_t longest = 0;

	START(&t, "hammer", threads);
	poke(&t);
	expect_line(&t, "running\n");
	enter(&s, &t);
	for (int i = 0; i < cycles; i++) {
		restore(&s);
		apply(&s);
		if (s.p->stop_ns > longest)
			longest = s.p->stop_ns;
	}
	leave(&s);
	assert_true(has_own_code(&t));
	poke(&t);
	assert_true(calls_of(&t) > cycles);
	await_clean(&t);
	print_message("# %s threads, longest stop: %llu us\n", threads,
	    (unsigned long long)longest / 1000);
	end(&t);
}

static void
test_comes_and_goes(void **state)
{
	(void)state;
	hammer("10", CYCLES);
	hammer("100", 50);
}

/* No waiting call returns because of the tracing. */
static void
test_calls_go_on(void **state)
{
	struct target t;

	(void)state;
	START(&t, "blocked");
	for (int i = 0; i < 20; i++) {
		struct session s;

		enter(&s, &t);
		leave(&s);
	}
	poke(&t);
	assert_int_equal(calls_of(&t), 0);
	kill(t.pid, SIGKILL);
	fclose(t.in);
	fclose(t.out);
	waitpid(t.pid, NULL, 0);
}

static char
state_of(pid_t pid)
{
	char *text = read_proc(pid, "stat"), *end = strrchr(text, ')');
	char state = end[2];

	free(text);
	return state;
}

static void
await_state(pid_t pid, char state)
{
	for (int i = 0; i < 1000 && state_of(pid) != state; i++)
		sleep_ms(10);
	assert_int_equal(state_of(pid), state);
}

/* A target stopped by job control stays stopped. */
static void
test_stays_stopped(void **state)
{
	struct target t;
	struct session s;

	(void)state;
	START(&t, "calls", "2", "10");
	kill(t.pid, SIGSTOP);
	await_state(t.pid, 'T');
	enter(&s, &t);
	await_state(t.pid, 'T');
	poke(&t);
	sleep_ms(20);
	assert_int_equal(*s.count, 0);
	kill(t.pid, SIGCONT);
	assert_int_equal(calls_of(&t), 20);
	assert_int_equal(*s.count, 20);
	kill(t.pid, SIGSTOP);
	leave(&s);
	await_state(t.pid, 'T');
	kill(t.pid, SIGCONT);
	end(&t);
}

/* A child has the jump, but does not count. */
static void
test_child(void **state)
{
	struct target t;
	struct session s;

	(void)state;
	START(&t, "fork", "1000");
	enter(&s, &t);
	poke(&t);
	assert_int_equal(calls_of(&t), 1000);
	assert_int_equal(*s.count, 1000);
	leave(&s);
	end(&t);
}

/* A program that the process executes has no changes; leaving it is no
 * error. */
static void
test_exec(void **state)
{
	struct target t;
	struct session s;
	char line[80];

	(void)state;
	START(&t, "exec");
	enter(&s, &t);
	poke(&t);
	read_line(&t, line, sizeof(line));
	assert_memory_equal(line, "padded ", 7);
	leave(&s);
	assert_true(is_clean(&t));
	poke(&t);
	assert_int_equal(calls_of(&t), 1);
	end(&t);
}

/* Leaving a process that has ended is no error. */
static void
test_end(void **state)
{
	struct target t;
	struct session s;

	(void)state;
	START(&t, "calls", "1", "1");
	enter(&s, &t);
	poke(&t);
	assert_int_equal(calls_of(&t), 1);
	end(&t);
	assert_int_equal(*s.count, 1);
	leave(&s);
}

/* ---- a whole library ----------------------------------------------------- */

/* Write "lock incq data(%rip); ret" to the beginning of the code. */
static void
write_counter(struct session *s)
{
	const uint8_t code[] = { 0xf0, 0x48, 0xff, 0x05, 0xf8, 0x1f, 0, 0,
		0xc3 };

	assert_int_equal(
	    pwrite(s->share.code_fd, code, sizeof(code), 0), sizeof(code));
}

struct library {
	struct proc_maps pm;
	const struct proc_map *text;
	struct elf_syms *es;
	struct inproc_module *module;
	uint64_t bias;
	VEC(struct inproc_point) points;
	uint8_t *before, *after;
};

static void
find_library(struct library *lib, pid_t pid, const char *name)
{
	struct err err = { 0 };

	assert_int_equal(proc_maps_read(&lib->pm, pid, &err), 0);
	VEC_FOREACH(&lib->pm.maps, map) {
		if (map->is_exec && strstr(map->path, name) != NULL)
			lib->text = map;
	}
	assert_non_null(lib->text);
}

static void
open_library(struct library *lib, pid_t pid, const char *name)
{
	struct err err = { 0 };
	int fd;

	find_library(lib, pid, name);
	fd = proc_map_open(pid, lib->text);
	assert_true(fd >= 0);
	lib->es = elf_syms_open(fd, lib->text->path, "", &err);
	assert_non_null(lib->es);
	lib->module = inproc_module_open(fd, lib->es, &err);
	assert_non_null(lib->module);
	assert_true(proc_map_bias(lib->text, lib->es, &lib->bias));
	close(fd);
}

static void
add_functions(struct library *lib, const struct inproc_proc *p)
{
	struct inproc_point pt = { .body = { .emit = inproc_emit_call,
				       .changes = 1,
				       .addr = p->code } };

	for (size_t i = 0; i < elf_syms_count(lib->es); i++) {
		const struct elf_sym *sym = elf_syms_get(lib->es, i);

		if (sym->kind != ELF_SYM_FUNC || sym->size == 0 ||
		    (lib->points.n != 0 &&
			lib->points.v[lib->points.n - 1].vaddr == sym->value))
			continue;
		pt.vaddr = pt.func = sym->value;
		pt.size = sym->size;
		VEC_PUSH(&lib->points, pt);
	}
}

static uint8_t *
text_of(const struct library *lib)
{
	size_t len = lib->text->end - lib->text->start;
	uint8_t *bytes = malloc(len);

	read_mem(lib->pm.pid, lib->text->start, bytes, len);
	return bytes;
}

static void
close_library(struct library *lib)
{
	assert_memory_equal(
	    lib->before, lib->after, lib->text->end - lib->text->start);
	free(lib->before);
	free(lib->after);
	VEC_FREE(&lib->points);
	inproc_module_close(lib->module);
	elf_syms_rele(lib->es);
	proc_maps_fini(&lib->pm);
}

static void
plan_library(struct session *s, struct library *lib)
{
	size_t refused = 0;

	describe(s);
	inproc_plan(lib->module, lib->bias, lib->points.v, lib->points.n,
	    &s->space, &s->plan);
	VEC_FOREACH(&s->plan.fates, fate)
		refused += fate->tactic == INPROC_REFUSED;
	print_message("# %zu functions, %zu refused, %zu areas\n",
	    lib->points.n, refused, s->space.areas.n);
	assert_true(refused < lib->points.n / 20);
}

/* With all functions armed, the program behaves as before; disarmed, its
 * library is the same byte for byte. */
static void
test_library(void **state)
{
	struct library lib = { 0 };
	struct target t;
	struct session s;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(x86_init(&err), 0);
	START(&t, "calls", "4", "1000");
	open_session(&s);
	write_counter(&s);
	must(inproc_enter(t.pid, false, &s.share, &s.p, &err), err.text);
	open_library(&lib, t.pid, "libc.so");
	lib.before = text_of(&lib);
	add_functions(&lib, s.p);
	plan_library(&s, &lib);
	apply(&s);
	print_message(
	    "# stopped for %llu us\n", (unsigned long long)s.p->stop_ns / 1000);
	poke(&t);
	assert_int_equal(calls_of(&t), 4000);
	assert_true(*s.count > 0);
	leave(&s);
	assert_true(is_clean(&t));
	lib.after = text_of(&lib);
	close_library(&lib);
	poke(&t);
	assert_int_equal(calls_of(&t), 8000);
	end(&t);
}

/* ---- ends of dtrace ------------------------------------------------------ */

/* Run this program again for one task. */
static pid_t
run_self(const char *what, const struct target *t)
{
	char pid[16], padded[24];
	pid_t child = fork();

	if (child != 0)
		return child;
	snprintf(pid, sizeof(pid), "%d", t != NULL ? (int)t->pid : 0);
	snprintf(padded, sizeof(padded), "%llu",
	    t != NULL ? (unsigned long long)t->padded : 0ULL);
	dup2(2, 1);
	execl("/proc/self/exe", "test_enter", what, pid, padded, NULL);
	_exit(127);
}

static struct target given; /* from run_self()'s arguments */

static void
enter_and_die(void **state)
{
	struct session s;

	(void)state;
	enter(&s, &given);
	kill(getpid(), SIGKILL);
	pause();
}

/* When dtrace is killed, the guardian undoes its changes at once. */
static void
test_killed(void **state)
{
	struct target t;
	int status;
	pid_t pid;

	(void)state;
	START(&t, "hammer", "8");
	poke(&t);
	expect_line(&t, "running\n");
	pid = run_self("die", &t);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, SIGKILL);
	await_clean(&t);
	poke(&t);
	assert_true(calls_of(&t) > 0);
	end(&t);
}

/* ---- refusals ------------------------------------------------------------ */

/* Make a child, which calls f and then waits. */
static pid_t
child(void (*f)(void))
{
	int ready[2];
	pid_t pid;
	char c;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		f();
		if (write(ready[1], "", 1) == 1)
			pause();
		_exit(0);
	}
	assert_int_equal(read(ready[0], &c, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

static void
assert_refused_pid(pid_t pid, const char *why)
{
	struct session s;
	struct err err = { 0 };
	int rc;

	open_session(&s);
	rc = inproc_enter(pid, false, &s.share, &s.p, &err);
	close_session(&s);
	assert_true(rc < 0);
	assert_non_null(err.text);
	if (strstr(err.text, why) == NULL)
		fail_msg("'%s' does not say '%s'", err.text, why);
	err_clear(&err);
}

static void
assert_refused(void (*f)(void), const char *why)
{
	pid_t pid = child(f);

	assert_refused_pid(pid, why);
	assert_int_equal(kill(pid, SIGKILL), 0);
	waitpid(pid, NULL, 0);
}

static void
filter_calls(void)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog prog = { 1, &allow };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog);
}

static void
protect_memory(void)
{
	prctl(PR_SET_DUMPABLE, 0);
}

static void
protect_as_nobody(void)
{
	if (setresgid(NOBODY, NOBODY, NOBODY) != 0 ||
	    setresuid(NOBODY, NOBODY, NOBODY) != 0)
		_exit(1);
	protect_memory();
}

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65 /* <linux/prctl.h>, Linux 6.3 */
#endif

static void
keep_memory(void)
{
	if (prctl(PR_SET_MDWE, 1, 0, 0, 0) != 0)
		_exit(1);
}

/* Kernels before 6.3 do not have PR_SET_MDWE. */
static bool
has_mdwe(void)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		keep_memory();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return status == 0;
}

static void
hide_clock(void)
{
	prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
}

static void
be_two(void)
{
	if (setresuid((uid_t)-1, NOBODY, 0) != 0)
		_exit(1);
}

static void
be_traced(void)
{
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
}

static void
test_refused(void **state)
{
	(void)state;
	if (getuid() != 0)
		skip();
	assert_refused(filter_calls, "seccomp filter");
	assert_refused(protect_memory, "PR_SET_DUMPABLE");
	assert_refused(protect_as_nobody, "PR_SET_DUMPABLE");
	assert_refused(hide_clock, "PR_SET_TSC");
	if (has_mdwe())
		assert_refused(keep_memory, "PR_SET_MDWE");
	assert_refused(be_two, "more than one identity");
	assert_refused_pid(2, "kernel thread");
	assert_refused_pid(INT32_MAX, "does not exist");
}

/* This process refuses the given process, which another one traces. */
static void
refuse_given(void **state)
{
	(void)state;
	assert_refused_pid(given.pid, "traced by process");
}

static int
status_of(pid_t pid)
{
	int status = -1;

	waitpid(pid, &status, 0);
	return status;
}

static void
test_refused_traced(void **state)
{
	struct target t = { .pid = child(be_traced) };

	(void)state;
	assert_int_equal(status_of(run_self("refuse", &t)), 0);
	kill(t.pid, SIGKILL);
	waitpid(t.pid, NULL, 0);
}

/* Another process has changed a place that has a probe.  dtrace leaves the code
 * there as it is, and keeps the targets of the other jumps, however often it
 * leaves the process. */
static void
test_left_changed(void **state)
{
	static const uint8_t others[] = { 0x90, 0xf8 }; /* nop, clc */
	struct target t;
	struct session s;
	char path[32];
	struct err err = { 0 };
	int fd;

	(void)state;
	START(&t, "calls", "1", "1000");
	begin(&s, &t);
	make_plan(&s, &t);
	add_window(&s, &t);
	apply(&s);
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)t.pid);
	fd = open(path, O_RDWR);
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, others, 2, (off_t)t.padded + 5), 2);
	close(fd);
	assert_int_equal(inproc_undo(s.p, &err), -ESTALE);
	assert_non_null(strstr(err.text, "changed or unmapped by others"));
	err_clear(&err);
	assert_int_equal(inproc_leave(s.p, &err), -ESTALE);
	assert_non_null(strstr(err.text, "keeps dtrace's memory"));
	err_clear(&err);
	sleep_ms(50);
	poke(&t);
	assert_int_equal(calls_of(&t), 1000);
	close_session(&s);
	end(&t);
}

/* A debugger traces the process for some moments while dtrace leaves it: dtrace
 * tries again, and there is no error. */
static void
test_left_while_traced(void **state)
{
	struct target t;
	struct session s;
	int ready[2];
	char c;
	pid_t pid;

	(void)state;
	START(&t, "calls", "1", "1000");
	enter(&s, &t);
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		bool is_traced = ptrace(PTRACE_SEIZE, t.pid, NULL, NULL) == 0;

		if (is_traced && write(ready[1], "", 1) == 1)
			sleep_ms(20);
		_exit(!is_traced);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &c, 1), 1);
	leave(&s);
	close(ready[0]);
	assert_int_equal(status_of(pid), 0);
	await_clean(&t);
	end(&t);
}

/* An ordinary user may enter own processes, but no others. */
static void
as_nobody(void **state)
{
	struct target t;
	struct session s;

	(void)state;
	assert_int_equal(setresgid(NOBODY, NOBODY, NOBODY), 0);
	assert_int_equal(setresuid(NOBODY, NOBODY, NOBODY), 0);
	START(&t, "calls", "2", "1000");
	enter(&s, &t);
	poke(&t);
	assert_int_equal(calls_of(&t), 2000);
	assert_int_equal(*s.count, 2000);
	leave(&s);
	assert_true(is_clean(&t));
	end(&t);
	assert_refused_pid(getppid(), "another user's");
}

static void
test_nobody(void **state)
{
	(void)state;
	if (getuid() != 0)
		skip();
	assert_int_equal(status_of(run_self("nobody", NULL)), 0);
}

/* Run the task that run_self() names. */
static int
run_part(const char *what)
{
	const struct CMUnitTest die[] = { cmocka_unit_test(enter_and_die) };
	const struct CMUnitTest refuse[] = { cmocka_unit_test(refuse_given) };
	const struct CMUnitTest nobody[] = { cmocka_unit_test(as_nobody) };

	if (strcmp(what, "die") == 0)
		return cmocka_run_group_tests(die, NULL, NULL);
	if (strcmp(what, "refuse") == 0)
		return cmocka_run_group_tests(refuse, NULL, NULL);
	return cmocka_run_group_tests(nobody, NULL, NULL);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_mapped_meanwhile),
		cmocka_unit_test(test_waits),
		cmocka_unit_test(test_child_of_waiting),
		cmocka_unit_test(test_comes_and_goes),
		cmocka_unit_test(test_calls_go_on),
		cmocka_unit_test(test_stays_stopped),
		cmocka_unit_test(test_child),
		cmocka_unit_test(test_exec),
		cmocka_unit_test(test_end),
		cmocka_unit_test(test_library),
		cmocka_unit_test(test_killed),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_refused_traced),
		cmocka_unit_test(test_nobody),
		cmocka_unit_test(test_left_while_traced),
		cmocka_unit_test(test_left_changed),
	};

	if (argc == 4) {
		given.pid = (pid_t)atoi(argv[2]);
		given.padded = strtoull(argv[3], NULL, 10);
		return run_part(argv[1]);
	}
	if (argc == 2)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
