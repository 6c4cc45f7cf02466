/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_UNIT_RT_KERNEL_CASES_H
#define TESTS_UNIT_RT_KERNEL_CASES_H

/*
 * Structures of the kernel that the runtime reads (locks and paths), imitated
 * here.  Their layout differs from the kernel's on purpose: a hard-coded offset
 * of the runtime would show.
 */
#include "rt_cases.h"

/* ---- the world of paths -------------------------------------------------- */

struct fk_path {
	uint64_t mnt, dentry;
};
struct fk_mount {
	uint64_t parent, mountpoint;
	struct {
		uint64_t pad, root;
	} mnt;
};
struct fk_dentry {
	uint64_t parent;
	struct {
		uint64_t next, pprev;
	} hash;
	struct {
		uint64_t name;
		uint32_t hash, len;
	} name;
	uint64_t inode, sb, op;
};
struct fk_world {
	struct fk_path path, root;
	struct fk_mount mounts[2];
	struct fk_dentry dentries[5];
	struct {
		uint64_t pad, dname;
	} ops;
	struct {
		uint64_t pad, magic;
	} sb;
	struct {
		uint64_t pad, private, ino;
	} inode;
	struct {
		uint64_t pad, ops;
	} ns;
	struct {
		uint64_t pad, name;
	} nsops;
	char names[5][16];
};

/* Set the offsets of members in this world. */
static inline void
rt_fake_layout(struct rt_conf *c)
{
	c->path_mnt = offsetof(struct fk_path, mnt);
	c->path_dentry = offsetof(struct fk_path, dentry);
	c->vfsmount_root = 8;
	c->mount_mnt = offsetof(struct fk_mount, mnt);
	c->mount_parent = offsetof(struct fk_mount, parent);
	c->mount_mountpoint = offsetof(struct fk_mount, mountpoint);
	c->dentry_parent = offsetof(struct fk_dentry, parent);
	c->dentry_name = offsetof(struct fk_dentry, name);
	c->dentry_hash = offsetof(struct fk_dentry, hash);
	c->dentry_op = offsetof(struct fk_dentry, op);
	c->dentry_sb = offsetof(struct fk_dentry, sb);
	c->dentry_inode = offsetof(struct fk_dentry, inode);
	c->qstr_name = 0;
	c->qstr_len = 12;
	c->hash_pprev = 8;
	c->dops_dname = 8;
	c->sb_magic = 8;
	c->inode_ino = 16;
	c->inode_private = 8;
	c->ns_ops = 8;
	c->nsops_name = 8;
	c->mutex_word = 8;
	c->rwsem_count = 8;
	c->rwsem_owner = 16;
	c->spin_raw = 8;
	c->rawspin_arch = 4;
	c->qspin_val = 4;
	c->rwlock_arch = 8;
	c->qrwlock_cnts = 4;
}

static inline struct fk_world *
fk_world(const struct rt_env *env)
{
	return (struct fk_world *)(void *)env->ms->mem;
}

/* The address of a part of the world as the runtime sees it. */
#define FK(env, part)                                                          \
	rt_env_addr(env,                                                       \
	    (uint64_t)((char *)&fk_world(env)->part - (char *)env->ms->mem))

/* A dentry with a name of `len` bytes at `name`, in a table of names. */
static inline void
fk_dentry(
    struct rt_env *env, unsigned no, unsigned parent, uint64_t name, size_t len)
{
	fk_world(env)->dentries[no] = (struct fk_dentry){
		.parent = FK(env, dentries[parent]),
		.hash.pprev = 1,
		.name = { .name = name, .len = (uint32_t)len },
		.sb = FK(env, sb),
		.inode = FK(env, inode),
	};
}

static inline void
fk_named(struct rt_env *env, unsigned no, unsigned parent, const char *name)
{
	memcpy(fk_world(env)->names[no], name, strlen(name) + 1);
	fk_dentry(env, no, parent, FK(env, names[no]), strlen(name));
}

