/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The screen.
 *
 * There is one terminal, and signal handlers restore it: so its state is this
 * file's.  What a handler needs is computed when the screen is opened: the
 * text that leaves the alternate screen, and the modes of the terminal.  A
 * handler only writes the one and sets the others, which both may be called in
 * signal handlers.
 *
 * libncursesw installs handlers for signals that have none.  Signals that end
 * tracing have handlers before that (signals.c), and so has SIGWINCH (here):
 * of ncurses' own, that for SIGTSTP (Control-Z) remains.
 */
#include "dtrace/screen.h"

#define NCURSES_NOMACROS
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

#include "base/dynlib.h"
#include "base/mem.h"
#include "dtrace/signals.h"
#include "sonames.h"

#define ESCAPE_DELAY_MS 50 /* within which a key's bytes follow an escape */

static struct {
#define CURSES_FN(name) __typeof__(name) *name;
#include "dtrace/curses_fns.def"
#undef CURSES_FN
} lib;

static const struct dynlib_fn functions[] = {
#define CURSES_FN(name) { #name, offsetof(__typeof__(lib), name) },
#include "dtrace/curses_fns.def"
#undef CURSES_FN
};

static const int fatal_signals[] = { SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGQUIT,
	SIGSEGV };
#define NFATAL (sizeof(fatal_signals) / sizeof(fatal_signals[0]))

static struct {
	SCREEN *term;
	WINDOW *window;
	FILE *in, *out;
	int resize_fd;
	struct sigaction old_winch, old_fatal[NFATAL];
	bool is_exit_watched;

	/* read by signal handlers, and constant while is_open */
	volatile sig_atomic_t is_open;
	int fd;
	struct termios modes;
	char leave[256]; /* what the terminal is told at the end */
	size_t leave_len;
} screen = { .resize_fd = -1 };

int
screen_load(struct err *err)
{
	char *why;

	if (lib.newterm != NULL)
		return 0;
	why = dynlib_load(SONAME_NCURSESW, PACKAGE_NCURSESW, functions,
	    sizeof(functions) / sizeof(functions[0]), &lib);
	if (why == NULL)
		return 0;
	lib.newterm = NULL;
	return err_take(err, -ENOENT, why);
}

/* ---- restoring ---------------------------------------------------------- */

/* From a signal handler: restore the terminal, before dtrace dies. */
static void
rescue(void)
{
	if (!screen.is_open)
		return;
	screen.is_open = 0;
	if (write(screen.fd, screen.leave, screen.leave_len) < 0)
		screen.leave_len = 0; /* the terminal is gone */
	tcsetattr(screen.fd, TCSANOW, &screen.modes);
}

/* The action is the default one again: SA_RESETHAND. */
static void
on_fatal(int signo)
{
	rescue();
	raise(signo);
}

static void
on_exit_rescue(void)
{
	rescue();
}

static void
on_winch(int signo)
{
	int saved = errno;
	uint64_t one = 1;

	(void)signo;
	/* it fails only if the descriptor is already readable */
	if (write(screen.resize_fd, &one, sizeof(one)) < 0)
		errno = saved;
	errno = saved;
}

static void
catch_signals(void)
{
	struct sigaction fatal = { .sa_handler = on_fatal,
		.sa_flags = (int)SA_RESETHAND };
	struct sigaction winch = { .sa_handler = on_winch,
		.sa_flags = SA_RESTART };

	sigemptyset(&fatal.sa_mask);
	sigemptyset(&winch.sa_mask);
	sigaction(SIGWINCH, &winch, &screen.old_winch);
	for (size_t i = 0; i < NFATAL; i++)
		sigaction(fatal_signals[i], &fatal, &screen.old_fatal[i]);
	signals_before_death(rescue);
	if (!screen.is_exit_watched)
		screen.is_exit_watched = atexit(on_exit_rescue) == 0;
}

static void
release_signals(void)
{
	sigaction(SIGWINCH, &screen.old_winch, NULL);
	for (size_t i = 0; i < NFATAL; i++)
		sigaction(fatal_signals[i], &screen.old_fatal[i], NULL);
	signals_before_death(NULL);
}

