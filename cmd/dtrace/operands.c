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

void
split_command_note(
    struct split_command *sc, const char *command, char *const *rest)
{
	struct strbuf sb = { 0 };
	char *const *end = rest, *operand;

	if (sc->text != NULL || strpbrk(command, " \t") != NULL)
		return;
	while (*end != NULL && **end == '-')
		end++;
	operand = *end;
	if (operand == NULL)
		return;
	while (*end != NULL && **end != '-')
		end++;
	strbuf_adds(&sb, command);
	add_words(&sb, rest, end);
	sc->text = strbuf_steal(&sb);
	sc->operand = operand;
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
	fprintf(stderr,
	    "    hint: quote a command that has arguments: -c '%s'\n",
	    sc->text);
	return true;
}

void
split_command_fini(struct split_command *sc)
{
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
