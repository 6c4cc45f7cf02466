/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_ERR_H
#define BASE_ERR_H

/*
 * Errors of the world: no memory, no permission, a damaged file, a refusal by
 * the kernel.  (A mistake in a script is a diagnostic: diag.h.  A mistake in a
 * probe's data is a fault.)
 *
 * The caller owns a `struct err`, which begins as zeroes, and clears it.  A
 * function that can fail takes a pointer to it.  It fails by returning a
 * negative code, NULL or false, and has then set both the code and the text.
 * A function that succeeds may leave a text behind only if its comment says so:
 * the text names the part of the work that was not done.
 *
 *	struct err err = { 0 };
 *
 *	if (dof_decode(img, len, &err, &d) != 0)
 *		printf("%s\n", err_text(&err));
 *	err_clear(&err);
 */
#include <stdbool.h>

struct err {
	int code;   /* 0: none; otherwise -errno */
	char *text; /* owned; NULL: what strerror() says of the code */
};

/* A function whose result must be looked at: only it says whether it failed. */
#define CHECKED __attribute__((warn_unused_result))

/*
 * Set the error, in place of an earlier one.  `code` is -errno.  Returns it:
 *	return err_set(err, -ENOENT, "%s has no section .debug_info", path);
 */
int err_set(struct err *err, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* err_set() with a malloced text, which the error owns from now on. */
int err_take(struct err *err, int code, char *text);
/*
 * Put "prefix: " in front of the text of an error that is set.  Returns the
 * code.
 */
int err_prefix(struct err *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Move an error, in place of an earlier one.  Returns its code. */
int err_move(struct err *to, struct err *from);
/* Set the code alone, unless an error is set.  Returns the code passed. */
int err_default(struct err *err, int code);

bool err_is_set(const struct err *err);
/* Never NULL; "" if none is set; valid until the error changes. */
const char *err_text(const struct err *err);
/* The text, malloced, never NULL.  The error is cleared. */
char *err_steal(struct err *err);
void err_clear(struct err *err);

/* For a CHECKED call that may fail: nothing here depends on it. */
static inline void
err_forget(int rc, struct err *err)
{
	(void)rc;
	err_clear(err);
}

/* For a CHECKED call of which only the error is wanted. */
static inline void
err_suffices(int rc)
{
	(void)rc;
}

#endif
