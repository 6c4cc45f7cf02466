/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The vfs provider: operations of programs on files, by path and name.
 *
 * Linux has no events for operations on files alone, so these are successful
 * system calls, as they return: by then the kernel has read the name, or the
 * open file exists.  Operations without a system call (io_uring, a loop device,
 * nfsd, pages read by a mapping) are not seen.
 *
 * args[0] is the file.  An open file has the path that d_path() returns.  A
 * name is shown as the program gave it, behind its directory if it is relative.
 */

/*
 * A name comes with the directory that it is relative to.  An open file has no
 * name; its own f_path takes the place of the directory.
 */
struct vfs_name {
	char text[1];
};
struct vfs_name2 {
	char text[1];
};

/* The type has its own name, as users of fileinfo_t do not need this
 * library. */
typedef fileinfo_t vfs_fileinfo_t;

/* The call's arguments at its return: the registers are still those of the
 * entry.  TS_COMPAT (arch/x86/include/asm/thread_info.h) marks a 32-bit
 * call. */
inline int vfs_is_32 = (curthread->thread_info.status & 2) != 0;
inline uintptr_t vfs_arg0 = vfs_is_32 ? (uint32_t)uregs[R_RBX] : uregs[R_RDI];
inline uintptr_t vfs_arg1 = vfs_is_32 ? (uint32_t)uregs[R_RCX] : uregs[R_RSI];
inline uintptr_t vfs_arg2 = vfs_is_32 ? (uint32_t)uregs[R_RDX] : uregs[R_RDX];
inline uintptr_t vfs_arg3 = vfs_is_32 ? (uint32_t)uregs[R_RSI] : uregs[R_R10];
inline uintptr_t vfs_arg4 = vfs_is_32 ? (uint32_t)uregs[R_RDI] : uregs[R_R8];

/* include/uapi/linux/fcntl.h: AT_FDCWD, AT_REMOVEDIR; include/linux/fs.h:
 * FMODE_CREATED; include/uapi/asm-generic/mman-common.h: MAP_ANONYMOUS */
inline int vfs_fdcwd = -100;
inline int vfs_removedir = 0x200;
inline int vfs_created = 0x100000;
inline int vfs_anonymous = 0x20;

inline struct path *vfs_fd[int fd] = getf(fd) == NULL ? NULL :
    &getf(fd)->f_path;
inline struct path *vfs_dir[int fd] = fd == vfs_fdcwd ?
    &curthread->fs->pwd : vfs_fd[fd];

inline string vfs_below[struct path *dir] =
    dir->dentry == dir->mnt->mnt_root && dir->mnt->mnt_root ==
    curthread->fs->root.dentry ? "/" : strjoin(d_path(dir), "/");
inline string vfs_path[uintptr_t name, struct path *dir] =
    name == 0 ? d_path(dir) :
    copyinstr(name, 1) == "" ? d_path(dir) :
    copyinstr(name, 1) == "/" ? copyinstr(name) :
    strjoin(vfs_below[dir], copyinstr(name));
inline struct file *vfs_file[struct path *p] = (struct file *)
    ((uintptr_t)p - offsetof(struct file, f_path));
/* The file system of a name, if the name is below its directory. */
inline string vfs_fs[uintptr_t name, struct path *dir] =
    name != 0 && copyinstr(name, 1) == "/" ? "<unknown>" :
    stringof(dir->dentry->d_sb->s_type->name);
inline string vfs_mount[uintptr_t name, struct path *dir] =
    name != 0 && copyinstr(name, 1) == "/" ? "<unknown>" :
    _mount_path[dir->mnt];

translator vfs_fileinfo_t < struct vfs_name *N > {
	fi_name = basename(vfs_path[(uintptr_t)N, (struct path *)arg1]);
	fi_dirname = dirname(vfs_path[(uintptr_t)N, (struct path *)arg1]);
	fi_pathname = vfs_path[(uintptr_t)N, (struct path *)arg1];
	fi_offset = N != NULL ? 0 : vfs_file[(struct path *)arg1]->f_pos;
	fi_fs = vfs_fs[(uintptr_t)N, (struct path *)arg1];
	fi_mount = vfs_mount[(uintptr_t)N, (struct path *)arg1];
	fi_oflags = N != NULL ? 0 : vfs_file[(struct path *)arg1]->f_flags;
};

