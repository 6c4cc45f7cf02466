/* SPDX-License-Identifier: BSD-2-Clause */
/* D's equivalents of words that other tracers have: hints below errors. */
#ifndef LANG_HABITS_H
#define LANG_HABITS_H

#include <stddef.h>

/* The kinds of habits.def that have one hint for a word. */
enum habit_kind {
	HABIT_IS_VAR,
	HABIT_IS_FUNC,
	HABIT_IS_AGG,
	HABIT_IS_TYPE,
	HABIT_IS_PATH,
	HABIT_IS_INFIX,
	HABIT_IS_PROVIDER,
	HABIT_IS_MEMBER,
	HABIT_IS_COMMAND,
	HABIT_IS_OPTION,
	HABIT_IS_MACRO
};

/* For the ~ and =~ of other languages. */
#define HABIT_MATCHES                                                          \
	"strings are compared by == and <; strstr(s, t) != NULL says whether " \
	"s contains t"

/* The hint for the word, or NULL. */
const char *habit_hint(enum habit_kind kind, const char *word);

/*
 * The hint for a description by the text at its beginning, or NULL.  A word of
 * the table that ends in a dot stands for all that begin so.
 */
const char *habit_of_description(const char *text);

/*
 * word:F is provider::F and `end`, which begins with a colon; without one F is
 * the probe's name.
 */
struct habit_probe {
	const char *word, *provider, *end;
};
const struct habit_probe *habit_probe(const char *word);

/* bpftrace's word for its short one: kprobe for k; others are unchanged. */
const char *habit_long_word(const char *word);

/* The probe of another provider for an event of cpc, or NULL. */
const char *habit_event(const char *event);

/* The system call that a function of the C library makes, or NULL. */
const char *habit_call(const char *function);

#endif
