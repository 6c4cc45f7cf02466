/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * Paths: from a struct path up to the root, through directories and mounts, as
 * the kernel's d_path() goes (Documentation/filesystems/vfs.rst, path_lookup).
 * A path without a mount is the path in its file system.
 *
 * No lock is taken: a concurrent rename can mix an old name with a new one, as
 * a rename could also happen before the caller uses the result.
 *
 * Names come last first, and a D string keeps the first strsize - 1 bytes.  The
 * text grows downwards in an area that holds twice as many (`keep`):
 *
 *	area: |      free      | /name/of/what/came/before |
 *	      0                pos                     2 * keep
 *
 * If a name does not fit in front, the part of the text that the result can
 * still show moves to the end, and the rest is dropped.
 */
#include "exec/runtime/rt_code.h"

#define STEPS_MAX 16384 /* names and mounts; a deeper path is a fault */

/* File systems whose files have no path (linux/magic.h, fs/pidfs.c) */
#define MAGIC_ANON_INODE 0x09041934
#define MAGIC_DMA_BUF 0x444d4142
#define MAGIC_NSFS 0x6e736673
#define MAGIC_PIDFS 0x50494446
#define MAGIC_PIPEFS 0x50495045
#define MAGIC_SOCKFS 0x534f434b

/* Up to eight bytes of text as a word. */
#define TEXT8(s)                                                               \
	((u64)(u8)(s)[0] | (u64)(u8)(s)[1] << 8 | (u64)(u8)(s)[2] << 16 |      \
	    (u64)(u8)(s)[3] << 24 | (u64)(u8)(s)[4] << 32 |                    \
	    (u64)(u8)(s)[5] << 40 | (u64)(u8)(s)[6] << 48 |                    \
	    (u64)(u8)(s)[7] << 56)

struct path_walk {
	u64 dentry, mnt;
	u64 root_dentry, root_mnt; /* where the walk ends */
	u64 pos;
	u64 failed, bad; /* bad: an address that cannot be
					 * read */
	u64 number;	 /* number to write; or: a name was found */
};

RT_INLINE u64
area(const struct rt_mstate *ms)
{
	return RTC(ms, tmp_a);
}

RT_INLINE u64
keep_max(const struct rt_mstate *ms)
{
	return RTC(ms, strsize) - 1;
}

/* The pointer at `addr`; 0 if it cannot be read: the walk has then failed. */
RT_INLINE u64
load(struct rt_mstate *ms, struct path_walk *w, u64 addr)
{
	u64 value = 0;

	(void)ms;
	if (rt_peek(ms, &value, sizeof(value), addr) != 0 && !w->failed) {
		w->failed = 1;
		w->bad = addr;
	}
	return value;
}

/*
 * Make room for `need` <= keep_max() bytes in front: returns their offset in
 * mem.
 */
RT_INLINE u64
reserve(struct rt_mstate *ms, struct path_walk *w, u64 need)
{
	u64 keep = keep_max(ms);

	if (w->pos < need) {
		/* at most `keep`, and moved at least as far: no overlap */
		rt_peek(ms, rt_mem(ms, area(ms) + keep + need),
		    rt_bound(ms, keep - need), rt_addr(ms, area(ms) + w->pos));
		w->pos = keep + need;
	}
	w->pos -= need;
	return area(ms) + w->pos;
}

/* Put `len` <= 8 bytes in front; of those that a string cannot hold, none. */
/* A function of its own, so that the verifier goes through it once. */
RT_PUBLIC u64
rt_path_put(u64 slot, u64 text, u64 len)
{
	struct rt_mstate *ms = rt_ms(slot);
	struct path_walk *w;
	u64 off, mask;

	if (ms == NULL)
		return 0;
	w = RT_LOOP_VARS(struct path_walk, ms);
	if (len > keep_max(ms))
		len = keep_max(ms);
	off = reserve(ms, w, len);
	mask = rt_low_mask(len);
	rt_set_word(ms, off, (rt_word(ms, off) & ~mask) | (text & mask));
	return 0;
}

RT_INLINE void
put_deleted(u64 slot)
{
	rt_path_put(slot, TEXT8("deleted)"), 8);
	rt_path_put(slot, TEXT8(" (\0\0\0\0\0\0"), 2);
}

/* Write a character and the `len` bytes at `from` in front. */
RT_INLINE void
put_name(struct rt_mstate *ms, struct path_walk *w, u8 first, u64 from, u64 len)
{
	u64 off;

	if (len > keep_max(ms) - 1)
		len = keep_max(ms) - 1;
	off = reserve(ms, w, len + 1);
	*rt_mem(ms, off) = first;
	if (rt_peek(ms, rt_mem(ms, off + 1), rt_bound(ms, len), from) != 0 &&
	    !w->failed) {
		w->failed = 1;
		w->bad = from;
	}
}