/* For rename and link: the new name. */
translator vfs_fileinfo_t < struct vfs_name2 *N > {
	fi_name = basename(vfs_path[(uintptr_t)N, (struct path *)arg3]);
	fi_dirname = dirname(vfs_path[(uintptr_t)N, (struct path *)arg3]);
	fi_pathname = vfs_path[(uintptr_t)N, (struct path *)arg3];
	fi_offset = 0;
	fi_fs = vfs_fs[(uintptr_t)N, (struct path *)arg3];
	fi_mount = vfs_mount[(uintptr_t)N, (struct path *)arg3];
	fi_oflags = 0;
};

provider vfs {
	probe open(struct vfs_name *N, struct path *dir) :
	    (fileinfo_t *N);
	probe create(struct vfs_name *N, struct path *dir) :
	    (fileinfo_t *N);
	probe close(struct vfs_name *N, struct path *dir) :
	    (fileinfo_t *N);
	probe read(struct vfs_name *N, struct path *dir, ssize_t bytes) :
	    (fileinfo_t *N, ssize_t bytes);
	probe write(struct vfs_name *N, struct path *dir, ssize_t bytes) :
	    (fileinfo_t *N, ssize_t bytes);
	probe readdir(struct vfs_name *N, struct path *dir, ssize_t bytes) :
	    (fileinfo_t *N, ssize_t bytes);
	probe fsync(struct vfs_name *N, struct path *dir) :
	    (fileinfo_t *N);
	probe seek(struct vfs_name *N, struct path *dir, offset_t offset) :
	    (fileinfo_t *N, offset_t offset);
	probe lock(struct vfs_name *N, struct path *dir, int how) :
	    (fileinfo_t *N, int how);
	probe ioctl(struct vfs_name *N, struct path *dir, unsigned int request) :
	    (fileinfo_t *N, unsigned int request);
	probe mmap(struct vfs_name *N, struct path *dir, size_t length) :
	    (fileinfo_t *N, size_t length);
	probe truncate(struct vfs_name *N, struct path *dir, offset_t length) :
	    (fileinfo_t *N, offset_t length);
	probe allocate(struct vfs_name *N, struct path *dir, offset_t length) :
	    (fileinfo_t *N, offset_t length);
	probe getattr(struct vfs_name *N, struct path *dir) :
	    (fileinfo_t *N);
	probe setattr(struct vfs_name *N, struct path *dir) :
	    (fileinfo_t *N);
	probe access(struct vfs_name *N, struct path *dir, int mode) :
	    (fileinfo_t *N, int mode);
	probe readlink(struct vfs_name *N, struct path *dir, ssize_t bytes) :
	    (fileinfo_t *N, ssize_t bytes);
	probe unlink(struct vfs_name *N, struct path *dir) :
	    (fileinfo_t *N);
	probe mkdir(struct vfs_name *N, struct path *dir, mode_t mode) :
	    (fileinfo_t *N, mode_t mode);
	probe rmdir(struct vfs_name *N, struct path *dir) :
	    (fileinfo_t *N);
	probe mknod(struct vfs_name *N, struct path *dir, mode_t mode) :
	    (fileinfo_t *N, mode_t mode);
	probe symlink(struct vfs_name *N, struct path *dir,
	    userland char *target) : (fileinfo_t *N, userland char *target);
	probe rename(struct vfs_name *N, struct path *dir,
	    struct vfs_name2 *to, struct path *todir) :
	    (fileinfo_t *N, fileinfo_t *to);
	probe link(struct vfs_name *N, struct path *dir,
	    struct vfs_name2 *to, struct path *todir) :
	    (fileinfo_t *N, fileinfo_t *to);
	probe namecache__hit();
	probe namecache__miss();
};

#pragma D attributes Evolving/Evolving/Common provider vfs provider
#pragma D attributes Evolving/Evolving/Common provider vfs name
#pragma D attributes Evolving/Evolving/Common provider vfs args

/* ---- open files ---------------------------------------------------------- */

