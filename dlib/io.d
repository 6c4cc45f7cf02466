/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Open files: fds[fd] of the current process, from Linux's struct file.  A
 * number that is no open file gives "<none>" and 0.
 */
typedef struct fileinfo {
	string fi_name;		/* the last component of fi_pathname */
	string fi_dirname;	/* the other components */
	string fi_pathname;	/* as d_path() returns it */
	offset_t fi_offset;
	string fi_fs;		/* kind of the file system */
	string fi_mount;	/* where the file system is mounted */
	int fi_oflags;		/* flags of open(2) */
} fileinfo_t;

/*
 * Where the root of a path's mount is mounted.  Pipes and sockets are mounted
 * nowhere: the namespace is MNT_NS_INTERNAL, -EINVAL, and after an unmount
 * NULL.
 */
inline struct mnt_namespace *_mount_ns[struct vfsmount *V] =
    ((struct mount *)((uintptr_t)V - offsetof(struct mount, mnt)))->mnt_ns;
inline string _mount_path[struct vfsmount *V] =
    _mount_ns[V] == NULL || (int64_t)_mount_ns[V] == -22 ? "<none>" :
    d_path((struct path *)memref(V, (size_t)V->mnt_root));

translator fileinfo_t < struct file *F > {
	fi_name = F == NULL ? "<none>" : basename(d_path(&F->f_path));
	fi_dirname = F == NULL ? "<none>" : dirname(d_path(&F->f_path));
	fi_pathname = F == NULL ? "<none>" : d_path(&F->f_path);
	fi_offset = F == NULL ? 0 : F->f_pos;
	fi_fs = F == NULL ? "<none>" :
	    stringof(F->f_inode->i_sb->s_type->name);
	fi_mount = F == NULL ? "<none>" :
	    _mount_path[F->f_path.mnt];
	fi_oflags = F == NULL ? 0 : F->f_flags;
};

inline fileinfo_t fds[int fd] = xlate <fileinfo_t> (getf(fd));