/* The texts that undo what ncurses does to the terminal. */
static void
note_leave(void)
{
	static const char *const names[] = { "sgr0", "cnorm", "rmkx", "rmcup" };

	screen.leave_len = 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *text = lib.tigetstr(names[i]);
		size_t len;

		if (text == NULL || text == (char *)-1)
			continue;
		len = strlen(text);
		if (screen.leave_len + len > sizeof(screen.leave))
			continue;
		memcpy(screen.leave + screen.leave_len, text, len);
		screen.leave_len += len;
	}
}

/* ---- opening and closing ------------------------------------------------ */

static void
close_files(void)
{
	if (screen.in != NULL)
		fclose(screen.in);
	if (screen.out != NULL)
		fclose(screen.out);
	screen.in = screen.out = NULL;
	if (screen.resize_fd >= 0)
		close(screen.resize_fd);
	screen.resize_fd = -1;
}

static FILE *
open_copy(int fd, const char *mode)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	FILE *f = copy >= 0 ? fdopen(copy, mode) : NULL;

	if (f == NULL && copy >= 0)
		close(copy);
	return f;
}

CHECKED static int
open_files(int in, int out, struct err *err)
{
	screen.in = open_copy(in, "r");
	screen.out = open_copy(out, "w");
	screen.resize_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (screen.in != NULL && screen.out != NULL && screen.resize_fd >= 0 &&
	    tcgetattr(fileno(screen.out), &screen.modes) == 0)
		return 0;
	err_set(err, -errno, "cannot use the terminal: %s", strerror(errno));
	close_files();
	return err->code;
}

static void
set_modes(void)
{
	lib.cbreak();
	lib.noecho();
	lib.set_escdelay(ESCAPE_DELAY_MS);
	lib.curs_set(0);
	screen.window = lib.newwin(0, 0, 0, 0);
	if (screen.window == NULL)
		return;
	lib.keypad(screen.window, TRUE);
	lib.nodelay(screen.window, TRUE);
}

static const char *
terminal_name(void)
{
	const char *name = getenv("TERM");

	return name != NULL && *name != '\0' ? name : "unknown";
}

int
screen_open(int in, int out, struct err *err)
{
	if (screen_load(err) != 0 || open_files(in, out, err) != 0)
		return err->code;
	setlocale(LC_CTYPE, "");
	catch_signals();
	screen.term = lib.newterm(NULL, screen.out, screen.in);
	if (screen.term == NULL) {
		release_signals();
		close_files();
		return err_set(err, -ENOTTY,
		    "a terminal of the kind '%s' (TERM) has no screen that "
		    "can be used",
		    terminal_name());
	}
	screen.fd = fileno(screen.out);
	note_leave();
	screen.is_open = 1;
	set_modes();
	if (screen.window != NULL)
		return 0;
	screen_close();
	return err_set(err, -ENOMEM, "the terminal has no room for a window");
}

void
screen_close(void)
{
	if (screen.term == NULL)
		return;
	/* the text that leaves the screen must not be written twice */
	screen.is_open = 0;
	lib.endwin();
	tcsetattr(screen.fd, TCSADRAIN, &screen.modes);
	release_signals();
	lib.delscreen(screen.term);
	screen.term = NULL;
	screen.window = NULL;
	close_files();
}

/* ---- size --------------------------------------------------------------- */

int
screen_resize_fd(void)
{
	return screen.resize_fd;
}

void
screen_resize(void)
{
	struct winsize ws;
	uint64_t n;

	while (read(screen.resize_fd, &n, sizeof(n)) > 0)
		continue;
	if (ioctl(screen.fd, TIOCGWINSZ, &ws) != 0 || ws.ws_row == 0 ||
	    ws.ws_col == 0)
		return;
	lib.resizeterm(ws.ws_row, ws.ws_col);
	lib.wresize(screen.window, ws.ws_row, ws.ws_col);
	lib.clearok(screen.window, TRUE);
}

int
screen_lines(void)
{
	return lib.getmaxy(screen.window);
}