RT_INLINE void
put_dentry(struct rt_mstate *ms, struct path_walk *w, u8 first)
{
	u64 name = w->dentry + RTC(ms, dentry_name);

	put_name(ms, w, first, load(ms, w, name + RTC(ms, qstr_name)),
	    (u32)load(ms, w, name + RTC(ms, qstr_len)));
}

/* ---- files without a path ------------------------------------------------ */

struct path_ctx {
	struct rt_mstate *ms;
	u64 slot;
};

RT_CALLBACK long
digit_step(u32 i, void *arg)
{
	struct path_ctx *ctx = arg;
	struct path_walk *w = RT_LOOP_VARS(struct path_walk, ctx->ms);

	(void)i;
	rt_path_put(ctx->slot, '0' + w->number % 10, 1);
	w->number /= 10;
	return w->number == 0;
}

/* "[4711]" */
RT_INLINE void
put_inode(u64 slot, struct rt_mstate *ms, struct path_walk *w)
{
	struct path_ctx ctx = { ms, slot };
	u64 inode = load(ms, w, w->dentry + RTC(ms, dentry_inode));

	w->number = load(ms, w, inode + RTC(ms, inode_ino));
	rt_path_put(slot, ']', 1);
	RT_LOOP(20, digit_step, &ctx);
	rt_path_put(slot, '[', 1);
}

/* "mnt:[4026531841]": a table has the names of the kinds of namespaces. */
RT_INLINE void
put_namespace(u64 slot, struct rt_mstate *ms, struct path_walk *w)
{
	u64 inode = load(ms, w, w->dentry + RTC(ms, dentry_inode));
	u64 ns = load(ms, w, inode + RTC(ms, inode_private));
	u64 ops = load(ms, w, ns + RTC(ms, ns_ops));
	u64 name = load(ms, w, ops + RTC(ms, nsops_name));
	u64 word = load(ms, w, name), zero = rt_zero_bytes(word);

	put_inode(slot, ms, w);
	rt_path_put(slot, ':', 1);
	rt_path_put(slot, word, zero == 0 ? 8 : rt_low_byte(zero));
}

/* Write the name that a file system makes up for its file. */
RT_INLINE void
put_made_up(u64 slot, struct rt_mstate *ms, struct path_walk *w)
{
	u64 sb = load(ms, w, w->dentry + RTC(ms, dentry_sb));

	switch ((u32)load(ms, w, sb + RTC(ms, sb_magic))) {
	case MAGIC_PIPEFS:
		put_inode(slot, ms, w);
		rt_path_put(slot, TEXT8("pipe:\0\0\0"), 5);
		return;
	case MAGIC_SOCKFS:
		put_inode(slot, ms, w);
		rt_path_put(slot, TEXT8("socket:\0"), 7);
		return;
	case MAGIC_NSFS:
		put_namespace(slot, ms, w);
		return;
	case MAGIC_PIDFS:
		rt_path_put(slot, TEXT8("[pidfd]\0"), 7);
		rt_path_put(slot, TEXT8("n_inode:"), 8);
		rt_path_put(slot, TEXT8("ano\0\0\0\0\0"), 3);
		return;
	case MAGIC_ANON_INODE:
		put_dentry(ms, w, ':');
		rt_path_put(slot, TEXT8("on_inode"), 8);
		rt_path_put(slot, TEXT8("an\0\0\0\0\0\0"), 2);
		return;
	case MAGIC_DMA_BUF:
		rt_path_put(slot, TEXT8("/dmabuf:"), 8);
		return;
	default: /* memfd, System V shared memory, ... */
		put_deleted(slot);
		put_dentry(ms, w, '/');
		return;
	}
}

/* Does the file system make up names, and is this not the root of the mount? */
RT_INLINE u64
has_made_up_name(struct rt_mstate *ms, struct path_walk *w)
{
	u64 op = load(ms, w, w->dentry + RTC(ms, dentry_op));

	if (op == 0 || load(ms, w, op + RTC(ms, dops_dname)) == 0)
		return 0;
	return load(ms, w, w->dentry + RTC(ms, dentry_parent)) != w->dentry ||
	    load(ms, w, w->mnt + RTC(ms, vfsmount_root)) != w->dentry;
}

/* ---- files in directories ------------------------------------------------ */

/*
 * The file is not hashed in a directory, and is not the root of its file
 * system.
 */
RT_INLINE u64
is_deleted(struct rt_mstate *ms, struct path_walk *w)
{
	u64 pprev = w->dentry + RTC(ms, dentry_hash) + RTC(ms, hash_pprev);

	return load(ms, w, pprev) == 0 &&
	    load(ms, w, w->dentry + RTC(ms, dentry_parent)) != w->dentry;
}

