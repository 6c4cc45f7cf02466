/* SPDX-License-Identifier: BSD-2-Clause */
#include "dtrace/operands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "lang/habits.h"

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

/* A program of ELF, or a script whose first line names another interpreter. */
static bool
is_program(const char *path)
{
	static const char elf[] = { 0x7f, 'E', 'L', 'F' };
	char line[256] = { 0 };
	FILE *f = fopen(path, "re");
	size_t n = f != NULL ? fread(line, 1, sizeof(line) - 1, f) : 0;

	if (f != NULL)
		fclose(f);
	if (n >= sizeof(elf) && memcmp(line, elf, sizeof(elf)) == 0)
		return true;
	line[strcspn(line, "\n")] = '\0';
	return strncmp(line, "#!", 2) == 0 && strstr(line, "dtrace") == NULL;
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
	return is_file(operand) && !is_program(operand) &&
	    (sc->operand != operand || is_named_script(operand));
}

/* Would the shell run the word? */
static bool
is_command(const char *word)
{
	const char *path = getenv("PATH");
	char *copy = mem_strdup(path != NULL ? path : ""), *rest = copy, *dir;
	bool is_it = false;

	if (strchr(word, '/') != NULL)
		rest = NULL;
	while (!is_it && (dir = strsep(&rest, ":")) != NULL) {
		char *file = mem_printf("%s/%s", dir, word);

		is_it = is_file(file) && access(file, X_OK) == 0;
		free(file);
	}
	free(copy);
	return is_it;
}

/* dtrace ls -l /tmp: -l is an option of dtrace's, and not among the words. */
static void
hint_at_command(char *const *operands)
{
	struct strbuf sb = { 0 };

	for (; *operands != NULL; operands++)
		strbuf_printf(&sb, "%s%s", sb.len == 0 ? "" : " ", *operands);
	fprintf(stderr,
	    "    hint: -c '%s' runs a command to trace; -n 'TEXT' or -s FILE "
	    "says what to trace in it\n",
	    sb.s);
	strbuf_fini(&sb);
}

/* strace's -e trace=open,read */
static bool
hint_at_calls(const char *operand)
{
	static const char trace[] = "trace=";
	const char *call = operand + sizeof(trace) - 1;

	if (strncmp(operand, trace, sizeof(trace) - 1) != 0)
		return false;
	fprintf(stderr,
	    "    hint: strace's trace=%s is -n 'syscall::%.*s:entry /pid == "
	    "$target/', with -c 'COMMAND' or -p PID\n",
	    call, (int)strcspn(call, ","), call);
	return true;
}

void
operand_hint(char *const *operands)
{
	const char *operand = operands[0];
	const char *habit = habit_hint(HABIT_IS_COMMAND, operand);

	if (is_file(operand))
		hint_at_command(operands);
	else if (habit != NULL)
		fprintf(stderr, "    hint: %s\n", habit);
	else if (strpbrk(operand, ":{") != NULL ||
	    strcmp(operand, "BEGIN") == 0)
		fprintf(stderr, "    hint: did you mean -n '%s'?\n", operand);
	else if (is_named_script(operand))
		fprintf(stderr, "    hint: there is no file '%s'\n", operand);
	else if (is_command(operand))
		hint_at_command(operands);
	else if (!hint_at_calls(operand))
		fprintf(stderr,
		    "    hint: give a program with -s FILE or -n 'TEXT', a "
		    "description with -n; '%s' is an argument of a program\n",
		    operand);
}
