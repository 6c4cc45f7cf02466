/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Anonymous tracing.
 *
 *	dtrace -A ...		program -> /var/lib/dtrace/anon.dof
 *	dtrace --anonymous	anon.dof -> tracing -> /run/dtrace/anon.out
 *	dtrace -a		anon.out -> output; ends the tracing
 *
 * Linux ends tracing with its process, so a process holds it, and locks its
 * output for as long as it lives.  The lock has the process's id, and
 * disappears even if the process is killed.
 *
 * For tests, the environment variable DTRACE_ANON_DIR is a directory for both
 * files.
 */
#include "dtrace/anon.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "libdtrace/dt.h"

#define POLL_NS 50000000

static const char *
dir_or(const char *usual)
{
	const char *dir = getenv("DTRACE_ANON_DIR");

	return dir != NULL && *dir != '\0' ? dir : usual;
}

char *
anon_program(void)
{
	return mem_printf("%s/anon.dof", dir_or("/var/lib/dtrace"));
}

static char *
output_path(void)
{
	return mem_printf("%s/anon.out", dir_or("/run/dtrace"));
}

static int
complain(const char *what, const char *path)
{
	fprintf(
	    stderr, "dtrace: cannot %s %s: %s\n", what, path, strerror(errno));
	return -1;
}

/*
 * root runs the programs, and they may contain secrets: no other user may write
 * or read them.
 */
static int
make_dir(const char *dir)
{
	return mkdir(dir, 0700) == 0 || errno == EEXIST ? 0 :
							  complain("make", dir);
}

/* ---- -A ------------------------------------------------------------------ */

/*
 * Replace atomically: a boot finds the old program or the new one, never half
 * of it.
 */
static int
replace(struct dt_hdl *h, const char *path)
{
	char *fresh = mem_printf("%s.new", path);
	mode_t mask = umask(0077);
	int rc = dt_save(h, fresh);

	umask(mask);
	if (rc != 0)
		fprintf(stderr, "dtrace: %s\n", dt_errmsg(h));
	else if (rename(fresh, path) != 0)
		rc = complain("write", path);
	else
		fprintf(stderr,
		    "dtrace: saved in %s; dtrace-anon.service "
		    "traces it from the next boot on, dtrace -a claims it\n",
		    path);
	if (rc != 0)
		unlink(fresh);
	free(fresh);
	return rc;
}

static int
forget(const char *path)
{
	if (unlink(path) != 0 && errno != ENOENT)
		return complain("remove", path);
	fprintf(stderr, "dtrace: no anonymous tracing from the next boot on\n");
	return 0;
}

int
anon_store(struct dt_hdl *h, bool has_programs)
{
	char *path = anon_program();
	int rc;

	if (!has_programs)
		rc = forget(path);
	else
		rc = make_dir(dir_or("/var/lib/dtrace")) == 0 ?
		    replace(h, path) :
		    -1;
	free(path);
	return rc;
}

/* ---- --anonymous --------------------------------------------------------- */

static FILE *
lock_output(int fd, const char *path)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	FILE *out;

	if (fcntl(fd, F_SETLK, &lock) != 0) {
		fprintf(stderr,
		    "dtrace: %s is in use: another anonymous "
		    "tracing runs\n",
		    path);
		return NULL;
	}
	if (ftruncate(fd, 0) != 0) {
		complain("empty", path);
		return NULL;
	}
	out = fdopen(fd, "a");
	if (out == NULL)
		complain("write", path);
	return out;
}

FILE *
anon_open_output(void)
{
	char *path = output_path(), *program = anon_program();
	FILE *out = NULL;
	int fd = -1;

	if (access(program, R_OK) != 0)
		complain("read", program);
	else if (make_dir(dir_or("/run/dtrace")) == 0) {
		fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
		if (fd < 0)
			complain("write", path);
		else
			out = lock_output(fd, path);
	}
	if (out == NULL && fd >= 0)
		close(fd);
	free(program);
	free(path);
	return out;
}

/* ---- -a ------------------------------------------------------------------ */

/* The tracing process, or 0. */
static pid_t
holder(int fd)
{
	struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET };

	if (fcntl(fd, F_GETLK, &lock) != 0 || lock.l_type == F_UNLCK)
		return 0;
	return lock.l_pid;
}

/* Copy the output written since the last call; the caller of anon_claim() sees
 * the errors of `out`. */
static int
copy(int fd, const char *path, FILE *out)
{
	char buf[16384];
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) > 0) {
		if (fwrite(buf, 1, (size_t)n, out) != (size_t)n)
			return -1;
	}
	if (n < 0)
		return complain("read", path);
	return fflush(out) != 0 ? -1 : 0;
}

/* Check for the holder before copying, so that its last output is copied. */
static int
follow(int fd, const char *path, FILE *out, anon_end_f *wants_end, void *arg)
{
	static const struct timespec pause = { .tv_nsec = POLL_NS };
	bool is_told = false;

	for (;;) {
		pid_t pid = holder(fd);

		if (copy(fd, path, out) != 0)
			return -1;
		if (pid == 0)
			return 0;
		if (!is_told && wants_end(arg)) {
			is_told = true;
			kill(pid, SIGINT);
		}
		nanosleep(&pause, NULL);
	}
}

int
anon_claim(FILE *out, anon_end_f *wants_end, void *arg)
{
	char *path = output_path();
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc = -1;

	if (fd < 0 && errno == ENOENT)
		fputs(
		    "dtrace: there is no anonymous tracing to claim: -A stores "
		    "a program, dtrace-anon.service traces it from boot on\n",
		    stderr);
	else if (fd < 0)
		complain("read", path);
	else
		rc = follow(fd, path, out, wants_end, arg);
	if (rc == 0 && unlink(path) != 0)
		rc = complain("remove", path);
	if (fd >= 0)
		close(fd);
	free(path);
	return rc;
}
