/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Symbols of processes that run, have executed another program, or have ended.
 * This program runs itself as such processes; they report the addresses of
 * their functions, and the test compares the names found for these.
 */
#include "unit.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "sym/usyms_impl.h"

int known_function(int x);
int
known_function(int x)
{
	return x + 1;
}

static uint64_t
address(int (*f)(int))
{
	return (uint64_t)(uintptr_t)f;
}

/* The report of a test process: two lines "address monotonic-time". */
struct told {
	pid_t pid;
	unsigned long long addr[2], time[2];
};

static void
tell(uint64_t addr)
{
	dprintf(1, "%llx %llu\n", (unsigned long long)addr,
	    (unsigned long long)now_ns());
}

static struct told
listen_to(int fd, pid_t pid)
{
	FILE *f = fdopen(fd, "r");
	struct told t = { .pid = pid };
	int status;

	assert_non_null(f);
	for (int i = 0; i < 2; i++)
		assert_int_equal(
		    fscanf(f, "%llx %llu", &t.addr[i], &t.time[i]), 2);
	fclose(f);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	return t;
}

/* Run a program in the role that its first argument names. */
static struct told
run_as(const char *path, const char *what)
{
	int fds[2];
	pid_t pid;

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		dup2(fds[1], 1);
		execl(path, path, what, NULL);
		_exit(127);
	}
	close(fds[1]);
	return listen_to(fds[0], pid);
}

static void
pause_ms(long ms)
{
	struct timespec ts = { .tv_nsec = ms * 1000000 };

	nanosleep(&ts, NULL);
}

/* ---- the test's own processes -------------------------------------------- */

/* Report the addresses of code of one program, then of a second one. */
static int
as_exec(void)
{
	tell(address(known_function));
	execl("/proc/self/exe", "test_usyms", "once", NULL);
	return 1;
}

/* Run in a private file system, from a file that was removed. */
static int
as_hidden(void)
{
	if (unshare(CLONE_NEWNS) != 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("none", "/mnt", "tmpfs", 0, NULL) != 0)
		return 1;
	if (system("cp /proc/$PPID/exe /mnt/hidden") != 0)
		return 1;
	execl("/mnt/hidden", "hidden", "slow", NULL);
	return 1;
}

static int
as_library(void)
{
	void *so = dlopen("libm.so.6", RTLD_NOW);

	if (so == NULL)
		return 1;
	tell((uint64_t)(uintptr_t)dlsym(so, "cbrt"));
	dlclose(so);
	tell(address(known_function));
	return 0;
}

static int
act(const char *what)
{
	if (strcmp(what, "exec") == 0)
		return as_exec();
	if (strcmp(what, "hidden") == 0)
		return as_hidden();
	if (strcmp(what, "library") == 0)
		return as_library();
	tell(address(known_function));
	if (strcmp(what, "once") != 0)
		tell(address(known_function));
	if (strcmp(what, "slow") == 0)
		pause_ms(300);
	return 0;
}

/* ---- tests --------------------------------------------------------------- */

struct world {
	struct sym_cache *sc;
	struct usyms *us;
	struct sideband *sb;
};

static struct world
begin(bool follow)
{
	struct world w = { .sc = sym_cache_create() };
	struct err err = { 0 };

	w.us = usyms_create(w.sc);
	if (!follow)
		return w;
	w.sb = sideband_open(&err);
	if (w.sb == NULL) {
		print_message("skipped: %s\n", err.text);
		err_clear(&err);
		usyms_destroy(w.us);
		sym_cache_destroy(w.sc);
		skip();
	}
	usyms_follow(w.us, w.sb);
	return w;
}

static void
end(struct world *w)
{
	usyms_destroy(w->us);
	sideband_close(w->sb);
	sym_cache_destroy(w->sc);
}

static void
check(struct world *w, pid_t pid, uint64_t addr, uint64_t time,
    const char *expect)
{
	struct strbuf text = { 0 };

	usyms_format(w->us, pid, addr, time, &text);
	assert_string_equal(text.s, expect);
	strbuf_fini(&text);
}