syscall::open:return, syscall::openat:return, syscall::openat2:return,
syscall::creat:return, syscall::open_by_handle_at:return
/errno == 0/
{
	fire("vfs:::open", NULL, vfs_fd[(int)arg1]);
}

syscall::open:return, syscall::openat:return, syscall::openat2:return,
syscall::creat:return
/errno == 0 && (getf((int)arg1)->f_mode & vfs_created) != 0/
{
	fire("vfs:::create", NULL, vfs_fd[(int)arg1]);
}

/* At the return, the file is gone. */
syscall::close:entry
/getf((int)arg0) != NULL/
{
	fire("vfs:::close", NULL, vfs_fd[(int)arg0]);
}

syscall::read:return, syscall::pread64:return, syscall::readv:return,
syscall::preadv:return, syscall::preadv2:return
/errno == 0/
{
	fire("vfs:::read", NULL, vfs_fd[(int)vfs_arg0], arg1);
}

syscall::write:return, syscall::pwrite64:return, syscall::writev:return,
syscall::pwritev:return, syscall::pwritev2:return
/errno == 0/
{
	fire("vfs:::write", NULL, vfs_fd[(int)vfs_arg0], arg1);
}

/* sendfile() reads one file and writes another. */
syscall::sendfile:return
/errno == 0/
{
	fire("vfs:::read", NULL, vfs_fd[(int)vfs_arg1], arg1);
}

syscall::sendfile:return
/errno == 0/
{
	fire("vfs:::write", NULL, vfs_fd[(int)vfs_arg0], arg1);
}

syscall::copy_file_range:return, syscall::splice:return
/errno == 0/
{
	fire("vfs:::read", NULL, vfs_fd[(int)vfs_arg0], arg1);
}

syscall::copy_file_range:return, syscall::splice:return
/errno == 0/
{
	fire("vfs:::write", NULL, vfs_fd[(int)vfs_arg2], arg1);
}

syscall::getdents:return, syscall::getdents64:return
/errno == 0/
{
	fire("vfs:::readdir", NULL, vfs_fd[(int)vfs_arg0], arg1);
}

syscall::fsync:return, syscall::fdatasync:return
/errno == 0/
{
	fire("vfs:::fsync", NULL, vfs_fd[(int)vfs_arg0]);
}

syscall::lseek:return
/errno == 0/
{
	fire("vfs:::seek", NULL, vfs_fd[(int)vfs_arg0], arg1);
}

/* LOCK_SH 1, LOCK_EX 2, LOCK_UN 8 of flock(2). */
syscall::flock:return
/errno == 0/
{
	fire("vfs:::lock", NULL, vfs_fd[(int)vfs_arg0], vfs_arg1);
}

syscall::ioctl:return
/errno == 0/
{
	fire("vfs:::ioctl", NULL, vfs_fd[(int)vfs_arg0], vfs_arg1);
}

syscall::mmap:return
/errno == 0 && (vfs_arg3 & vfs_anonymous) == 0/
{
	fire("vfs:::mmap", NULL, vfs_fd[(int)vfs_arg4], vfs_arg1);
}

syscall::ftruncate:return
/errno == 0/
{
	fire("vfs:::truncate", NULL, vfs_fd[(int)vfs_arg0], vfs_arg1);
}

syscall::truncate:return
/errno == 0/
{
	fire("vfs:::truncate", vfs_arg0, vfs_dir[vfs_fdcwd], vfs_arg1);
}

syscall::fallocate:return
/errno == 0/
{
	fire("vfs:::allocate", NULL, vfs_fd[(int)vfs_arg0], vfs_arg3);
}

/* ---- attributes ---------------------------------------------------------- */

syscall::fstat:return
/errno == 0/
{
	fire("vfs:::getattr", NULL, vfs_fd[(int)vfs_arg0]);
}

syscall::stat:return, syscall::lstat:return
/errno == 0/
{
	fire("vfs:::getattr", vfs_arg0, vfs_dir[vfs_fdcwd]);
}

syscall::newfstatat:return, syscall::statx:return
/errno == 0/
{
	fire("vfs:::getattr", vfs_arg1, vfs_dir[(int)vfs_arg0]);
}

