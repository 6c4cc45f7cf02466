/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The C preprocessor (-C): the text is piped from a memory file through a
 * program, which is found in PATH (option cpppath).  Its messages go to the
 * standard error of dtrace.
 *
 * The text is its standard input, not the script's file, because the #! line
 * must be removed first; so a line mark gives the name of the text and the
 * folder for #include "file".
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "libdtrace/dt_impl.h"

extern char **environ;

struct cpp_args {
	VEC(char *) v;
};

static void
add_list(
    struct dt_hdl *h, struct cpp_args *args, const char *flag, enum dt_opt opt)
{
	VEC_FOREACH(&h->opts.vals[opt].strs, s)
		VEC_PUSH(&args->v, mem_printf("%s%s", flag, *s));
}

/* Add each word as an argument. */
static void
add_words(struct cpp_args *args, const char *s)
{
	while (*(s += strspn(s, " \t\n")) != '\0') {
		size_t len = strcspn(s, " \t\n");

		VEC_PUSH(&args->v, mem_strndup(s, len));
		s += len;
	}
}

/*
 * The program.  In a build (-h, -G) it may be the one that the build uses, with
 * arguments, as in CPP="gcc -E".
 */
static void
add_cpp(struct dt_hdl *h, struct cpp_args *args)
{
	const char *s = h->opts.vals[DT_OPT_LINKTYPE].is_set &&
		!h->opts.vals[DT_OPT_CPPPATH].is_set ?
	    getenv("CPP") :
	    NULL;

	if (s != NULL)
		add_words(args, s);
	if (args->v.n == 0)
		VEC_PUSH(&args->v,
		    mem_strdup(h->opts.vals[DT_OPT_CPPPATH].strs.v[0]));
}

/* -X: the choices of option stdc are "a|c|s|t". */
static const char *const stdc_args[] = { "-std=gnu99", "-std=gnu99",
	"-traditional-cpp", "-std=gnu99" };

static void
make_args(struct dt_hdl *h, const char *name, struct cpp_args *args)
{
	const char *slash = name != NULL ? strrchr(name, '/') : NULL;

	add_cpp(h, args);
	/*
	 * some compilers predefine them, but they are good names for probe
	 * fields
	 */
	VEC_PUSH(&args->v, mem_strdup("-Ulinux"));
	VEC_PUSH(&args->v, mem_strdup("-Uunix"));
	VEC_PUSH(&args->v, mem_strdup("-D__SUNW_D=1"));
	VEC_PUSH(&args->v,
	    mem_printf("-D__SUNW_D_VERSION=0x%08x",
		DT_VERSION_MAJOR << 24 | DT_VERSION_MINOR << 12));
	if (dt_opt_flag(h, DT_OPT_CPPHDRS))
		VEC_PUSH(&args->v, mem_strdup("-H"));
	if (h->opts.vals[DT_OPT_STDC].is_set)
		VEC_PUSH(
		    &args->v, mem_strdup(stdc_args[dt_opt(h, DT_OPT_STDC)]));
	add_list(h, args, "-D", DT_OPT_DEFINE);
	add_list(h, args, "-U", DT_OPT_UNDEF);
	add_list(h, args, "-I", DT_OPT_INCDIR);
	VEC_FOREACH(&h->opts.vals[DT_OPT_CPPARGS].strs, s)
		add_words(args, *s);
	if (slash != NULL) {
		VEC_PUSH(&args->v, mem_strdup("-iquote"));
		VEC_PUSH(&args->v,
		    mem_strndup(
			name, (size_t)(slash - name) + (slash == name)));
	}
	VEC_PUSH(&args->v, mem_strdup("-"));
	VEC_PUSH(&args->v, NULL);
}

static bool
write_all(int fd, const char *data, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, data, len);

		if (n < 0)
			return false;
		data += n;
		len -= (size_t)n;
	}
	return true;
}

/*
 * The value of __STDC__ under -X: the choices of option stdc are "a|c|s|t".
 * The "3" marks these lines as a system header: there, redefining it causes no
 * warning.
 */
static const char *const stdc_lines[] = {
	"# 1 \"<stdc>\" 3\n#undef __STDC__\n#define __STDC__ 0\n",
	"",
	"# 1 \"<stdc>\" 3\n#undef __STDC__\n",
	"# 1 \"<stdc>\" 3\n#undef __STDC__\n#define __STDC__ 0\n",
};

/*
 * Extensions of C that headers use.  None of them affects a type's layout in a
 * way that D could use, and D's grammar does not have them.
 */
