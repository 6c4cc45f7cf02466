/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The child that reads hostile files: its restrictions, and that its failure,
 * however it comes, is no more than a refusal.
 */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bounds.h"
#include "base/clock.h"
#include "base/confine.h"
#include "base/err.h"
#include "inproc/inproc.h"
#include "inproc/module_read.h"
#include "x86/insn.h"

/* Call the job with this program as the file.  Returns 0, or sets the error. */
static int
call(confine_job_f *job, struct confine_answer *a, struct err *err)
{
	struct confine_call c = { .run = job, .arg = "arg", .len = 3 };
	int rc;

	err_clear(err);
	c.fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	rc = confine_run(&c, a, err);
	close(c.fd);
	return rc;
}

static void
refused(confine_job_f *job, const char *part)
{
	struct confine_answer a;
	struct err err = { 0 };

	assert_int_equal(call(job, &a, &err), -EINVAL);
	if (strstr(err.text, part) == NULL)
		fail_msg("'%s' is not in '%s'", part, err.text);
	err_clear(&err);
}

/* ---- permitted operations ------------------------------------------------ */

static int
say(int fd, const void *arg, size_t len, struct confine_out *out,
    struct err *err)
{
	char magic[4];

	if (pread(fd, magic, 4, 0) != 4)
		return err_set(err, -EINVAL, "unread");
	confine_put(out, arg, len);
	confine_put(out, magic, 4);
	return 0;
}

static void
a_job_is_done(void **state)
{
	struct confine_answer a;
	struct err err = { 0 };

	(void)state;
	for (int i = 0; i < 3; i++) {
		assert_int_equal(call(say, &a, &err), 0);
		assert_int_equal(a.len, 7);
		assert_memory_equal(a.p,
		    "arg\x7f"
		    "ELF",
		    7);
		confine_answer_fini(&a);
	}
	assert_false(confine_is_inside());
}

static int
complain(int fd, const void *arg, size_t len, struct confine_out *out,
    struct err *err)
{
	(void)fd, (void)arg, (void)len, (void)out;
	return err_set(err, -EINVAL, "it is no good");
}

static int
say_nothing(int fd, const void *arg, size_t len, struct confine_out *out,
    struct err *err)
{
	(void)fd, (void)arg, (void)len, (void)out, (void)err;
	return 0;
}

static void
refusals_come_through(void **state)
{
	struct confine_answer a;
	struct err err = { 0 };

	(void)state;
	refused(complain, "it is no good");
	assert_int_equal(call(say_nothing, &a, &err), 0);
	assert_null(a.p);
}

static int
fail_to_read(int fd, const void *arg, size_t len, struct confine_out *out,
    struct err *err)
{
	(void)fd, (void)arg, (void)len, (void)out;
	return err_set(err, -EIO, "the disk is broken");
}

static int
lie(int fd, const void *arg, size_t len, struct confine_out *out,
    struct err *err)
{
	(void)fd, (void)arg, (void)len, (void)out;
	return err_set(err, -ENOSYS, "do it yourself");
}

static int
end_as_if_short(int fd, const void *arg, size_t len, struct confine_out *out,
    struct err *err)
{
	(void)fd, (void)arg, (void)len, (void)out, (void)err;
	_exit(ENOMEM);
}

/* A file can make the child say anything: dtrace believes only EIO. */
static void
codes_of_the_child(void **state)
{
	struct confine_answer a;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(call(fail_to_read, &a, &err), -EIO);
	assert_string_equal(err_text(&err), "the disk is broken");
	assert_int_equal(call(lie, &a, &err), -EINVAL);
	assert_int_equal(call(end_as_if_short, &a, &err), -EINVAL);
	err_clear(&err);
}

/* A system call that a seccomp filter denies: the job is not done by dtrace. */
static void
deny(long nr)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		    offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)nr, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { 4, code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) != 0)
		_exit(100);
}

