/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
#ifndef EXEC_RUNTIME_BUF_H
#define EXEC_RUNTIME_BUF_H

/*
 * Principal buffers as they lie in memory, for those who write records (in the
 * kernel, in processes) and the library, which reads them (drain.h).
 */
typedef unsigned long long exec_u64;
typedef unsigned int exec_u32;

#define EXEC_STATE_OFF 0 /* nothing fires but BEGIN */
#define EXEC_STATE_ACTIVE 1
#define EXEC_STATE_DRAINING 2 /* exit() ran: nothing fires but END */

/*
 * The most that a thread which has loaded code waits for dtrace to look at it.
 */
#define EXEC_LOAD_BARRIER_NS 500000000ULL

/*
 * One writer's buffer: a CPU's, or a thread's.
 *
 *	head ->  reserved by writers (positions only grow)
 *	tail ->  released by the reader
 *	data[pos & (size - 1)] ...  a record is contiguous: the array has room
 *				    for one record more behind `size`
 *
 * A writer reserves by moving head, fills, and writes the EPID last; the
 * reader sees 0 there until then and waits, since it leaves zeroes behind.
 *
 * A record may be followed by a word.  Its low half is the size of both
 * together, so that with bufpolicy=ring, where nobody releases, the reader
 *finds the records backwards from head.  Its high half is the CPU that wrote
 *the record, where buffers are not those of CPUs.  The word stands at its own
 * position in the ring, also where the record before it went on behind the end.
 */
#define EXEC_BUF_WORD 8
struct exec_buf {
	exec_u64 head;
	exec_u64 pad0[7];
	exec_u64 tail;
	exec_u64 pad1[7];
	unsigned char data[];
};

/* The largest number of sizes of buffers in a session. */
#define EXEC_BUFS_PARTS 6

/* Records that are not a clause's: the EPID field says which. */
#define EXEC_EPID_ERROR 0xffffffffU
struct exec_errrec {
	exec_u32 mark; /* EXEC_EPID_ERROR */
	exec_u32 time_hi, time_lo;
	exec_u32 epid;
	exec_u32 action;
	exec_u32 fault;
	exec_u32 offset; /* bytes in the DIF text, or -1 */
	exec_u32 pad;
	exec_u64 value;
};

#endif
