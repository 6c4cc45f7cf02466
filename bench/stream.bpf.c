// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * syscall::getppid:entry { printf("%d %s\n", pid, execname); }
 *
 * One ring per CPU, so that producers share no lock.  Events wake nobody up:
 * the loader polls the rings a hundred times a second.
 */
#include "hand.h"

char gpl[] SEC("license") = "Dual BSD/GPL";

struct ring {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, HAND_RING_SIZE);
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, HAND_MAX_CPUS);
	__type(key, __u32);
	__array(values, struct ring);
} rings SEC(".maps");

HAND_WORDS(PERCPU_ARRAY, 1, __u32) drops SEC(".maps");

SEC("tp_btf/sys_enter")
int
BPF_PROG(enter, struct pt_regs *regs, long nr)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct hand_rec *rec = 0;
	void *ring;

	if (nr != HAND_NR_GETPPID)
		return 0;
	ring = bpf_map_lookup_elem(&rings, &cpu);
	if (ring)
		rec = bpf_ringbuf_reserve(ring, sizeof(*rec), 0);
	if (!rec) {
		hand_count(&drops);
		return 0;
	}
	rec->pid = bpf_get_current_pid_tgid() >> 32;
	rec->name = hand_current_name();
	bpf_ringbuf_submit(rec, BPF_RB_NO_WAKEUP);
	return 0;
}