static void
it_does_not_leave_the_job(void **state)
{
	struct confine_answer a;
	struct err err = { 0 };
	int status;
	pid_t pid;

	(void)state;
	if (geteuid() != 0)
		skip(); /* without privileges dtrace does the job itself */
	pid = fork();
	if (pid == 0) {
		deny(SYS_memfd_create);
		_exit(call(say, &a, &err) == -EINVAL ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* ---- forbidden operations ------------------------------------------------ */

static int
crash(int fd, const void *arg, size_t len, struct confine_out *out,
    struct err *err)
{
	volatile uintptr_t nowhere = 8;

	(void)fd, (void)arg, (void)len, (void)out, (void)err;
	return *(volatile int *)nowhere;
}

static int
open_file(int fd, const void *arg, size_t len, struct confine_out *out,
    struct err *err)
{
	(void)fd, (void)arg, (void)len, (void)out, (void)err;
	return open("/etc/passwd", O_RDONLY);
}

static int
make_socket(int fd, const void *arg, size_t len, struct confine_out *out,
    struct err *err)
{
	(void)fd, (void)arg, (void)len, (void)out, (void)err;
	return socket(AF_INET, SOCK_STREAM, 0);
}

static int
signal_parent(int fd, const void *arg, size_t len, struct confine_out *out,
    struct err *err)
{
	(void)fd, (void)arg, (void)len, (void)out, (void)err;
	return kill(getppid(), SIGTERM);
}

static int
map_code(int fd, const void *arg, size_t len, struct confine_out *out,
    struct err *err)
{
	(void)arg, (void)len, (void)out, (void)err;
	return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) ==
	    MAP_FAILED;
}

/* A shared mapping would let the child change its answer while we read it. */
static int
map_answer(int fd, const void *arg, size_t len, struct confine_out *out,
    struct err *err)
{
	(void)fd, (void)arg, (void)len, (void)err;
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, out->fd,
		   0) == MAP_FAILED;
}

static int
leave(int fd, const void *arg, size_t len, struct confine_out *out,
    struct err *err)
{
	(void)fd, (void)arg, (void)len, (void)out, (void)err;
	_exit(0);
}

static void
its_death_is_a_refusal(void **state)
{
	struct confine_answer a;
	struct err err = { 0 };

	(void)state;
	refused(crash, "ended by SIGSEGV");
	refused(open_file, "ended by SIGSYS");
	refused(make_socket, "ended by SIGSYS");
	refused(signal_parent, "ended by SIGSYS");
	refused(map_code, "ended by SIGSYS");
	refused(map_answer, "ended by SIGSYS");
	refused(leave, "has ended");
	assert_int_equal(call(say, &a, &err), 0);
	confine_answer_fini(&a);
}

static pid_t
child_pid(void)
{
	char path[64], text[32] = "";
	FILE *f;

	snprintf(
	    path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	f = fopen(path, "re");
	if (f == NULL || fgets(text, sizeof(text), f) == NULL)
		text[0] = '\0';
	if (f != NULL)
		fclose(f);
	return atoi(text);
}

static void *
start_child(void *unused)
{
	struct confine_answer a;
	struct err err = { 0 };

	(void)unused;
	assert_int_equal(call(say, &a, &err), 0);
	confine_answer_fini(&a);
	return NULL;
}

/* The child outlives the thread that started it, or is replaced. */
static void
threads_share_it(void **state)
{
	struct confine_answer a;
	pthread_t thread;
	struct err err = { 0 };

	(void)state;
	confine_end();
	assert_int_equal(pthread_create(&thread, NULL, start_child, NULL), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	usleep(20000); /* time for signals of its end */
	assert_int_equal(call(say, &a, &err), 0);
	confine_answer_fini(&a);
}

/* A child that is killed while idle is replaced. */
static void
an_idle_one_is_replaced(void **state)
{
	struct confine_answer a;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(call(say, &a, &err), 0);
	confine_answer_fini(&a);
	if (child_pid() == 0)
		skip(); /* the kernel lists no children */
	assert_int_equal(kill(child_pid(), SIGKILL), 0);
	usleep(20000);
	assert_int_equal(call(say, &a, &err), 0);
	confine_answer_fini(&a);
}

/* ---- limits -------------------------------------------------------------- */

static int
spin(int fd, const void *arg, size_t len, struct confine_out *out,
    struct err *err)
{
	volatile int turns = 1;

	(void)fd, (void)arg, (void)len, (void)out, (void)err;
	while (turns != 0)
		turns = 1;
	return 0;
}

/* Pages count towards the limit when they are mapped. */
static int
eat(int fd, const void *arg, size_t len, struct confine_out *out,
    struct err *err)
{
	(void)fd, (void)arg, (void)len, (void)out;
	for (int i = 0; i < 1024; i++) {
		if (mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
			return err_set(err, -EINVAL, "no more");
	}
	return 0;
}

static int
answer_much(int fd, const void *arg, size_t len, struct confine_out *out,
    struct err *err)
{
	static const char zeroes[1 << 16];

	(void)fd, (void)arg, (void)len, (void)err;
	for (int i = 0; i < 1 << 14; i++)
		confine_put(out, zeroes, sizeof(zeroes));
	return 0;
}

static void
it_has_limits(void **state)
{
	(void)state;
	bounds_set_max(1 << 20);
	refused(spin, "0.1 s of CPU time; -x analysismax=2m");
	refused(eat, "no more");
	refused(answer_much, "");
	bounds_set_max(BOUNDS_MAX);
}

static void
a_signal_ends_it(void **state)
{
	volatile sig_atomic_t flag = 1;
	uint64_t began = now_ns();

	(void)state;
	bounds_watch(&flag);
	refused(spin, BOUNDS_STOPPED);
	bounds_watch(NULL);
	assert_true(now_ns() - began < 30000000000ULL);
}

/* ---- identity ------------------------------------------------------------ */

static void
status_has(const char *status, const char *line)
{
	if (strstr(status, line) == NULL)
		fail_msg("no '%s' in %s", line, status);
}

static void
it_is_nobody(void **state)
{
	struct confine_answer a;
	char path[64], status[4096] = "";
	struct err err = { 0 };
	FILE *f;

	(void)state;
	assert_int_equal(call(say, &a, &err), 0);
	confine_answer_fini(&a);
	if (child_pid() == 0)
		skip(); /* the kernel lists no children */
	snprintf(path, sizeof(path), "/proc/%d/status", (int)child_pid());
	f = fopen(path, "re");
	assert_non_null(f);
	status[fread(status, 1, sizeof(status) - 1, f)] = '\0';
	fclose(f);
	status_has(status, "CapEff:\t0000000000000000\n");
	status_has(status, "CapPrm:\t0000000000000000\n");
	status_has(status, "NoNewPrivs:\t1\n");
	status_has(status, "Seccomp:\t2\n");
	if (geteuid() == 0)
		status_has(status, "Uid:\t65534\t65534\t65534\t65534\n");
	confine_end();
	assert_int_equal(child_pid(), 0);
}

/* ---- modules ------------------------------------------------------------- */

/* The child reads the same data of a module as this process. */
static void
modules_are_as_read_here(void **state)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct elf_syms *es, *here;
	struct inproc_module *m;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(x86_init(&err), 0);
	assert_int_equal(
	    inproc_module_read(fd, "/proc/self/exe", &es, &m, &err), 0);
	here = elf_syms_open(fd, "/proc/self/exe", "", &err);
	assert_int_equal(elf_syms_count(es), elf_syms_count(here));
	for (size_t i = 0; i < elf_syms_count(es); i++) {
		const struct elf_sym *a = elf_syms_get(es, i);
		const struct elf_sym *b = elf_syms_get(here, i);

		assert_memory_equal(a, b, sizeof(*a));
		assert_string_equal(elf_sym_name(es, a), elf_sym_name(here, b));
	}
	inproc_module_close(m);
	elf_syms_rele(es);
	elf_syms_rele(here);
	close(fd);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_job_is_done),
		cmocka_unit_test(refusals_come_through),
		cmocka_unit_test(codes_of_the_child),
		cmocka_unit_test(it_does_not_leave_the_job),
		cmocka_unit_test(its_death_is_a_refusal),
		cmocka_unit_test(threads_share_it),
		cmocka_unit_test(an_idle_one_is_replaced),
		cmocka_unit_test(it_has_limits),
		cmocka_unit_test(a_signal_ends_it),
		cmocka_unit_test(it_is_nobody),
		cmocka_unit_test(modules_are_as_read_here),
	};
	int rc = cmocka_run_group_tests(tests, NULL, NULL);

	confine_end();
	return rc;
}
