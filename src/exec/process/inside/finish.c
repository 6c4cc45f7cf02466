/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * System calls that a sample has cut short.  Part of the freestanding code, as
 * firing.c is.
 *
 * A thread that is stopped in the kernel leaves some calls early, with a
 * partial result.  The program has got no signal that explains it, so this code
 * does the rest of the call before the program goes on.  Another stop, or a
 * signal, may end the rest early, too; then the call returns a partial result,
 * as without dtrace.  (sendfile(), splice() and the like are documented to do
 * less than the caller asks for.)
 */
#include "exec/process/inside/fire.h"
#include "exec/runtime/rt_os.h"

/* Numbers: arch/x86/entry/syscalls/syscall_64.tbl of the kernel. */
enum {
	SYS_READ = 0,
	SYS_WRITE = 1,
	SYS_WRITEV = 20,
	SYS_SENDTO = 44,
	SYS_RECVFROM = 45,
	SYS_SENDMSG = 46,
	SYS_GETRANDOM = 318,
};

/* linux/socket.h; linux/net.h, asm-generic/socket.h */
#define MSG_PEEK 0x2
#define MSG_WAITALL 0x100
enum { SOCK_STREAM = 1, SOL_SOCKET = 1, SO_TYPE = 3 };

#define FRAME_NR 16 /* inproc_frame.flags: the call, or -1 */

/* asm/stat.h */
struct finish_kernel_stat {
	u64 dev, ino, nlink;
	u32 mode, uid, gid, pad;
	u64 rdev, rest[13];
};
#define MODE_TYPE 0170000
#define MODE_CHAR 0020000
#define MEM_MAJOR 1 /* /dev/zero, /dev/urandom: Documentation, devices.txt */

static int
is_memory_device(u64 fd)
{
	struct finish_kernel_stat st;

	return rt_syscall3(RT_SYS_FSTAT, (long)fd, (long)&st, 0) == 0 &&
	    (st.mode & MODE_TYPE) == MODE_CHAR &&
	    (st.rdev >> 8 & 0xfff) == MEM_MAJOR;
}

/* Only a stream has a rest to wait for: a datagram is followed by another one,
 * and a peek begins at the first byte again. */
static int
waits_for_all(u64 fd, u64 flags)
{
	u32 type = 0, size = sizeof(type);

	return (flags & (MSG_WAITALL | MSG_PEEK)) == MSG_WAITALL &&
	    rt_syscall6(RT_SYS_GETSOCKOPT, (long)fd, SOL_SOCKET, SO_TYPE,
		(long)&type, (long)&size, 0) == 0 &&
	    type == SOCK_STREAM;
}

/* Transfer the rest of a buffer, whose first `done` bytes are done.  Returns
 * the number of bytes done then. */
static u64
transfer(const u64 *r, long nr, u64 buf, u64 len, u64 done, u64 flags)
{
	while (done < len) {
		long n = rt_syscall6(nr, (long)r[RDI], (long)(buf + done),
		    (long)(len - done), (long)flags, (long)r[R8], (long)r[R9]);

		if (n <= 0)
			break;
		done += (u64)n;
	}
	return done;
}

struct vec {
	u64 base, len;
};

/* Transfer the rest of several buffers. */
static u64
transfer_vector(const u64 *r, long nr, u64 at, u64 count, u64 done, u64 flags)
{
	u64 before = 0; /* bytes of the buffers that are done */

	for (u64 i = 0; i < count; i++) {
		struct vec v;
		u64 part;

		if (rt_os_read(0, &v, sizeof(v), at + i * sizeof(v)) != 0)
			break;
		part = done - before;
		if (part < v.len) {
			part = transfer(r, nr, v.base, v.len, part, flags);
			done = before + part;
		}
		if (part < v.len)
			break;
		before += v.len;
	}
	return done;
}

struct msghdr {
	u64 name, namelen, iov, iovlen;
	u64 control, controllen, flags;
};

/* Finish sendmsg() on a stream: the address and the control data have gone with
 * the first byte. */
static u64
finish_message(u64 *r, u64 done)
{
	static const u64 nowhere[2]; /* address and its length */
	struct msghdr m;
	u64 regs[16];

	if (rt_os_read(0, &m, sizeof(m), r[RSI]) != 0)
		return done;
	regs[RDI] = r[RDI];
	regs[R8] = nowhere[0];
	regs[R9] = nowhere[1];
	return transfer_vector(regs, SYS_SENDTO, m.iov, m.iovlen, done, r[RDX]);
}

/* Do the rest of a call.  Returns its result. */
static u64
finish(u64 *r, u64 nr, u64 done)
{
	switch (nr) {
	case SYS_READ:
		if (!is_memory_device(r[RDI]))
			return done;
		return transfer(r, SYS_READ, r[RSI], r[RDX], done, 0);
	case SYS_WRITE:
		return transfer(r, SYS_WRITE, r[RSI], r[RDX], done, 0);
	case SYS_WRITEV:
		return transfer_vector(r, SYS_WRITE, r[RSI], r[RDX], done, 0);
	case SYS_SENDTO:
		return transfer(r, SYS_SENDTO, r[RSI], r[RDX], done, r[R10]);
	case SYS_RECVFROM:
		if (!waits_for_all(r[RDI], r[R10]))
			return done;
		return transfer(r, SYS_RECVFROM, r[RSI], r[RDX], done, r[R10]);
	case SYS_SENDMSG:
		return finish_message(r, done);
	default:
		return done;
	}
}

static u64
finish_random(u64 *r, u64 done)
{
	while (done < r[RSI]) {
		long n = rt_syscall3(SYS_GETRANDOM, (long)(r[RDI] + done),
		    (long)(r[RSI] - done), (long)r[RDX]);

		if (n <= 0)
			break;
		done += (u64)n;
	}
	return done;
}

u64
pr_finish(u64 *frame)
{
	u64 nr = frame[FRAME_NR], done = frame[RAX];

	if (nr == (u64)-1 || done == 0 || done > INT64_MAX)
		return 0;
	frame[RAX] = nr == SYS_GETRANDOM ? finish_random(frame, done) :
					   finish(frame, nr, done);
	return 0;
}