static void
ourselves(void **state)
{
	struct world w = begin(false);
	struct usym sym;

	(void)state;
	check(&w, getpid(), address(known_function), USYM_NOW,
	    "test_usyms`known_function");
	check(&w, getpid(), address(known_function) + 1, USYM_NOW,
	    "test_usyms`known_function+0x1");
	check(&w, getpid(), 16, USYM_NOW, "0x10");
	check(&w, 0x7ffffffe, 0x1234, USYM_NOW, "0x1234");
	assert_true(usyms_find(
	    w.us, getpid(), address(known_function) + 1, USYM_NOW, &sym));
	assert_int_equal(sym.symbol, address(known_function));
	assert_int_equal(sym.offset, 1);
	end(&w);
}

/* A library that is mapped after the first look is found without a sideband. */
static void
loaded_later(void **state)
{
	struct world w = begin(false);
	void *so, *f;

	(void)state;
	check(&w, getpid(), address(known_function), USYM_NOW,
	    "test_usyms`known_function");
	so = dlopen("libm.so.6", RTLD_NOW);
	assert_non_null(so);
	f = dlsym(so, "cbrt");
	pause_ms(60);
	check(&w, getpid(), (uint64_t)(uintptr_t)f, USYM_NOW, "libm.so.6`cbrt");
	dlclose(so);
	end(&w);
}

static void
gone(void **state)
{
	struct world w = begin(true);
	struct told t = run_as("/proc/self/exe", "twice");

	(void)state;
	check(&w, t.pid, t.addr[0], t.time[0], "test_usyms`known_function");
	check(&w, t.pid, t.addr[0] + 2, USYM_NOW,
	    "test_usyms`known_function+0x2");
	end(&w);
}

/* One process runs two programs; as keys, both addresses are the same. */
static void
executed(void **state)
{
	struct world w = begin(true);
	struct told t = run_as("/proc/self/exe", "exec");
	struct told u = run_as("/proc/self/exe", "exec");
	struct usym sym;
	uint64_t key;

	(void)state;
	assert_true(t.addr[0] != t.addr[1]);
	check(&w, t.pid, t.addr[0], t.time[0], "test_usyms`known_function");
	check(&w, t.pid, t.addr[1], t.time[1], "test_usyms`known_function");
	key = usyms_key(w.us, t.pid, t.addr[0] + 2, USYM_KEY_SYMBOL);
	assert_int_equal(key, t.addr[0]);
	assert_int_equal(
	    usyms_key(w.us, t.pid, t.addr[1], USYM_KEY_SYMBOL), key);
	assert_true(usyms_find_key(w.us, t.pid, key, USYM_KEY_SYMBOL, &sym));
	assert_string_equal(sym.name, "known_function");
	key = usyms_key(w.us, t.pid, t.addr[0], USYM_KEY_MODULE);
	assert_int_equal(
	    usyms_key(w.us, t.pid, t.addr[1] + 99, USYM_KEY_MODULE), key);
	assert_true(usyms_find_key(w.us, t.pid, key, USYM_KEY_MODULE, &sym));
	assert_string_equal(sym.module, "test_usyms");
	/* another process has keys of its own */
	assert_int_equal(
	    usyms_key(w.us, u.pid, u.addr[1], USYM_KEY_SYMBOL), u.addr[1]);
	/* an address without symbol is its own key */
	assert_int_equal(usyms_key(w.us, t.pid, 17, USYM_KEY_SYMBOL), 17);
	end(&w);
}

static void
hidden_file(void **state)
{
	struct world w = begin(true);
	int fds[2];
	struct told t;
	pid_t pid;

	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		dup2(fds[1], 1);
		_exit(as_hidden());
	}
	close(fds[1]);
	/* The process is reported while it lives, as to a reader of the
	 * sideband. */
	for (int i = 0; i < 40; i++) {
		pause_ms(5);
		sideband_drain(w.sb);
	}
	t = listen_to(fds[0], pid);
	check(&w, t.pid, t.addr[0], t.time[0], "hidden`known_function");
	end(&w);
}