/*
 * 0: the root, 1: /one, 2: /one/two; a second file system has the root 3 and a
 * file 4 ("four"), and is mounted on /one.
 */
static inline void
fk_reset(struct rt_env *env)
{
	struct fk_world *w = fk_world(env);

	rt_env_reset(env);
	memset(w, 0, sizeof(*w));
	fk_named(env, 0, 0, "/");
	fk_named(env, 1, 0, "one");
	fk_named(env, 2, 1, "two");
	fk_named(env, 3, 3, "/");
	fk_named(env, 4, 3, "four");
	w->mounts[0].parent = FK(env, mounts[0]);
	w->mounts[0].mountpoint = FK(env, dentries[0]);
	w->mounts[0].mnt.root = FK(env, dentries[0]);
	w->mounts[1].parent = FK(env, mounts[0]);
	w->mounts[1].mountpoint = FK(env, dentries[1]);
	w->mounts[1].mnt.root = FK(env, dentries[3]);
	w->ops.dname = 1;
	w->inode.ino = 4026531841;
	w->inode.private = FK(env, ns);
	w->ns.ops = FK(env, nsops);
	w->nsops.name = FK(env, names[0]);
}

static inline uint64_t
fk_d_path(struct rt_env *env, unsigned mount, unsigned dentry)
{
	uint64_t args[4] = { FK(env, path) };

	fk_world(env)->path.mnt = FK(env, mounts[mount].mnt);
	fk_world(env)->path.dentry = FK(env, dentries[dentry]);
	return env->call(env, "rt_d_path", args);
}

#define FK_EXPECT(env, mount, dentry, want)                                    \
	do {                                                                   \
		uint64_t got_ = fk_d_path(env, mount, dentry);                 \
		assert_int_equal((env)->ms->fault, 0);                         \
		assert_string_equal(rt_case_result(env, got_), want);          \
	} while (0)

/* Paths of names, mounts, deleted files, and entries outside of the tree. */
static inline void
rt_check_directories(struct rt_env *env)
{
	fk_reset(env);
	FK_EXPECT(env, 0, 0, "/");
	FK_EXPECT(env, 0, 1, "/one");
	FK_EXPECT(env, 0, 2, "/one/two");
	FK_EXPECT(env, 1, 3, "/one");
	FK_EXPECT(env, 1, 4, "/one/four");
	fk_world(env)->dentries[2].hash.pprev = 0;
	FK_EXPECT(env, 0, 2, "/one/two (deleted)");
	/* roots have no name */
	fk_world(env)->dentries[3].hash.pprev = 0;
	FK_EXPECT(env, 1, 3, "/one");
	fk_world(env)->mounts[1].parent = FK(env, mounts[1]);
	FK_EXPECT(env, 1, 4, "/four");
	FK_EXPECT(env, 1, 3, "/");
	FK_EXPECT(env, 0, 4, "/four"); /* outside of its mount */
}

/* A result has the first strsize - 1 bytes, however long the path is. */
static inline void
rt_check_long_paths(struct rt_env *env)
{
	static const unsigned lens[] = { 1, 3, 126, 127, 128, 200, 249, 250,
		251, 254, 255, 256, 300 };
	uint64_t max = env->conf.strsize - 1, at = 13 * env->conf.strsize;
	char want[700];

	for (size_t i = 0; i < RT_COUNT(lens) * RT_COUNT(lens); i++) {
		unsigned a = lens[i / RT_COUNT(lens)];
		unsigned b = lens[i % RT_COUNT(lens)];

		fk_reset(env);
		memset(env->ms->mem + at, 'a', a);
		memset(env->ms->mem + at + a, 'b', b);
		fk_dentry(env, 1, 0, rt_env_addr(env, at), a);
		fk_dentry(env, 2, 1, rt_env_addr(env, at + a), b);
		snprintf(want, sizeof(want), "/%.*s/%.*s", (int)a,
		    (char *)env->ms->mem + at, (int)b,
		    (char *)env->ms->mem + at + a);
		want[max] = '\0';
		FK_EXPECT(env, 0, 2, want);
	}
}

