/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Containers by the paths of their control groups:
 *
 *	.../docker-ID.scope		docker, also libpod (podman), crio,
 *	.../docker/ID			cri-containerd, nerdctl; Kubernetes
 *	.../machine-NAME.scope		systemd-nspawn and machined
 *	.../systemd-nspawn@NAME.service
 *	.../lxc.payload.NAME		LXC
 *	.../lxc/NAME
 *
 * An ID has 64 hexadecimal digits.  A name in a unit's name is escaped
 * (systemd.unit(5)): '-' is \x2d.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "libdtrace/dt_impl.h"

enum { ID_LEN = 64 };

static bool
has_suffix(const char *s, size_t len, const char *suffix)
{
	size_t n = strlen(suffix);

	return len > n && memcmp(s + len - n, suffix, n) == 0;
}

/* The text without ".scope" or ".service". */
static size_t
unit_len(const char *base)
{
	size_t len = strlen(base);

	if (has_suffix(base, len, ".scope"))
		return len - strlen(".scope");
	return has_suffix(base, len, ".service") ? len - strlen(".service") :
						   len;
}

/* The id in the last part of a path, or NULL.  conmon only watches one. */
static const char *
find_id(const char *base)
{
	size_t len = unit_len(base);
	const char *id = base + len - ID_LEN;

	if (len < ID_LEN || strspn(id, "0123456789abcdef") < ID_LEN ||
	    (id > base && id[-1] != '-') || strstr(base, "conmon-") != NULL)
		return NULL;
	return id;
}

/* "web\x2d1" is web-1. */
static char *
unescape(const char *s, size_t len)
{
	struct strbuf name = { 0 };

	for (size_t i = 0; i < len; i++) {
		unsigned code;

		if (s[i] == '\\' && i + 3 < len &&
		    sscanf(s + i, "\\x%2x", &code) == 1) {
			strbuf_addc(&name, (char)code);
			i += 3;
		} else {
			strbuf_addc(&name, s[i]);
		}
	}
	return name.s != NULL ? strbuf_steal(&name) : mem_strdup("");
}

/* The name in the last part of a path (malloced), or NULL. */
static char *
find_name(const char *path, const char *base)
{
	static const char *const before[] = { "machine-", "systemd-nspawn@",
		"lxc.payload." };
	size_t len = unit_len(base);

	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		size_t n = strlen(before[i]);

		if (strncmp(base, before[i], n) == 0 && len > n)
			return unescape(base + n, len - n);
	}
	if (base - path >= 5 && memcmp(base - 5, "/lxc/", 5) == 0)
		return mem_strdup(base);
	return NULL;
}

bool
dt_container_is(const char *path, const char *arg)
{
	const char *base = strrchr(path, '/') + 1, *id = find_id(base);
	char *name = find_name(path, base);
	bool is = (name != NULL && strcmp(name, arg) == 0) ||
	    (id != NULL && *arg != '\0' && strlen(arg) <= ID_LEN &&
		strncmp(id, arg, strlen(arg)) == 0);

	free(name);
	return is;
}
