/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Open files: fds[fd] of the current process, from Linux's struct file.  A
 * number that is no open file gives "<none>" and 0.
 */
typedef struct fileinfo {
	string fi_name;		/* the last component of fi_pathname */
	string fi_dirname;	/* the rest of it */
	string fi_pathname;	/* as d_path() has it */
	offset_t fi_offset;
	string fi_fs;		/* kind of the file system */
	string fi_mount;	/* where that is mounted */
	int fi_oflags;		/* flags of open(2) */
} fileinfo_t;

/*
 * The place of a mount is a path on its parent.  Pipes and sockets are in none:
 * their mount's namespace is MNT_NS_INTERNAL, -EINVAL, and that of one that was
 * unmounted NULL.
 */
inline struct mount *_path_mount[struct path *P] =
    (struct mount *)((uintptr_t)P->mnt - offsetof(struct mount, mnt));
inline string _mount_path[struct mount *M] =
    M->mnt_ns == NULL || (int64_t)M->mnt_ns == -22 ? "<none>" :
    d_path((struct path *)memref(&M->mnt_parent->mnt,
    (size_t)M->mnt_mountpoint));

translator fileinfo_t < struct file *F > {
	fi_name = F == NULL ? "<none>" : basename(d_path(&F->f_path));
	fi_dirname = F == NULL ? "<none>" : dirname(d_path(&F->f_path));
	fi_pathname = F == NULL ? "<none>" : d_path(&F->f_path);
	fi_offset = F == NULL ? 0 : F->f_pos;
	fi_fs = F == NULL ? "<none>" :
	    stringof(F->f_inode->i_sb->s_type->name);
	fi_mount = F == NULL ? "<none>" :
	    _mount_path[_path_mount[&F->f_path]];
	fi_oflags = F == NULL ? 0 : F->f_flags;
};

inline fileinfo_t fds[int fd] = xlate <fileinfo_t> (getf(fd));
