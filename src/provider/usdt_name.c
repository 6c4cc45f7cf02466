/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of USDT probes, and which of them a description selects.
 */
#include "provider/usdt_impl.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/mem.h"
#include "base/str.h"

pid_t
usdt_pid_at_end(const char *prov, size_t *base_len)
{
	size_t n = strlen(prov);
	unsigned long pid;

	while (n > 0 && isdigit((unsigned char)prov[n - 1]))
		n--;
	errno = 0;
	pid = strtoul(prov + n, NULL, 10);
	*base_len = n;
	return n > 0 && errno == 0 && pid <= INT32_MAX ? (pid_t)pid : 0;
}

pid_t
dt_pid_named(const struct dif_pdesc *desc)
{
	size_t len;

	if (desc->id != 0 || dt_field_is_empty(desc->prov) ||
	    glob_is_pattern(desc->prov))
		return 0;
	return usdt_pid_at_end(desc->prov, &len);
}

/* Is it the pid provider's: pid123, or all processes' pid*? */
static bool
is_pid_provider(const char *prov)
{
	return strncmp(prov, "pid", 3) == 0 &&
	    (isdigit((unsigned char)prov[3]) || strcmp(prov + 3, "*") == 0);
}

bool
usdt_answers(const char *pattern)
{
	size_t len;

	if (dt_field_is_empty(pattern) || is_pid_provider(pattern))
		return false;
	return glob_is_pattern(pattern) || usdt_pid_at_end(pattern, &len) != 0;
}

bool
usdt_follows(const struct dif_pdesc *desc)
{
	return usdt_answers(desc->prov);
}

/* Does the pattern take the name with every number behind it? */
static bool
takes_all(const char *pattern, const char *base)
{
	size_t n = strlen(pattern);

	return n > 0 && pattern[n - 1] == '*' &&
	    (n < 2 || pattern[n - 2] != '\\') && glob_match(pattern, base);
}

bool
usdt_is_wide(const struct usdt_match *um, const char *base)
{
	return (um->is_path || !dt_usdt_is_listing(um->usdt)) &&
	    takes_all(um->desc->prov, base);
}

bool
usdt_selects_provider(const struct usdt_match *um, const char *base)
{
	pid_t pid = um->root != 0 ? um->root : um->pid;
	char *name = mem_printf("%s%d", base, (int)pid);
	bool is_selected = !um->is_path && (!um->is_told || um->root != 0) &&
	    glob_match(um->desc->prov, name);

	free(name);
	return is_selected;
}

bool
usdt_is_path(const char *mod)
{
	return !dt_field_is_empty(mod) && mod[0] == '/' &&
	    !glob_is_pattern(mod);
}

bool
usdt_selects_module(const char *pattern, const char *path, const char *name)
{
	if (!dt_field_is_empty(pattern) && strchr(pattern, '/') != NULL)
		return glob_match(pattern, path);
	return dt_field_match(pattern, name);
}

/* Does the pattern select the file by one of its names? */
static bool
selects_file(const char *pattern, const struct dt_probe *p)
{
	const struct dt_ufile *file = p->up->sites.v[0].file;

	for (const struct dt_uname *n = file->names; n != NULL; n = n->next) {
		if (usdt_selects_module(pattern, n->path, p->mod))
			return true;
	}
	return false;
}

bool
usdt_selects(const struct dif_pdesc *desc, const struct dt_probe *p)
{
	const struct usdt_probe *up = p->data;
	char *base = mem_strndup(p->prov, up->base_len);
	bool is_wide = takes_all(desc->prov, base) &&
	    (usdt_is_path(desc->mod) || !dt_usdt_is_listing(up->usdt));

	free(base);
	/* where the wide probe is meant, those of processes are not */
	return is_wide == (p->up->pid == 0 && p->up->family == 0) &&
	    (is_wide || dt_field_match(desc->prov, p->prov)) &&
	    dt_field_match(desc->func, p->func) &&
	    dt_field_match(desc->name, p->name) && selects_file(desc->mod, p);
}

char *
usdt_probe_name(const char *c_name)
{
	struct strbuf sb = { 0 };

	while (*c_name != '\0') {
		bool is_dash = strncmp(c_name, "__", 2) == 0;

		strbuf_addc(&sb, is_dash ? '-' : *c_name);
		c_name += 1 + is_dash;
	}
	return strbuf_steal(&sb);
}
