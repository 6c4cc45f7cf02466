/* SPDX-License-Identifier: BSD-2-Clause */
#include "dtrace/operands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/str.h"

/* ---- -c ls -l /tmp ------------------------------------------------------ */

static void
add_words(struct strbuf *sb, char *const *from, char *const *end)
{
	for (; from < end; from++)
		strbuf_printf(sb, " %s", *from);
}

/* The words are noted now, since getopt() moves them in its array. */
void
split_command_note(
    struct split_command *sc, const char *command, char *const *rest)
{
	struct strbuf sb = { 0 };
	char *const *end = rest, *operand;

	if (sc->command != NULL || strpbrk(command, " \t") != NULL)
		return;
	for (; *end != NULL && **end == '-'; end++)
		VEC_PUSH(&sc->options, *end);
	operand = *end;
	if (sc->options.n > 0 || operand != NULL)
		sc->command = command;
	sc->is_last = sc->options.n > 0 && operand == NULL;
	if (operand == NULL)
		return;
	while (*end != NULL && **end != '-')
		end++;
	strbuf_adds(&sb, command);
	add_words(&sb, rest, end);
	sc->text = strbuf_steal(&sb);
	sc->operand = operand;
}

static void
print_quoted(const char *text)
{
	fprintf(stderr,
	    "    hint: quote a command that has arguments: -c '%s'\n", text);
}

/* The command with the first n of the options that follow it. */
static void
hint_with_options(const struct split_command *sc, size_t n)
{
	struct strbuf sb = { 0 };

	strbuf_adds(&sb, sc->command);
	for (size_t i = 0; i < n; i++)
		strbuf_printf(&sb, " %s", sc->options.v[i]);
	print_quoted(sb.s);
	strbuf_fini(&sb);
}

bool
split_command_hint(const struct split_command *sc, char *const *operands)
{
	if (sc->text == NULL)
		return false;
	while (*operands != NULL && *operands != sc->operand)
		operands++;
	if (*operands == NULL)
		return false;
	print_quoted(sc->text);
	return true;
}

bool
split_command_hint_alone(const struct split_command *sc)
{
	if (sc->is_last)
		hint_with_options(sc, sc->options.n);
	return sc->is_last;
}

bool
split_command_refused(
    const struct split_command *sc, int letter, const char *word)
{
	for (size_t i = 0; i < sc->options.n; i++) {
		const char *option = sc->options.v[i];
		bool is_long = option[1] == '-';

		if (option == word ||
		    (!is_long && letter != 0 &&
			strchr(option, letter) != NULL)) {
			hint_with_options(sc, i + 1);
			return true;
		}
	}
	return false;
}

void
split_command_note_list(const struct split_command *sc)
{
	static const char with_arguments[] = "bcDfiILmnopPstTUxXr";

	for (size_t i = 0; i < sc->options.n; i++) {
		const char *option = sc->options.v[i];

		if (option[1] == '-' || strchr(option, 'l') == NULL ||
		    strpbrk(option, with_arguments) != NULL)
			continue;
		fprintf(stderr,
		    "dtrace: -l is dtrace's own, and lists probes; %s does "
		    "not get it\n",
		    sc->command);
		hint_with_options(sc, i + 1);
		return;
	}
}

void
split_command_fini(struct split_command *sc)
{
	VEC_FREE(&sc->options);
	free(sc->text);
}

/* ---- operands without a program ----------------------------------------- */

static bool
is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static bool
is_elf(const char *path)
{
	static const char magic[] = { 0x7f, 'E', 'L', 'F' };
	char start[sizeof(magic)] = { 0 };
	FILE *f = fopen(path, "re");
	size_t n = f != NULL ? fread(start, 1, sizeof(start), f) : 0;

	if (f != NULL)
		fclose(f);
	return n == sizeof(start) && memcmp(start, magic, sizeof(magic)) == 0;
}

static bool
is_named_script(const char *operand)
{
	size_t len = strlen(operand);

	return len > 2 && strcmp(operand + len - 2, ".d") == 0;
}

bool
operand_is_script(const struct split_command *sc, const char *operand)
{
	return is_file(operand) && !is_elf(operand) &&
	    (sc->operand != operand || is_named_script(operand));
}

void
operand_hint(const char *operand)
{
	if (is_file(operand))
		fprintf(stderr,
		    "    hint: -c '%s' runs a command to trace; -n 'TEXT' or "
		    "-s FILE says what to trace in it\n",
		    operand);
	else if (strpbrk(operand, ":{") != NULL ||
	    strcmp(operand, "BEGIN") == 0)
		fprintf(stderr, "    hint: did you mean -n '%s'?\n", operand);
	else if (is_named_script(operand))
		fprintf(stderr, "    hint: there is no file '%s'\n", operand);
	else
		fprintf(stderr,
		    "    hint: give a program with -s FILE or -n 'TEXT', a "
		    "description with -n; '%s' is an argument of a program\n",
		    operand);
}
