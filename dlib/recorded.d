/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The process and the thread of a recorded firing, as far as the recording
 * knows them: in place of curproc.d, when recordings are asked (dtrace -r).
 *
 * It has translators of procfs.d's types.  So a text that names such a type
 * loads it, too, as procfs.d itself does: it must wait until that is compiled.
 */
#pragma D depends_on library procfs.d

typedef struct recorded_thread {
	int none;
} recorded_thread_t;

translator psinfo_t < recorded_thread_t *T > {
	pr_pid = pid;
	pr_ppid = ppid;
	pr_uid = uid;
	pr_gid = gid;
	pr_psargs = execargs;
};

translator lwpsinfo_t < recorded_thread_t *T > {
	pr_lwpid = tid;
	pr_name = execname;
	pr_onpro = cpu;
};

inline psinfo_t *curpsinfo = xlate <psinfo_t *> ((recorded_thread_t *)NULL);
inline lwpsinfo_t *curlwpsinfo = xlate <lwpsinfo_t *> ((recorded_thread_t *)NULL);