static int
columns_of_screen(void)
{
	return lib.getmaxx(screen.window);
}

/* ---- drawing ------------------------------------------------------------ */

/* The bytes of the character at s, and its columns; 0: it cannot be shown. */
static size_t
next_char(const char *s, size_t len, size_t *columns)
{
	mbstate_t state = { 0 };
	wchar_t wc;
	size_t n = mbrtowc(&wc, s, len, &state);
	int width;

	if (n == 0 || n > len || !iswprint((wint_t)wc))
		return 0;
	width = wcwidth(wc);
	*columns = width > 0 ? (size_t)width : 0;
	return width >= 0 ? n : 0;
}

void
screen_text(struct strbuf *sb, const char *s, size_t len)
{
	for (size_t n, columns; len > 0; s += n, len -= n) {
		n = next_char(s, len, &columns);
		if (n != 0) {
			strbuf_add(sb, s, n);
			continue;
		}
		n = 1;
		strbuf_printf(sb, "\\%03o", (unsigned char)*s);
	}
}

/* The bytes that fit in `columns`, and how many they take. */
static size_t
fit(const char *s, size_t columns, size_t *used)
{
	size_t len = strlen(s), at = 0, width = 0;

	*used = 0;
	while (at < len) {
		size_t n = next_char(s + at, len - at, &width);

		if (n == 0 || *used + width > columns)
			break;
		at += n;
		*used += width;
	}
	return at;
}

size_t
screen_width(const char *s)
{
	size_t used;

	fit(s, SIZE_MAX / 2, &used);
	return used;
}

void
screen_cell(struct strbuf *sb, const char *s, size_t columns)
{
	size_t used, n = fit(s, columns, &used);

	strbuf_add(sb, s, n);
	for (; used < columns; used++)
		strbuf_addc(sb, ' ');
}

static void
set_look(enum screen_look look)
{
	static const attr_t looks[] = { [SCREEN_PLAIN] = A_NORMAL,
		[SCREEN_BOLD] = A_BOLD,
		[SCREEN_REVERSE] = A_REVERSE };

	lib.wattrset(screen.window, (int)looks[look]);
}

void
screen_erase(void)
{
	lib.werase(screen.window);
}

void
screen_put(int line, int column, enum screen_look look, const char *text)
{
	int columns = columns_of_screen() - column;
	size_t used, n;

	if (line < 0 || line >= screen_lines() || columns <= 0)
		return;
	n = fit(text, (size_t)columns, &used);
	set_look(look);
	lib.wmove(screen.window, line, column);
	lib.waddnstr(screen.window, text, (int)n);
	set_look(SCREEN_PLAIN);
}

void
screen_put_line(int line, enum screen_look look, const char *text)
{
	struct strbuf sb = { 0 };

	screen_cell(&sb, text, (size_t)columns_of_screen());
	screen_put(line, 0, look, sb.s);
	strbuf_fini(&sb);
}

void
screen_show(void)
{
	lib.wrefresh(screen.window);
}

/* ---- keys --------------------------------------------------------------- */

enum screen_key
screen_key(void)
{
	static const struct {
		int code;
		enum screen_key key;
	} map[] = { { KEY_UP, SCREEN_UP }, { KEY_DOWN, SCREEN_DOWN },
		{ KEY_LEFT, SCREEN_LEFT }, { KEY_RIGHT, SCREEN_RIGHT },
		{ KEY_PPAGE, SCREEN_PAGE_UP }, { KEY_NPAGE, SCREEN_PAGE_DOWN },
		{ KEY_HOME, SCREEN_HOME }, { KEY_END, SCREEN_END },
		{ KEY_BTAB, SCREEN_BACK_TAB } };
	int code = lib.wgetch(screen.window);

	if (code == ERR)
		return SCREEN_NONE;
	for (size_t i = 0; i < sizeof(map) / sizeof(map[0]); i++) {
		if (map[i].code == code)
			return map[i].key;
	}
	return code > 0 && code < SCREEN_UP ? (enum screen_key)code :
					      SCREEN_OTHER;
}
