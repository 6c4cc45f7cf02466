/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/kallsyms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define KERNEL "vmlinux"
/* Every kernel has it; listed only with CONFIG_KALLSYMS_ALL. */
#define SOME_DATA "init_task"

/* "ffffffff81000000 T name\t[module]\n" */
static bool
parse_line(char *line, struct ksymbol *sym)
{
	char *p, *module;

	sym->addr = strtoull(line, &p, 16);
	if (p == line || p[0] != ' ' || p[1] == '\0' || p[2] != ' ')
		return false;
	sym->type = p[1];
	sym->name = p + 3;
	module = strchr(p + 3, '[');
	p[3 + strcspn(p + 3, " \t\n")] = '\0';
	if (module != NULL) {
		module++;
		module[strcspn(module, "]\n")] = '\0';
	}
	sym->module = module != NULL ? module : KERNEL;
	return true;
}

bool
kallsyms_each(bool (*f)(const struct ksymbol *sym, void *arg), void *arg)
{
	FILE *list = fopen("/proc/kallsyms", "re");
	struct ksymbol sym;
	char *line = NULL;
	bool done = false;
	size_t cap = 0;

	if (list == NULL)
		return false;
	while (!done && getline(&line, &cap, list) > 0)
		done = parse_line(line, &sym) && f(&sym, arg);
	free(line);
	fclose(list);
	return true;
}

/* ---- one symbol ---------------------------------------------------------- */

struct search {
	const char *module, *name;
	bool has_module, has_data, is_found;
	struct ksymbol sym;
	char *in_module;
};

static bool
look_at(const struct ksymbol *sym, void *arg)
{
	struct search *s = arg;

	s->has_data = s->has_data || strcmp(sym->name, SOME_DATA) == 0;
	if (s->module != NULL && strcmp(s->module, sym->module) != 0)
		return false;
	s->has_module = true;
	if (strcmp(s->name, sym->name) != 0)
		return false;
	s->is_found = true;
	s->sym = *sym;
	s->in_module = mem_strdup(sym->module);
	return true;
}

static enum ksym_state
state_of(const struct search *s)
{
	if (s->is_found)
		return s->sym.addr != 0 ? KSYM_FOUND : KSYM_HIDDEN;
	if (!s->has_module)
		return KSYM_NO_MODULE;
	return s->has_data ? KSYM_ABSENT : KSYM_NO_DATA;
}

enum ksym_state
kallsyms_find(const char *module, const char *name, uint64_t *addr, char *type,
    char **modulep)
{
	struct search s = { .module = module, .name = name };
	enum ksym_state state;

	if (!kallsyms_each(look_at, &s))
		return KSYM_UNREADABLE;
	state = state_of(&s);
	if (state == KSYM_FOUND) {
		*addr = s.sym.addr;
		*type = s.sym.type;
		*modulep = s.in_module;
	} else {
		free(s.in_module);
	}
	return state;
}