struct fk_made_up {
	uint64_t magic;
	const char *name, *want;
};

/* File systems by the numbers of linux/magic.h and fs/pidfs.c; paths as
 * /proc/PID/fd shows them. */
static inline void
rt_check_made_up(struct rt_env *env)
{
	static const struct fk_made_up cases[] = {
		{ 0x50495045, "", "pipe:[4026531841]" },
		{ 0x534f434b, "", "socket:[4026531841]" },
		{ 0x09041934, "[eventfd]", "anon_inode:[eventfd]" },
		{ 0x6e736673, "", "mnt:[4026531841]" },
		{ 0x50494446, "", "anon_inode:[pidfd]" },
		{ 0x01021994, "memfd:x", "/memfd:x (deleted)" },
		{ 0x444d4142, "", "/dmabuf:" },
	};

	for (size_t i = 0; i < RT_COUNT(cases); i++) {
		fk_reset(env);
		memcpy(fk_world(env)->names[0], "mnt", 4);
		fk_named(env, 4, 4, cases[i].name);
		fk_world(env)->dentries[4].op = FK(env, ops);
		fk_world(env)->sb.magic = cases[i].magic;
		FK_EXPECT(env, 1, 4, cases[i].want);
	}
	/* a file system's root has a path, whatever the type of its files */
	fk_reset(env);
	fk_world(env)->dentries[3].op = FK(env, ops);
	FK_EXPECT(env, 1, 3, "/one");
	fk_world(env)->ops.dname = 0;
	fk_world(env)->dentries[4].op = FK(env, ops);
	FK_EXPECT(env, 1, 4, "/one/four");
}

/* Wild pointers anywhere are faults that name the address. */
static inline void
rt_check_path_faults(struct rt_env *env)
{
	uint64_t args[4] = { 0 },
		 *wild[] = {
			 &fk_world(env)->dentries[2].name.name,
			 &fk_world(env)->dentries[2].parent,
			 &fk_world(env)->mounts[0].mnt.root,
		 };

	fk_reset(env);
	assert_int_equal(env->call(env, "rt_d_path", args), 0);
	assert_int_equal(env->ms->fault, DIF_FLT_BADADDR);
	assert_in_range(env->ms->fault_val, 0, 8);
	for (size_t i = 0; i < RT_COUNT(wild); i++) {
		fk_reset(env);
		*wild[i] = i == 2 ? 4096 : 8192;
		if (i == 2)
			fk_world(env)->dentries[0].parent = 8192;
		assert_int_equal(fk_d_path(env, 0, 2), 0);
		assert_int_equal(env->ms->fault, DIF_FLT_BADADDR);
		assert_in_range(env->ms->fault_val, 8192, 8192 + 64);
	}
	/* mounts that are mounted on each other: the walk must end */
	fk_reset(env);
	fk_world(env)->mounts[0].parent = FK(env, mounts[1]);
	fk_world(env)->mounts[0].mountpoint = FK(env, dentries[3]);
	assert_int_equal(fk_d_path(env, 0, 2), 0);
	assert_int_equal(env->ms->fault, DIF_FLT_ILLOP);
	assert_int_equal(env->ms->fault_val, FK(env, path));
}

/* ---- locks --------------------------------------------------------------- */

/* A word of a lock: a number, or the current task's address with flags. */
struct fk_word {
	bool is_task;
	uint64_t n;
};
#define W(x)                                                                   \
	{                                                                      \
		false, x                                                       \
	}
#define TASK(x)                                                                \
	{                                                                      \
		true, x                                                        \
	}