syscall::fchmod:return, syscall::fchown:return
/errno == 0/
{
	fire("vfs:::setattr", NULL, vfs_fd[(int)vfs_arg0]);
}

syscall::chmod:return, syscall::chown:return, syscall::lchown:return,
syscall::utime:return, syscall::utimes:return
/errno == 0/
{
	fire("vfs:::setattr", vfs_arg0, vfs_dir[vfs_fdcwd]);
}

syscall::fchmodat:return, syscall::fchmodat2:return, syscall::fchownat:return,
syscall::utimensat:return, syscall::futimesat:return
/errno == 0/
{
	fire("vfs:::setattr", vfs_arg1, vfs_dir[(int)vfs_arg0]);
}

syscall::access:return
/errno == 0/
{
	fire("vfs:::access", vfs_arg0, vfs_dir[vfs_fdcwd], vfs_arg1);
}

syscall::faccessat:return, syscall::faccessat2:return
/errno == 0/
{
	fire("vfs:::access", vfs_arg1, vfs_dir[(int)vfs_arg0], vfs_arg2);
}

/* ---- names --------------------------------------------------------------- */

syscall::readlink:return
/errno == 0/
{
	fire("vfs:::readlink", vfs_arg0, vfs_dir[vfs_fdcwd], arg1);
}

syscall::readlinkat:return
/errno == 0/
{
	fire("vfs:::readlink", vfs_arg1, vfs_dir[(int)vfs_arg0], arg1);
}

syscall::unlink:return
/errno == 0/
{
	fire("vfs:::unlink", vfs_arg0, vfs_dir[vfs_fdcwd]);
}

syscall::unlinkat:return
/errno == 0 && (vfs_arg2 & vfs_removedir) == 0/
{
	fire("vfs:::unlink", vfs_arg1, vfs_dir[(int)vfs_arg0]);
}

syscall::rmdir:return
/errno == 0/
{
	fire("vfs:::rmdir", vfs_arg0, vfs_dir[vfs_fdcwd]);
}

syscall::unlinkat:return
/errno == 0 && (vfs_arg2 & vfs_removedir) != 0/
{
	fire("vfs:::rmdir", vfs_arg1, vfs_dir[(int)vfs_arg0]);
}

syscall::mkdir:return
/errno == 0/
{
	fire("vfs:::mkdir", vfs_arg0, vfs_dir[vfs_fdcwd], vfs_arg1);
}

syscall::mkdirat:return
/errno == 0/
{
	fire("vfs:::mkdir", vfs_arg1, vfs_dir[(int)vfs_arg0], vfs_arg2);
}

syscall::mknod:return
/errno == 0/
{
	fire("vfs:::mknod", vfs_arg0, vfs_dir[vfs_fdcwd], vfs_arg1);
}

syscall::mknodat:return
/errno == 0/
{
	fire("vfs:::mknod", vfs_arg1, vfs_dir[(int)vfs_arg0], vfs_arg2);
}

syscall::symlink:return
/errno == 0/
{
	fire("vfs:::symlink", vfs_arg1, vfs_dir[vfs_fdcwd], vfs_arg0);
}

syscall::symlinkat:return
/errno == 0/
{
	fire("vfs:::symlink", vfs_arg2, vfs_dir[(int)vfs_arg1], vfs_arg0);
}

syscall::rename:return
/errno == 0/
{
	fire("vfs:::rename", vfs_arg0, vfs_dir[vfs_fdcwd], vfs_arg1,
	    vfs_dir[vfs_fdcwd]);
}

syscall::renameat:return, syscall::renameat2:return
/errno == 0/
{
	fire("vfs:::rename", vfs_arg1, vfs_dir[(int)vfs_arg0], vfs_arg3,
	    vfs_dir[(int)vfs_arg2]);
}

syscall::link:return
/errno == 0/
{
	fire("vfs:::link", vfs_arg0, vfs_dir[vfs_fdcwd], vfs_arg1,
	    vfs_dir[vfs_fdcwd]);
}

syscall::linkat:return
/errno == 0/
{
	fire("vfs:::link", vfs_arg1, vfs_dir[(int)vfs_arg0], vfs_arg3,
	    vfs_dir[(int)vfs_arg2]);
}