static void
unloaded(void **state)
{
	struct world w = begin(true);
	struct told t = run_as("/proc/self/exe", "library");

	(void)state;
	check(&w, t.pid, t.addr[0], t.time[0], "libm.so.6`cbrt");
	end(&w);
}

/* A forked child has the mappings of its parent at the time of the fork. */
static void
forked(void **state)
{
	struct world w = begin(true);
	pid_t pid = fork();
	int status;

	(void)state;
	if (pid == 0)
		_exit(0);
	waitpid(pid, &status, 0);
	check(&w, pid, address(known_function), USYM_NOW,
	    "test_usyms`known_function");
	end(&w);
}

static pid_t
highest_pid(void)
{
	FILE *f = fopen("/proc/sys/kernel/pid_max", "re");
	int max = 0;

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%d", &max), 1);
	fclose(f);
	return max;
}

/* A process gets an id that was looked up before the process existed. */
static void
new_with_old_id(void **state)
{
	struct world w = begin(true);
	pid_t free_id = highest_pid() - 1, pid;
	struct clone_args args = { .exit_signal = SIGCHLD,
		.set_tid = (uintptr_t)&free_id,
		.set_tid_size = 1 };
	uint64_t addr = address(known_function);
	struct usym sym;

	(void)state;
	while (kill(free_id, 0) == 0)
		free_id--;
	assert_false(usyms_find(w.us, free_id, addr, USYM_NOW, &sym));
	assert_false(usyms_find(w.us, free_id, addr, USYM_NOW, &sym));
	pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
	if (pid == 0)
		_exit(0);
	if (pid < 0) {
		end(&w);
		skip();
	}
	waitpid(pid, NULL, 0);
	check(&w, pid, addr, now_ns(), "test_usyms`known_function");
	end(&w);
}

/* ---- JIT compilers ------------------------------------------------------- */

static void
later_lines_win(void **state)
{
	struct strbuf text = { 0 };
	struct elf_syms *es;
	const struct {
		uint64_t addr;
		const char *name;
	} expect[] = { { 0x1000, "one two" }, { 0x10ff, "one two" },
		{ 0x1100, NULL }, { 0x2000, "new" }, { 0x2010, "new" },
		{ 0x2080, NULL }, { 0x3000, "bell?" } };

	(void)state;
	strbuf_adds(&text,
	    "1000 100 one two\n2000 100 old\nnonsense\n"
	    "2000 20 new\n3000 10 bell\a\nffffffffffffffff 2 wraps\n4000 0 x");
	es = perf_map_parse(&text);
	for (size_t i = 0; i < sizeof(expect) / sizeof(expect[0]); i++) {
		const struct elf_sym *sym =
		    elf_syms_by_addr(es, expect[i].addr);

		if (expect[i].name == NULL)
			assert_null(sym);
		else
			assert_string_equal(
			    elf_sym_name(es, sym), expect[i].name);
	}
	assert_int_equal(elf_syms_count(es), 3);
	elf_syms_rele(es);
}

static void
jitted(void **state)
{
	struct world w = begin(false);
	char *path = mem_printf("/tmp/perf-%d.map", (int)getpid());
	void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	FILE *f = fopen(path, "we");

	(void)state;
	assert_non_null(f);
	fprintf(f, "%llx 40 LazyCompile:*fib a.js:1\n",
	    (unsigned long long)(uintptr_t)code);
	fclose(f);
	check(&w, getpid(), (uint64_t)(uintptr_t)code + 4, USYM_NOW,
	    "[jit]`LazyCompile:*fib a.js:1+0x4");
	unlink(path);
	munmap(code, 4096);
	free(path);
	end(&w);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ourselves),
		cmocka_unit_test(loaded_later),
		cmocka_unit_test(gone),
		cmocka_unit_test(executed),
		cmocka_unit_test(hidden_file),
		cmocka_unit_test(unloaded),
		cmocka_unit_test(forked),
		cmocka_unit_test(new_with_old_id),
		cmocka_unit_test(later_lines_win),
		cmocka_unit_test(jitted),
	};

	if (argc > 1)
		return act(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