struct fk_lock {
	const char *fn;
	enum dif_lock kind;
	struct fk_word words[3];
	struct fk_word want;
};
#define CNTS(x) W((uint64_t)(x) << 32)
static const struct fk_lock fk_locks[] = {
	{ "rt_mutex_owner", DIF_LOCK_SLEEP, { W(1), W(0), W(1) }, W(0) },
	{ "rt_mutex_owner", DIF_LOCK_SLEEP, { W(1), W(0x12340), W(1) },
	    W(0x12340) },
	{ "rt_mutex_owner", DIF_LOCK_SLEEP, { W(1), W(0x12347), W(1) },
	    W(0x12340) },
	{ "rt_mutex_owner", DIF_LOCK_SLEEP, { W(1), W(7), W(1) }, W(0) },
	{ "rt_mutex_owned", DIF_LOCK_SLEEP, { W(1), W(0), W(1) }, W(0) },
	{ "rt_mutex_owned", DIF_LOCK_SLEEP, { W(1), TASK(0), W(1) }, W(1) },
	{ "rt_mutex_owned", DIF_LOCK_SLEEP, { W(1), TASK(5), W(1) }, W(1) },
	{ "rt_mutex_owned", DIF_LOCK_SLEEP, { W(1), TASK(64), W(1) }, W(0) },
	{ "rt_mutex_owned", DIF_LOCK_SPIN, { W(1), W(1), W(0) }, W(0) },
	{ "rt_mutex_owned", DIF_LOCK_SPIN, { W(0), W(0), W(1) }, W(1) },
	{ "rt_mutex_owned", DIF_LOCK_SPIN, { W(0), W(0), W(0x100) },
	    W(0) }, /* pending */
	{ "rt_mutex_owned", DIF_LOCK_SPIN, { W(0), W(0), W(0x40000) },
	    W(0) }, /* queued */
	{ "rt_mutex_owned", DIF_LOCK_RAWSPIN, { W(1), W(0), W(1) }, W(0) },
	{ "rt_mutex_owned", DIF_LOCK_RAWSPIN, { W(0), W(0x40101), W(0) },
	    W(1) },
	{ "rt_rw_read_held", DIF_LOCK_RWSEM, { W(1), W(0), W(~0ULL) }, W(0) },
	{ "rt_rw_read_held", DIF_LOCK_RWSEM, { W(1), W(0x100), W(0) }, W(1) },
	{ "rt_rw_read_held", DIF_LOCK_RWSEM, { W(1), W(0x302), W(0) }, W(1) },
	{ "rt_rw_read_held", DIF_LOCK_RWSEM, { W(1), W(3), W(0) }, W(0) },
	{ "rt_rw_read_held", DIF_LOCK_RWSEM, { W(1), W(1ULL << 63 | 2), W(0) },
	    W(0) },
	{ "rt_rw_write_held", DIF_LOCK_RWSEM, { W(1), W(1), W(0) }, W(1) },
	{ "rt_rw_write_held", DIF_LOCK_RWSEM, { W(1), W(7), W(0) }, W(1) },
	{ "rt_rw_write_held", DIF_LOCK_RWSEM, { W(1), W(0x102), W(1) }, W(0) },
	{ "rt_rw_iswriter", DIF_LOCK_RWSEM, { W(1), W(1), TASK(0) }, W(1) },
	{ "rt_rw_iswriter", DIF_LOCK_RWSEM, { W(1), W(1), TASK(2) }, W(1) },
	{ "rt_rw_iswriter", DIF_LOCK_RWSEM, { W(1), W(0x100), TASK(1) }, W(0) },
	{ "rt_rw_iswriter", DIF_LOCK_RWSEM, { W(1), W(1), TASK(64) }, W(0) },
	{ "rt_rw_iswriter", DIF_LOCK_RWSEM, { W(1), TASK(0), W(0) }, W(0) },
	{ "rt_rw_read_held", DIF_LOCK_RWLOCK, { W(~0ULL), CNTS(0), W(~0ULL) },
	    W(0) },
	{ "rt_rw_read_held", DIF_LOCK_RWLOCK, { W(0), CNTS(0x200), W(0) },
	    W(1) },
	{ "rt_rw_read_held", DIF_LOCK_RWLOCK, { W(0), CNTS(0x300), W(0) },
	    W(1) },
	{ "rt_rw_read_held", DIF_LOCK_RWLOCK, { W(0), CNTS(0x100), W(0) },
	    W(0) },
	{ "rt_rw_read_held", DIF_LOCK_RWLOCK, { W(0), CNTS(0x2ff), W(0) },
	    W(0) },
	{ "rt_rw_write_held", DIF_LOCK_RWLOCK, { W(~0ULL), CNTS(0x200), W(0) },
	    W(0) },
	{ "rt_rw_write_held", DIF_LOCK_RWLOCK, { W(0), CNTS(0xff), W(0) },
	    W(1) },
	{ "rt_rw_write_held", DIF_LOCK_RWLOCK, { W(0), CNTS(0x4ff), W(0) },
	    W(1) },
	{ "rt_rw_write_held", DIF_LOCK_RWLOCK, { W(0), CNTS(0x100), W(0) },
	    W(0) },
	{ "rt_rw_iswriter", DIF_LOCK_RWLOCK, { W(0), CNTS(0x200), W(0) },
	    W(0) },
	{ "rt_rw_iswriter", DIF_LOCK_RWLOCK, { W(0), CNTS(0xff), W(0) }, W(1) },
	{ "rt_mutex_owner", DIF_LOCK_SPIN, { W(1), W(0x12340), W(1) }, W(0) },
	{ "rt_mutex_type_adaptive", DIF_LOCK_SLEEP, { W(0), W(0), W(0) },
	    W(1) },
	{ "rt_mutex_type_adaptive", DIF_LOCK_SPIN, { W(1), W(1), W(1) }, W(0) },
	{ "rt_mutex_type_adaptive", DIF_LOCK_RAWSPIN, { W(1), W(1), W(1) },
	    W(0) },
	{ "rt_mutex_type_spin", DIF_LOCK_SLEEP, { W(1), W(1), W(1) }, W(0) },
	{ "rt_mutex_type_spin", DIF_LOCK_SPIN, { W(0), W(0), W(0) }, W(1) },
	{ "rt_mutex_type_spin", DIF_LOCK_RAWSPIN, { W(0), W(0), W(0) }, W(1) },
};

