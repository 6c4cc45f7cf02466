/* SPDX-License-Identifier: BSD-2-Clause */
/* Hints for words that other tracers have, by habits.def. */
#include "codegen/cg_impl.h"

#include <string.h>

static const struct habit {
	const char *word;
	bool is_func;
	const char *hint;
} habits[] = {
#define HABIT_VAR(word, hint) { #word, false, hint },
#define HABIT_FUNC(word, hint) { #word, true, hint },
#include "lang/habits.def"
};

const char *
cg_habit(const char *word, bool is_func)
{
	for (size_t i = 0; i < sizeof(habits) / sizeof(habits[0]); i++) {
		if (habits[i].is_func == is_func &&
		    strcmp(habits[i].word, word) == 0)
			return habits[i].hint;
	}
	return NULL;
}
