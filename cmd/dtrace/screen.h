/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DTRACE_SCREEN_H
#define DTRACE_SCREEN_H

/*
 * The terminal as a screen of its own (the alternate screen), by libncursesw.
 *
 * However dtrace ends, but by SIGKILL, the terminal is as it was before:
 * screen_close(), exit() and fatal signals restore it.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

enum screen_look {
	SCREEN_PLAIN,
	SCREEN_BOLD,
	SCREEN_REVERSE,
};

enum screen_key {
	SCREEN_NONE = 0, /* no key was pressed */
	/* up to 255: the character */
	SCREEN_UP = 256,
	SCREEN_DOWN,
	SCREEN_LEFT,
	SCREEN_RIGHT,
	SCREEN_PAGE_UP,
	SCREEN_PAGE_DOWN,
	SCREEN_HOME,
	SCREEN_END,
	SCREEN_BACK_TAB,
	SCREEN_OTHER,
};

/* Can libncursesw be loaded?  Returns 0, or -errno. */
CHECKED int screen_load(struct err *err);
/*
 * Take the terminal, whose descriptors stay the caller's.  Returns 0, or -errno
 * and the terminal is unchanged.
 */
CHECKED int screen_open(int in, int out, struct err *err);
void screen_close(void);

/* Readable when the terminal's size has changed. */
int screen_resize_fd(void);
/* Learn the terminal's size. */
void screen_resize(void);
int screen_lines(void);

void screen_erase(void);
/* Put text at a place; what exceeds the line is cut off. */
void screen_put(int line, int column, enum screen_look look, const char *text);
/* Put a line that has the look up to its end. */
void screen_put_line(int line, enum screen_look look, const char *text);
void screen_show(void);
enum screen_key screen_key(void);

/*
 * Text in the encoding of the locale: append those of the `len` bytes that can
 * be printed, and others as escapes.
 */
void screen_text(struct strbuf *sb, const char *s, size_t len);
/* The columns of a text that screen_text() has made. */
size_t screen_width(const char *s);
/* Append as much of the text as fits, and blanks up to `columns`. */
void screen_cell(struct strbuf *sb, const char *s, size_t columns);

#endif
