/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/kallsyms.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/lines.h"
#include "base/mem.h"
#include "base/str.h"

#define LIST "/proc/kallsyms"
#define KERNEL "vmlinux"

/*
 * Parse a hex number: strtoull() takes as long for it as the rest of a line
 * takes.
 */
static char *
parse_hex(char *s, uint64_t *v)
{
	for (*v = 0;; s++) {
		unsigned digit = (unsigned)*s - '0';

		if (digit > 9) {
			digit = (unsigned)*s - 'a';
			if (digit > 5)
				return s;
			digit += 10;
		}
		*v = *v << 4 | digit;
	}
}

/* "ffffffff81000000 T name\t[module]" */
static bool
parse_line(char *line, struct ksymbol *sym)
{
	char *p = parse_hex(line, &sym->addr), *module;

	if (p == line || p[0] != ' ' || p[1] == '\0' || p[2] != ' ')
		return false;
	sym->type = p[1];
	sym->name = p + 3;
	p = word_end(p + 3);
	module = *p != '\0' ? strchr(p, '[') : NULL;
	*p = '\0';
	sym->module = KERNEL;
	if (module != NULL) {
		sym->module = module + 1;
		module[strcspn(module, "]")] = '\0';
	}
	return true;
}

struct each {
	bool (*f)(const struct ksymbol *sym, void *arg);
	void *arg;
};

static bool
take_line(char *line, void *arg)
{
	const struct each *e = arg;
	struct ksymbol sym;

	return parse_line(line, &sym) && e->f(&sym, e->arg);
}

bool
kallsyms_each(bool (*f)(const struct ksymbol *sym, void *arg), void *arg)
{
	int fd = open(LIST, O_RDONLY | O_CLOEXEC);
	struct each e = { f, arg };
	bool is_read = fd >= 0 && lines_each(fd, take_line, &e);

	if (fd >= 0)
		close(fd);
	return is_read;
}

/* ---- the list in memory -------------------------------------------------- */

void
kallsyms_fini(struct kallsyms *k)
{
	strbuf_fini(&k->text);
}

/* A part of the list would pass for all of it: after an error there is none. */
static bool
read_list(struct kallsyms *k)
{
	const size_t portion = 1 << 20;
	int fd = open(LIST, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : 1;

	k->error = ENODATA; /* it is empty */
	while (n > 0) {
		n = read(fd, strbuf_room(&k->text, portion), portion);
		k->text.len += n > 0 ? (size_t)n : 0;
	}
	if (n < 0) {
		k->error = errno;
		k->text.len = 0;
	}
	if (fd >= 0)
		close(fd);
	return k->text.len > 0;
}

/* The name in the line that ends at `end`; NULL if the line is malformed. */
static const char *
name_of(const char *line, const char *end)
{
	const char *blank = memchr(line, ' ', (size_t)(end - line));

	return blank != NULL && end - blank > 3 ? blank + 3 : NULL;
}

static bool
is_name(const char *at, const char *end, const char *name, size_t len)
{
	return (size_t)(end - at) >= len && memcmp(at, name, len) == 0 &&
	    (at + len == end || at[len] == '\t' || at[len] == ' ');
}

/*
 * Pass each symbol of that name (NULL: every symbol) to the callback until it
 * returns true.  Few lines are parsed in full.
 */
static void
each_line(const struct kallsyms *k, const char *name,
    bool (*f)(const struct ksymbol *sym, void *arg), void *arg)
{
	const char *line = k->text.s, *all_end = line + k->text.len, *end;
	size_t len = name != NULL ? strlen(name) : 0;
	bool done = false;

	for (; line < all_end && !done; line = end + 1) {
		struct ksymbol sym;
		const char *at;
		char *copy;

		end = memchr(line, '\n', (size_t)(all_end - line));
		end = end != NULL ? end : all_end;
		at = name_of(line, end);
		if (at == NULL ||
		    (name != NULL && !is_name(at, end, name, len)))
			continue;
		copy = mem_strndup(line, (size_t)(end - line));
		done = parse_line(copy, &sym) && f(&sym, arg);
		free(copy);
	}
}

/* ---- one symbol ---------------------------------------------------------- */

struct kallsyms_search {
	const char *module;
	bool has_module, has_data, is_found;
	uint64_t addr;
	char type;
	char *in_module;
};

static bool
take_first(const struct ksymbol *sym, void *arg)
{
	struct kallsyms_search *s = arg;

	if (s->module != NULL && strcmp(s->module, sym->module) != 0)
		return false;
	s->is_found = true;
	s->addr = sym->addr;
	s->type = sym->type;
	s->in_module = mem_strdup(sym->module);
	return true;
}

/* Note what else is in the list, to say why the symbol was not found. */
static bool
look_around(const struct ksymbol *sym, void *arg)
{
	struct kallsyms_search *s = arg;

	s->has_data = s->has_data || strcmp(sym->name, KALLSYMS_DATA) == 0;
	s->has_module = s->has_module || s->module == NULL ||
	    strcmp(s->module, sym->module) == 0;
	return s->has_data && s->has_module;
}

static enum ksym_state
state_of(const struct kallsyms_search *s)
{
	if (s->is_found)
		return s->addr != 0 ? KSYM_FOUND : KSYM_HIDDEN;
	if (!s->has_module)
		return KSYM_NO_MODULE;
	return s->has_data ? KSYM_ABSENT : KSYM_NO_DATA;
}

enum ksym_state
kallsyms_find(struct kallsyms *k, const char *module, const char *name,
    uint64_t *addr, char *type, char **modulep)
{
	struct kallsyms_search s = { .module = module };
	enum ksym_state state;

	if (k->text.len == 0 && !read_list(k))
		return KSYM_UNREADABLE;
	each_line(k, name, take_first, &s);
	if (!s.is_found)
		each_line(k, NULL, look_around, &s);
	state = state_of(&s);
	if (state == KSYM_FOUND) {
		*addr = s.addr;
		*type = s.type;
		*modulep = s.in_module;
	} else {
		free(s.in_module);
	}
	return state;
}