static inline uint64_t
fk_value(const struct rt_env *env, const struct fk_word *w)
{
	return w->is_task ? env->conf.task + w->n : w->n;
}

static inline void
rt_check_locks(struct rt_env *env)
{
	uint64_t *words = (uint64_t *)(void *)env->ms->mem;
	uint64_t args[4] = { 0 };

	for (size_t i = 0; i < RT_COUNT(fk_locks); i++) {
		const struct fk_lock *l = &fk_locks[i];
		uint64_t got;

		rt_env_reset(env);
		for (int n = 0; n < 3; n++)
			words[n] = fk_value(env, &l->words[n]);
		args[0] = rt_env_addr(env, 0);
		args[1] = l->kind;
		got = env->call(env, l->fn, args);
		if (env->ms->fault != 0 || got != fk_value(env, &l->want))
			fail_msg("row %zu, %s: %#llx", i, l->fn,
			    (unsigned long long)got);
		args[0] = 4096;
		env->call(env, l->fn, args);
		assert_int_equal(env->ms->fault, DIF_FLT_BADADDR);
		assert_in_range(env->ms->fault_val, 4096, 4096 + 16);
		args[0] = rt_env_addr(env, 0);
		args[1] = 3; /* no such kind */
		env->call(env, l->fn, args);
		assert_int_equal(env->ms->fault, DIF_FLT_ILLOP);
		assert_int_equal(env->ms->fault_val, 3);
	}
}

static inline void
rt_check_kernel(struct rt_env *env)
{
	assert_true(sizeof(struct fk_world) <= 4 * env->conf.strsize);
	rt_check_locks(env);
	rt_check_directories(env);
	rt_check_long_paths(env);
	rt_check_made_up(env);
	rt_check_path_faults(env);
}

#endif
