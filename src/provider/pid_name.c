/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of the pid provider: which probes a description selects. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "provider/pid_impl.h"
#include "provider/provider.h"
#include "provider/provider_impl.h"

bool
pid_field_is_pattern(const char *field)
{
	return dt_field_is_empty(field) || glob_is_pattern(field);
}

pid_t
pid_of(const char *prov)
{
	unsigned long n;
	char *end;

	if (prov == NULL || strncmp(prov, "pid", 3) != 0 ||
	    !isdigit((unsigned char)prov[3]))
		return 0;
	errno = 0;
	n = strtoul(prov + 3, &end, 10);
	return *end == '\0' && errno == 0 && n <= INT32_MAX ? (pid_t)n : 0;
}

pid_t
pid_of_pattern(const char *pattern)
{
	size_t n = strlen(pattern), end = n;
	char name[16];
	pid_t pid;

	if (pattern[0] != 'p' || !glob_is_pattern(pattern))
		return 0;
	while (n > 0 && isdigit((unsigned char)pattern[n - 1]))
		n--;
	if (n == end || end - n >= sizeof(name) - 3)
		return 0;
	snprintf(name, sizeof(name), "pid%s", pattern + n);
	pid = pid_of(name);
	return pid > 0 && glob_match(pattern, name) ? pid : 0;
}

static bool
is_all(const char *pattern)
{
	return pattern[0] == '\0' || strspn(pattern, "*") == strlen(pattern);
}

bool
pid_is_wide(const struct dif_pdesc *desc)
{
	const char *mod = desc->mod != NULL ? desc->mod : "";

	return desc->id == 0 && dt_field_is(desc->prov, "pid*") &&
	    !is_all(mod) && strcmp(mod, "a.out") != 0;
}

bool
pid_answers(const char *pattern)
{
	if (pattern != NULL && pid_of_pattern(pattern) != 0)
		return true;
	return pattern != NULL && strncmp(pattern, "pid", 3) == 0 &&
	    (isdigit((unsigned char)pattern[3]) || pattern[3] == '*' ||
		pattern[3] == '?' || pattern[3] == '[' || pattern[3] == '\0');
}

/* Is it the name of a library without its version: "libc" of "libc.so.6"? */
static bool
is_unversioned(const char *pattern, const char *name)
{
	size_t n = strlen(pattern);

	if (n == 0 || strncmp(pattern, name, n) != 0)
		return false;
	if (strncmp(name + n, ".so", 3) == 0)
		return true;
	if (name[n] == '-')
		return isdigit((unsigned char)name[n + 1]);
	return name[n] == '.' && strstr(pattern, ".so") != NULL;
}

/* "LM0`libc.so.6": the first link map is the only one with a number. */
static const char *
skip_link_map(const char *mod)
{
	return strncmp(mod, "LM0`", 4) == 0 ? mod + 4 : mod;
}

/*
 * If /lib is a link to usr/lib, the kernel says /usr/lib/... and programs
 * say /lib/... (ld.so(8), ldd(1)).
 */
static bool
selects_path(const char *pattern, const char *path)
{
	return glob_match(pattern, path) ||
	    (strncmp(path, "/usr/", 5) == 0 && glob_match(pattern, path + 4));
}

bool
pid_selects_module(
    const char *pattern, const struct proc_module *m, bool is_prog)
{
	pattern = skip_link_map(pattern);
	if (dt_field_is_empty(pattern) ||
	    (is_prog && glob_match(pattern, "a.out")))
		return true;
	if (strchr(pattern, '/') != NULL)
		return selects_path(pattern, m->path);
	return glob_match(pattern, m->name) || is_unversioned(pattern, m->name);
}

bool
pid_offset_parse(const char *name, uint64_t *off)
{
	char *end;

	if (!isxdigit((unsigned char)*name))
		return false;
	errno = 0;
	*off = strtoull(name, &end, 16);
	return *end == '\0' && errno == 0;
}

static bool
selects_name(const char *pattern, const char *name)
{
	uint64_t a, b;

	if (dt_field_match(pattern, name))
		return true;
	return pattern != NULL && pid_offset_parse(pattern, &a) &&
	    pid_offset_parse(name, &b) && a == b;
}

/* For the registry, about probes that exist already. */
static bool
is_special(const char *name)
{
	return strcmp(name, PID_EXIT) == 0 || strcmp(name, PID_PAUSE) == 0;
}

/* Does the pattern select the probe's file by one of its names? */
static bool
selects_file(const char *pattern, const struct dt_probe *p)
{
	struct proc_module m = { .name = p->mod };

	for (const struct dt_uname *n = p->up->sites.v[0].file->names;
	     n != NULL; n = n->next) {
		const char *slash = strrchr(n->path, '/');

		m.path = n->path;
		if (pid_selects_module(pattern, &m, p->up->is_program))
			return true;
		m.name = slash != NULL ? slash + 1 : n->path;
	}
	return pid_selects_module(pattern, &m, p->up->is_program);
}

bool
pid_selects(const struct dif_pdesc *desc, const struct dt_probe *p)
{
	/* where all processes are meant, the probes of one are not */
	if (pid_is_wide(desc) && (p->up->pid != 0 || p->up->family != 0))
		return false;
	return dt_field_match(desc->prov, p->prov) &&
	    dt_field_match(desc->func, p->func) &&
	    (!is_special(p->name) || dt_field_is(desc->name, p->name)) &&
	    selects_name(desc->name, p->name) &&
	    selects_file(desc->mod != NULL ? desc->mod : "", p);
}
