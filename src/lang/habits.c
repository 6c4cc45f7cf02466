/* SPDX-License-Identifier: BSD-2-Clause */
#include "lang/habits.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

const char *
habit_hint(enum habit_kind kind, const char *word)
{
	static const struct {
		enum habit_kind kind;
		const char *word, *hint;
	} rows[] = {
#define HABIT_VAR(word, hint) { HABIT_IS_VAR, #word, hint },
#define HABIT_FUNC(word, hint) { HABIT_IS_FUNC, #word, hint },
#define HABIT_TYPE(word, hint) { HABIT_IS_TYPE, #word, hint },
#define HABIT_AGG(word, hint) { HABIT_IS_AGG, #word, hint },
#define HABIT_PATH(word, hint) { HABIT_IS_PATH, #word, hint },
#define HABIT_INFIX(word, hint) { HABIT_IS_INFIX, #word, hint },
#define HABIT_PROVIDER(word, hint) { HABIT_IS_PROVIDER, #word, hint },
#define HABIT_MEMBER(word, hint) { HABIT_IS_MEMBER, #word, hint },
#define HABIT_COMMAND(word, hint) { HABIT_IS_COMMAND, #word, hint },
#define HABIT_OPTION(word, hint) { HABIT_IS_OPTION, #word, hint },
#define HABIT_MACRO(word, hint) { HABIT_IS_MACRO, #word, hint },
#include "lang/habits.def"
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].kind == kind && strcmp(rows[i].word, word) == 0)
			return rows[i].hint;
	}
	return NULL;
}

/* May the character be in a word of a description? */
static bool
is_of_word(char c)
{
	return isalnum((unsigned char)c) != 0 ||
	    (c != '\0' && strchr("_-.:", c) != NULL);
}

/*
 * Does the text begin with the word?  A dot at the word's end stands for
 * arguments, too: process("ls") begins with "process.".
 */
static bool
begins_with(const char *text, const char *word)
{
	size_t len = strlen(word);

	if (word[len - 1] == '.')
		return strncmp(text, word, len - 1) == 0 &&
		    (text[len - 1] == '.' || text[len - 1] == '(');
	return strncmp(text, word, len) == 0 && !is_of_word(text[len]);
}

const char *
habit_of_description(const char *text)
{
	static const struct {
		const char *word, *hint;
	} rows[] = {
#define HABIT_DESC(word, hint) { #word, hint },
#include "lang/habits.def"
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (begins_with(text, rows[i].word))
			return rows[i].hint;
	}
	return NULL;
}

const struct habit_probe *
habit_probe(const char *word)
{
	static const struct habit_probe rows[] = {
#define HABIT_PROBE(word, provider, end) { #word, #provider, end },
#include "lang/habits.def"
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(rows[i].word, word) == 0)
			return &rows[i];
	}
	return NULL;
}

/* A table's word, and what it stands for. */
struct habit_pair {
	const char *word, *meant;
};

static const char *
meant_by(const struct habit_pair *rows, size_t n, const char *word)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(rows[i].word, word) == 0)
			return rows[i].meant;
	}
	return NULL;
}

#define MEANT_BY(rows, word)                                                   \
	meant_by((rows), sizeof(rows) / sizeof((rows)[0]), (word))

const char *
habit_long_word(const char *word)
{
	static const struct habit_pair rows[] = {
#define HABIT_SHORT(word, meant) { #word, #meant },
#include "lang/habits.def"
	};
	const char *meant = MEANT_BY(rows, word);

	return meant != NULL ? meant : word;
}

const char *
habit_event(const char *event)
{
	static const struct habit_pair rows[] = {
#define HABIT_EVENT(event, probe) { #event, probe },
#include "lang/habits.def"
	};

	return MEANT_BY(rows, event);
}

const char *
habit_call(const char *function)
{
	static const struct habit_pair rows[] = {
#define HABIT_CALL(word, call) { #word, #call },
#include "lang/habits.def"
	};

	return MEANT_BY(rows, function);
}
