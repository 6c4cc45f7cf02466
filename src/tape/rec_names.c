/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Note the names of addresses in a recording: each once, and again when an
 * address has another name.
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

/* Read a file of /proc: up to size - 1 bytes, and a NUL.  Returns their number;
 * 0: the file is gone. */
static size_t
read_file(const char *path, char *to, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, to, size - 1) : 0;

	if (fd >= 0)
		close(fd);
	to[n > 0 ? n : 0] = '\0';
	return n > 0 ? (size_t)n : 0;
}

static void
read_name(uint64_t pid, char *to, size_t size)
{
	char path[64];

	snprintf(
	    path, sizeof(path), "/proc/%llu/comm", (unsigned long long)pid);
	read_file(path, to, size);
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

/* ---- arguments ----------------------------------------------------------- */

#define ARGS_MAX 4096

/* The command with its arguments; false: there is none, as of kernel threads.
 */
static bool
read_args(uint64_t pid, char to[ARGS_MAX])
{
	char path[64];
	size_t n;

	snprintf(
	    path, sizeof(path), "/proc/%llu/cmdline", (unsigned long long)pid);
	n = read_file(path, to, ARGS_MAX);
	while (n > 0 && to[n - 1] == '\0')
		n--;
	for (size_t i = 0; i < n; i++)
		to[i] = to[i] == '\0' ? ' ' : to[i];
	return n != 0;
}

/*
 * Does the thread still have the name that it fired with?  If not, it may have
 * executed another program.
 */
static bool
has_name(uint64_t pid, uint64_t tid, const char comm[16])
{
	char path[80], now[64];

	snprintf(path, sizeof(path), "/proc/%llu/task/%llu/comm",
	    (unsigned long long)pid, (unsigned long long)tid);
	read_file(path, now, sizeof(now));
	now[strcspn(now, "\n")] = '\0';
	return strncmp(now, comm, 16) == 0;
}

/*
 * A thread's first firing, and its first with another name, tell of a program.
 * The arguments are read before the name is compared: if it is the same, no
 * other program has replaced them.
 */
void
tape_note_thread(void *arg, uint64_t pid, uint64_t tid, const char comm[16])
{
	struct tape_recorder *t = arg;
	uint32_t hash = (uint32_t)hash_bytes(comm, 16);
	char args[ARGS_MAX];
	const uint32_t *known;

	if (t->w == NULL || t->last_thread == (tid << 32 | hash) || tid == 0 ||
	    tid > INT32_MAX)
		return;
	t->last_thread = tid << 32 | hash;
	known = idmap_get(&t->threads, (uint32_t)tid);
	if (known != NULL && *known == hash)
		return;
	idmap_put(&t->threads, (uint32_t)tid, hash);
	if (read_args(pid, args) && has_name(pid, tid, comm))
		(void)tape_note_name(t, RECORD_NAME_ARGS, pid, 0,
		    &(struct record_name){ .is_found = true, .name = args });
}

/* ---- mappings ------------------------------------------------------------ */

/*
 * The most mappings that are recorded.  Addresses in further ones have names,
 * but no files.
 */
#define MAX_MAPPINGS 65536

static const struct tape_mapping *
find_mapping(const struct tape_recorder *t, uint64_t pid, uint64_t addr)
{
	const uint32_t *newest =
	    pid - 1 < INT32_MAX ? idmap_get(&t->mapped, (uint32_t)pid) : NULL;
	uint32_t at = newest != NULL ? *newest : 0;

	while (at != 0) {
		const struct tape_mapping *m = &t->mappings.v[at - 1];

		if (addr >= m->start && addr < m->end)
			return m;
		at = m->older;
	}
	return NULL;
}

void
tape_note_file(void *arg, const struct record_mapping *m)
{
	struct tape_recorder *t = arg;
	struct tape_mapping new = { .start = m->start, .end = m->end };
	const struct tape_mapping *known = find_mapping(t, m->pid, m->start);
	const uint32_t *newest;

	new.hash = hash_text(m->path) ^ hash_text(m->build_id) ^ m->offset;
	if (t->w == NULL || m->pid - 1 >= INT32_MAX ||
	    t->mappings.n == MAX_MAPPINGS ||
	    (known != NULL && known->start == new.start &&
		known->end == new.end && known->hash == new.hash))
		return;
	newest = idmap_get(&t->mapped, (uint32_t)m->pid);
	new.older = newest != NULL ? *newest : 0;
	VEC_PUSH(&t->mappings, new);
	idmap_put(&t->mapped, (uint32_t)m->pid, (uint32_t)t->mappings.n);
	record_put_mapping(t->w, m);
}

/* A module may be replaced by one of another build. */
void
tape_note_kernel_file(void *arg, const char *module, const char *build_id)
{
	struct tape_recorder *t = arg;
	char *key;
	size_t before = t->built.strs.n;

	if (t->w == NULL || *build_id == '\0')
		return;
	key = mem_printf("%s %s", module, build_id);
	strtab_intern(&t->built, key);
	if (t->built.strs.n != before)
		record_put_build_id(t->w, module, build_id);
	free(key);
}

/* ---- names --------------------------------------------------------------- */

/* Is the build id new?  The recording has the kernel's own from the start. */
static bool
is_of_module(enum record_name_kind kind, const struct record_name *name)
{
	return kind == RECORD_NAME_KERNEL && name->is_found &&
	    name->module != NULL && strcmp(name->module, "vmlinux") != 0;
}

/* The name may be that of another file at the same address. */
bool
tape_note_name(void *arg, enum record_name_kind kind, uint64_t pid,
    uint64_t addr, const struct record_name *name)
{
	struct tape_recorder *t = arg;
	uint64_t hash = hash_name(name);
	struct tape_name *n;
	bool is_wanted;

	if (t->w == NULL)
		return false;
	if (2 * (t->nnames + 1) > t->nname_slots)
		grow_names(t);
	n = name_slot(t, kind, pid, addr);
	if (n->kind != 0 && n->hash == hash)
		return false;
	is_wanted = is_of_module(kind, name) ||
	    (kind == RECORD_NAME_USER && name->is_found &&
		(n->kind != 0 || find_mapping(t, pid, addr) == NULL));
	t->nnames += n->kind == 0;
	*n = (struct tape_name){ pid, addr, hash, kind };
	tape_note_process(t, pid);
	record_put_name(t->w, kind, pid, addr, name);
	return is_wanted;
}
