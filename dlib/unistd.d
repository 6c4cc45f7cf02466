/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Constants of unistd.h, sys/stat.h and sys/mman.h of Linux on x86-64, and the
 * faults of a D program: arg4 of dtrace:::ERROR.
 */
inline int DTRACEFLT_UNKNOWN = 0;
inline int DTRACEFLT_BADADDR = 1;	/* arg5 is the address */
inline int DTRACEFLT_BADALIGN = 2;
inline int DTRACEFLT_ILLOP = 3;
inline int DTRACEFLT_DIVZERO = 4;
inline int DTRACEFLT_NOSCRATCH = 5;
inline int DTRACEFLT_KPRIV = 6;		/* the kernel's memory may not be read */
inline int DTRACEFLT_UPRIV = 7;		/* process memory may not be read */
inline int DTRACEFLT_TUPOFLOW = 8;
inline int DTRACEFLT_BADSTACK = 9;

inline int SEEK_SET = 0;
inline int SEEK_CUR = 1;
inline int SEEK_END = 2;
inline int SEEK_DATA = 3;
inline int SEEK_HOLE = 4;

inline int F_OK = 0;
inline int X_OK = 1;
inline int W_OK = 2;
inline int R_OK = 4;

inline int S_IFMT = 0xf000;
inline int S_IFSOCK = 0xc000;
inline int S_IFLNK = 0xa000;
inline int S_IFREG = 0x8000;
inline int S_IFBLK = 0x6000;
inline int S_IFDIR = 0x4000;
inline int S_IFCHR = 0x2000;
inline int S_IFIFO = 0x1000;
inline int S_ISUID = 0x800;
inline int S_ISGID = 0x400;
inline int S_ISVTX = 0x200;
inline int S_IRWXU = 0x1c0;
inline int S_IRUSR = 0x100;
inline int S_IWUSR = 0x80;
inline int S_IXUSR = 0x40;
inline int S_IRWXG = 0x38;
inline int S_IRGRP = 0x20;
inline int S_IWGRP = 0x10;
inline int S_IXGRP = 0x8;
inline int S_IRWXO = 0x7;
inline int S_IROTH = 0x4;
inline int S_IWOTH = 0x2;
inline int S_IXOTH = 0x1;

inline int PROT_NONE = 0x0;
inline int PROT_READ = 0x1;
inline int PROT_WRITE = 0x2;
inline int PROT_EXEC = 0x4;
inline int MAP_SHARED = 0x1;
inline int MAP_PRIVATE = 0x2;
inline int MAP_FIXED = 0x10;
inline int MAP_ANONYMOUS = 0x20;
inline int MAP_GROWSDOWN = 0x100;
inline int MAP_LOCKED = 0x2000;
inline int MAP_NORESERVE = 0x4000;
inline int MAP_POPULATE = 0x8000;
inline int MAP_STACK = 0x20000;
inline int MAP_HUGETLB = 0x40000;

inline int WNOHANG = 1;
inline int WUNTRACED = 2;
inline int WCONTINUED = 8;
