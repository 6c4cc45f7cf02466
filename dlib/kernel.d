/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Types of the kernel's variables that are not in its BTF (which has those of
 * functions and of per-CPU variables), for `jiffies and others.  The kernel's
 * headers declare them so, from 6.1 to 6.18.
 */
extern unsigned long jiffies;		/* linux/jiffies.h */
extern uint64_t jiffies_64;
extern unsigned long loops_per_jiffy;	/* linux/delay.h */
extern unsigned long avenrun[3];	/* linux/sched/loadavg.h */
extern unsigned long total_forks;	/* linux/sched/stat.h */
extern int nr_threads;
extern unsigned int nr_cpu_ids;		/* linux/cpumask.h */
extern unsigned long max_pfn;		/* linux/memblock.h */
extern unsigned long min_low_pfn;
extern unsigned int cpu_khz;		/* asm/tsc.h */
extern unsigned int tsc_khz;
extern int panic_timeout;		/* linux/panic.h */
extern int oops_in_progress;		/* linux/printk.h */
extern char *saved_command_line;	/* linux/init.h */