static const char header_lines[] = "# 1 \"<headers>\" 3\n"
				   "#define __attribute__(x)\n"
				   "#define __asm__(x)\n"
				   "#define __extension__\n"
				   "#define __inline\n"
				   "#define __inline__\n"
				   "#define __restrict\n"
				   "#define __restrict__\n"
				   "#define __const const\n"
				   "#define __signed__ signed\n"
				   "#define __volatile__ volatile\n"
				   "#define __builtin_va_list void *\n"
				   "#define _Noreturn\n"
				   "#undef __SIZEOF_INT128__\n";

/* The text for cpp, in a memory file.  Returns -1 on failure. */
static int
make_input(struct dt_hdl *h, const char *name, const char *text, size_t len)
{
	int fd = memfd_create("dtrace-cpp", MFD_CLOEXEC);
	struct strbuf sb = { 0 };
	size_t skip = 0;

	if (h->opts.vals[DT_OPT_STDC].is_set)
		strbuf_adds(&sb, stdc_lines[dt_opt(h, DT_OPT_STDC)]);
	strbuf_adds(&sb, header_lines);
	strbuf_printf(
	    &sb, "# 1 \"%s\"\n", name != NULL ? name : "<command line>");
	if (len >= 2 && text[0] == '#' && text[1] == '!') {
		while (skip < len && text[skip] != '\n')
			skip++;
	}
	strbuf_add(&sb, text + skip, len - skip);
	strbuf_addc(&sb, '\n');
	if (fd >= 0 &&
	    (!write_all(fd, sb.s, sb.len) || lseek(fd, 0, SEEK_SET) != 0)) {
		close(fd);
		fd = -1;
	}
	strbuf_fini(&sb);
	return fd;
}

/* Start it. Returns 0 with the pid, or an errno. */
static int
start_cpp(char **argv, int in, int out, pid_t *pid)
{
	posix_spawn_file_actions_t fa;
	int err = posix_spawn_file_actions_init(&fa);

	if (err != 0)
		return err;
	err = posix_spawn_file_actions_adddup2(&fa, in, STDIN_FILENO);
	if (err == 0)
		err = posix_spawn_file_actions_adddup2(&fa, out, STDOUT_FILENO);
	if (err == 0)
		err = posix_spawnp(pid, argv[0], &fa, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&fa);
	return err;
}

/* Returns 0 or an errno. */
static int
read_all(int fd, struct strbuf *out)
{
	char buf[16384];
	ssize_t n;

	for (;;) {
		n = read(fd, buf, sizeof(buf));
		if (n > 0)
			strbuf_add(out, buf, (size_t)n);
		else if (n == 0)
			return 0;
		else if (errno != EINTR)
			return errno;
	}
}

static int
finish_cpp(struct dt_hdl *h, const char *cpp, pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return dt_fail(
			    h, "cannot wait for %s: %s", cpp, strerror(errno));
	}
	if (WIFSIGNALED(status))
		return dt_fail(h,
		    "the preprocessor %s was killed by signal "
		    "%d",
		    cpp, WTERMSIG(status));
	if (WEXITSTATUS(status) != 0)
		return dt_fail(
		    h, "the preprocessor %s refused the program", cpp);
	return 0;
}

static int
run_cpp(struct dt_hdl *h, char **argv, int in, struct strbuf *out)
{
	int fds[2], err, read_err = 0, rc;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) != 0)
		return dt_fail(h, "cannot make a pipe: %s", strerror(errno));
	err = start_cpp(argv, in, fds[1], &pid);
	close(fds[1]);
	if (err == 0)
		read_err = read_all(fds[0], out);
	close(fds[0]);
	if (err == ENOENT)
		return dt_fail(h,
		    "there is no preprocessor %s: install the "
		    "package cpp, or set option cpppath",
		    argv[0]);
	if (err != 0)
		return dt_fail(h, "cannot run the preprocessor %s: %s", argv[0],
		    strerror(err));
	rc = finish_cpp(h, argv[0], pid);
	return read_err == 0 ?
	    rc :
	    dt_fail(h, "cannot read what the preprocessor %s writes: %s",
		argv[0], strerror(read_err));
}

int
dt_cpp(struct dt_hdl *h, const char *name, const char *text, size_t len,
    struct strbuf *out)
{
	struct cpp_args args = { 0 };
	int in = make_input(h, name, text, len), rc;

	if (in < 0)
		return dt_fail(h,
		    "cannot hand the program to the "
		    "preprocessor: %s",
		    strerror(errno));
	make_args(h, name, &args);
	rc = run_cpp(h, args.v.v, in, out);
	close(in);
	VEC_FOREACH(&args.v, s)
		free(*s);
	VEC_FREE(&args.v);
	return rc;
}
