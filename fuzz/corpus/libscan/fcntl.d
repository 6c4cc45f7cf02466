/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Flags of open(2), openat(2) and fcntl(2) of Linux on x86-64.
 */
inline int O_ACCMODE = 0x3;
inline int O_RDONLY = 0x0;
inline int O_WRONLY = 0x1;
inline int O_RDWR = 0x2;
inline int O_CREAT = 0x40;
inline int O_EXCL = 0x80;
inline int O_NOCTTY = 0x100;
inline int O_TRUNC = 0x200;
inline int O_APPEND = 0x400;
inline int O_NONBLOCK = 0x800;
inline int O_NDELAY = 0x800;
inline int O_DSYNC = 0x1000;
inline int O_ASYNC = 0x2000;
inline int O_DIRECT = 0x4000;
inline int O_LARGEFILE = 0x8000;
inline int O_DIRECTORY = 0x10000;
inline int O_NOFOLLOW = 0x20000;
inline int O_NOATIME = 0x40000;
inline int O_CLOEXEC = 0x80000;
inline int O_SYNC = 0x101000;
inline int O_RSYNC = 0x101000;
inline int O_PATH = 0x200000;
inline int O_TMPFILE = 0x410000;

inline int AT_FDCWD = -100;
inline int AT_SYMLINK_NOFOLLOW = 0x100;
inline int AT_REMOVEDIR = 0x200;
inline int AT_SYMLINK_FOLLOW = 0x400;
inline int AT_EMPTY_PATH = 0x1000;

inline int F_DUPFD = 0;
inline int F_GETFD = 1;
inline int F_SETFD = 2;
inline int F_GETFL = 3;
inline int F_SETFL = 4;
inline int F_GETLK = 5;
inline int F_SETLK = 6;
inline int F_SETLKW = 7;
inline int F_SETOWN = 8;
inline int F_GETOWN = 9;
inline int F_DUPFD_CLOEXEC = 1030;
inline int FD_CLOEXEC = 1;