/* Go from the root of a mount to its mount point; 1: it is not mounted. */
RT_INLINE long
leave_mount(struct rt_mstate *ms, struct path_walk *w)
{
	u64 mount = w->mnt - RTC(ms, mount_mnt);
	u64 parent = load(ms, w, mount + RTC(ms, mount_parent));

	if (parent == mount)
		return 1;
	w->dentry = load(ms, w, mount + RTC(ms, mount_mountpoint));
	w->mnt = parent + RTC(ms, mount_mnt);
	return w->failed != 0;
}

RT_CALLBACK long
path_step(u32 i, void *arg)
{
	struct rt_mstate *ms = ((struct rt_ctx *)arg)->ms;
	struct path_walk *w = RT_LOOP_VARS(struct path_walk, ms);
	u64 parent;

	(void)i;
	if (w->dentry == w->root_dentry && w->mnt == w->root_mnt)
		return 1;
	if (w->mnt != 0 &&
	    w->dentry == load(ms, w, w->mnt + RTC(ms, vfsmount_root)))
		return leave_mount(ms, w);
	parent = load(ms, w, w->dentry + RTC(ms, dentry_parent));
	if (w->failed || parent == w->dentry)
		return 1;
	put_dentry(ms, w, '/');
	w->number = 1;
	w->dentry = parent;
	return w->failed != 0;
}

/* Returns whether the walk ended within its bound. */
RT_INLINE u64
put_directories(u64 slot, struct rt_mstate *ms, struct path_walk *w)
{
	struct rt_ctx ctx = { ms };
	u64 steps;

	if (is_deleted(ms, w))
		put_deleted(slot);
	w->number = 0;
	steps = RT_LOOP(STEPS_MAX, path_step, &ctx);
	if (w->number == 0)
		rt_path_put(slot, '/', 1);
	return steps < STEPS_MAX;
}

/* The path at address `path`, from the one at `root` (0: from the top). */
RT_INLINE u64
path_text(u64 slot, struct rt_mstate *ms, u64 path, u64 root)
{
	struct path_walk *w = RT_LOOP_VARS(struct path_walk, ms);

	w->failed = w->root_dentry = w->root_mnt = 0;
	w->pos = 2 * keep_max(ms);
	/*
	 * read its first member first: a bad address is then reported as the
	 * script's
	 */
	w->mnt = load(ms, w, path + RTC(ms, path_mnt));
	w->dentry = load(ms, w, path + RTC(ms, path_dentry));
	if (root != 0) {
		w->root_dentry = load(ms, w, root + RTC(ms, path_dentry));
		w->root_mnt = load(ms, w, root + RTC(ms, path_mnt));
	}
	if (w->failed)
		return rt_fault(ms, DIF_FLT_BADADDR, w->bad);
	if (has_made_up_name(ms, w))
		put_made_up(slot, ms, w);
	else if (!put_directories(slot, ms, w))
		return rt_fault(ms, DIF_FLT_ILLOP, path);
	if (w->failed)
		return rt_fault(ms, DIF_FLT_BADADDR, w->bad);
	return rt_slice(ms, area(ms) + w->pos, 2 * keep_max(ms) - w->pos);
}

/* The thread's struct fs_struct; 0 when it is exiting. */
RT_INLINE u64
current_fs(struct rt_mstate *ms)
{
	u64 fs = 0;

	rt_peek(ms, &fs, sizeof(fs), rt_task_struct(ms) + RTC(ms, task_fs));
	return fs;
}

RT_PUBLIC u64
rt_d_path(u64 slot, u64 path)
{
	struct rt_mstate *ms = rt_ms(slot);
	u64 fs;

	if (ms == NULL)
		return 0;
	fs = current_fs(ms);
	return path_text(slot, ms, path, fs != 0 ? fs + RTC(ms, fs_root) : 0);
}

/* The current directory as the process sees it: from its own root. */
RT_PUBLIC u64
rt_cwd(u64 slot)
{
	struct rt_mstate *ms = rt_ms(slot);
	u64 fs;

	if (ms == NULL || (fs = current_fs(ms)) == 0)
		return 0;
	return rt_d_path(slot, fs + RTC(ms, fs_pwd));
}

/* The process's root as others see it: "/" unless it was moved. */
RT_PUBLIC u64
rt_root(u64 slot)
{
	struct rt_mstate *ms = rt_ms(slot);
	u64 fs;

	if (ms == NULL || (fs = current_fs(ms)) == 0)
		return 0;
	return path_text(slot, ms, fs + RTC(ms, fs_root), 0);
}
