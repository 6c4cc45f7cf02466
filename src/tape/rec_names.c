/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of addresses in a recording that is being made: each name once, and
 * again when the address has got another one.
 */
#include "tape/tape_impl.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"

static uint64_t
hash_text(const char *s)
{
	return s != NULL ? hash_bytes(s, strlen(s)) : 0;
}

static uint64_t
hash_name(const struct record_name *n)
{
	uint64_t parts[] = { n->is_found, hash_text(n->module),
		hash_text(n->name), n->offset, n->addr };

	return hash_bytes(parts, sizeof(parts));
}

static struct tape_name *
name_slot(
    const struct tape_recorder *t, uint32_t kind, uint64_t pid, uint64_t addr)
{
	uint64_t key[] = { kind, pid, addr };
	size_t i = hash_bytes(key, sizeof(key)) & (t->nname_slots - 1);

	for (;; i = (i + 1) & (t->nname_slots - 1)) {
		struct tape_name *n = &t->names[i];

		if (n->kind == 0 ||
		    (n->kind == kind && n->pid == pid && n->addr == addr))
			return n;
	}
}

static void
grow_names(struct tape_recorder *t)
{
	struct tape_name *old = t->names;
	size_t nold = t->nname_slots;

	t->nname_slots = nold != 0 ? 2 * nold : 1024;
	t->names = mem_alloc(t->nname_slots * sizeof(*t->names));
	for (size_t i = 0; i < nold; i++) {
		if (old[i].kind != 0)
			*name_slot(t, old[i].kind, old[i].pid, old[i].addr) =
			    old[i];
	}
	free(old);
}

/* ---- processes ---------------------------------------------------------- */

/* The text of a file of /proc, without its newline; "" if it is gone. */
static void
read_name(uint64_t pid, char *to, size_t size)
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(
	    path, sizeof(path), "/proc/%llu/comm", (unsigned long long)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd >= 0 ? read(fd, to, size - 1) : 0;
	if (fd >= 0)
		close(fd);
	to[n > 0 ? n : 0] = '\0';
	to[strcspn(to, "\n")] = '\0';
}

static void
read_path(uint64_t pid, char *to, size_t size)
{
	char path[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%llu/exe", (unsigned long long)pid);
	n = readlink(path, to, size - 1);
	to[n > 0 ? n : 0] = '\0';
}

void
tape_note_process(struct tape_recorder *t, uint64_t pid)
{
	char name[64], path[PATH_MAX];
	struct record_process p = { pid, name, path };

	if (pid == 0 || pid > INT32_MAX ||
	    idmap_get(&t->processes, (uint32_t)pid) != NULL)
		return;
	idmap_put(&t->processes, (uint32_t)pid, 1);
	read_name(pid, name, sizeof(name));
	read_path(pid, path, sizeof(path));
	record_put_process(t->w, &p);
}

/* ---- names --------------------------------------------------------------- */

void
tape_note_name(void *arg, enum record_name_kind kind, uint64_t pid,
    uint64_t addr, const struct record_name *name)
{
	struct tape_recorder *t = arg;
	uint64_t hash = hash_name(name);
	struct tape_name *n;

	if (t->w == NULL)
		return;
	if (2 * (t->nnames + 1) > t->nname_slots)
		grow_names(t);
	n = name_slot(t, kind, pid, addr);
	if (n->kind != 0 && n->hash == hash)
		return;
	t->nnames += n->kind == 0;
	*n = (struct tape_name){ pid, addr, hash, kind };
	tape_note_process(t, pid);
	record_put_name(t->w, kind, pid, addr, name);
}
