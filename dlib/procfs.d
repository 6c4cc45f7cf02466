/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes and threads as proc(5) of Solaris describes them, from Linux's
 * struct task_struct: for curpsinfo, curlwpsinfo (curproc.d) and the arguments
 * of providers.
 *
 * Members that Linux does not keep are declared and have no translation.
 */
inline char PR_MODEL_UNKNOWN = 0;
inline char PR_MODEL_ILP32 = 1;
inline char PR_MODEL_LP64 = 2;

typedef struct psinfo {
	int pr_nlwp;		/* threads */
	pid_t pr_pid;
	pid_t pr_ppid;
	pid_t pr_pgid;
	pid_t pr_sid;
	uid_t pr_uid;		/* real */
	uid_t pr_euid;
	gid_t pr_gid;
	gid_t pr_egid;
	uintptr_t pr_addr;	/* the struct task_struct */
	dev_t pr_ttydev;	/* 0: none */
	uint64_t pr_start;	/* ns since 1970 */
	char pr_fname[16];
	string pr_psargs;	/* arguments; of others only the name */
	int pr_wstat;
	int pr_argc;		/* -1 if the process is not the current one */
	uintptr_t pr_argv;	/* the array's address; 0: another process */
	uintptr_t pr_envp;	/* the same */
	char pr_dmodel;		/* PR_MODEL_* */
	int pr_taskid;		/* 0: Linux has no projects and tasks */
	int pr_projid;		/* 0 */
	int pr_poolid;
	zoneid_t pr_zoneid;
	int pr_contract;
} psinfo_t;

#pragma D unavailable psinfo_t pr_poolid Linux has no resource pools
#pragma D unavailable psinfo_t pr_contract Linux has no process contracts

inline char _ps_dmodel[struct task_struct *T] =
    T->mm != NULL && T->mm->task_size >> 32 == 0 ?
    PR_MODEL_ILP32 : PR_MODEL_LP64;

/*
 * The kernel begins a program's stack with the number of arguments, the array
 * of their addresses up to NULL, and that of the environment.
 */
inline uintptr_t _ps_word[struct task_struct *T] =
    _ps_dmodel[T] == PR_MODEL_ILP32 ? 4 : 8;
inline int _ps_is_mapped[struct task_struct *T] =
    T->mm != NULL && T->mm == curthread->mm;
inline int _ps_argc[struct task_struct *T] =
    _ps_is_mapped[T] ? *(int *)copyin(T->mm->start_stack, 4) : -1;

translator psinfo_t < struct task_struct *T > {
	pr_nlwp = T->signal->nr_threads;
	pr_pid = T == curthread ? pid : T->tgid;
	pr_ppid = T == curthread ? ppid : T->group_leader->real_parent->tgid;
	pr_pgid = T->signal->pids[PIDTYPE_PGID]->numbers[0].nr;
	pr_sid = T->signal->pids[PIDTYPE_SID]->numbers[0].nr;
	pr_uid = T->real_cred->uid.val;
	pr_euid = T->real_cred->euid.val;
	pr_gid = T->real_cred->gid.val;
	pr_egid = T->real_cred->egid.val;
	pr_addr = (uintptr_t)T;
	pr_ttydev = T->signal->tty == NULL ? 0 :
	    (T->signal->tty->driver->major << 20) +
	    T->signal->tty->driver->minor_start + T->signal->tty->index;
	pr_start = T->group_leader->start_time - timestamp + walltimestamp;
	pr_fname = T->group_leader->comm;
	pr_psargs = _ps_is_mapped[T] ? execargs :
	    stringof(T->group_leader->comm);
	pr_wstat = T->exit_code;
	pr_argc = _ps_argc[T];
	pr_argv = T->mm == NULL ? 0 : T->mm->start_stack + _ps_word[T];
	pr_envp = !_ps_is_mapped[T] ? 0 :
	    T->mm->start_stack + (_ps_argc[T] + 2) * _ps_word[T];
	pr_dmodel = _ps_dmodel[T];
	pr_taskid = 0;
	pr_projid = 0;
	pr_zoneid = 0;
};

/* States of a thread: pr_state, and as a letter pr_sname. */
inline int SSLEEP = 1;		/* S */
inline int SRUN = 2;		/* R: waits for a CPU */
inline int SZOMB = 3;		/* Z */
inline int SSTOP = 4;		/* T: stopped or traced */
inline int SONPROC = 6;		/* O: on a CPU */
/* Of other systems; no thread has them here. */
inline int SIDL = 5;
inline int SWAIT = 7;

/* The flags of a thread: pr_flag. */
inline int PR_STOPPED = 0x1;
inline int PR_ISTOP = 0x2;	/* by a signal or a debugger */
inline int PR_ASLEEP = 0x10;	/* in a system call that a signal ends */
inline int PR_ISSYS = 0x1000;	/* a kernel thread */
inline int PR_PTRACE = 0x4000000;	/* traced by a debugger */
inline int PR_IDLE = 0x10000000;	/* the idle thread of a CPU */

typedef struct lwpsinfo {
	int pr_flag;		/* PR_STOPPED, ... */
	id_t pr_lwpid;
	uintptr_t pr_addr;	/* the struct task_struct */
	uintptr_t pr_wchan;
	char pr_stype;
	char pr_state;
	char pr_sname;
	short pr_syscall;
	int pr_pri;		/* as the kernel counts: 0 is the highest */
	string pr_clname;	/* scheduling class, as ps -o cls names it */
	string pr_name;
	processorid_t pr_onpro;	/* the CPU, now or last */
	processorid_t pr_bindpro;	/* -1: bound to none */
	psetid_t pr_bindpset;	/* -1 */
} lwpsinfo_t;

#pragma D unavailable lwpsinfo_t pr_wchan Linux keeps no wait channel; stack() in sched:::off-cpu shows what a thread waits in
#pragma D unavailable lwpsinfo_t pr_stype Linux does not keep on what kind of object a thread sleeps
#pragma D unavailable lwpsinfo_t pr_syscall Linux does not keep the number of the call; in syscall:::entry probefunc is its name

translator lwpsinfo_t < struct task_struct *T > {
	pr_flag = (T->exit_state == 0 && (T->__state & 0xc) != 0 ?
	    PR_STOPPED | PR_ISTOP : 0) |
	    ((T->__state & 0x1) != 0 ? PR_ASLEEP : 0) |
	    ((T->flags & 0x200000) != 0 ? PR_ISSYS : 0) |
	    (T->ptrace != 0 ? PR_PTRACE : 0) |
	    ((T->flags & 0x2) != 0 ? PR_IDLE : 0);
	pr_lwpid = T == curthread ? tid : T->pid;
	pr_addr = (uintptr_t)T;
	pr_state = T->exit_state != 0 ? SZOMB :
	    T->__state == 0 ? (T->on_cpu || T == curthread ? SONPROC : SRUN) :
	    T->__state & 0xc ? SSTOP : SSLEEP;
	pr_sname = T->exit_state != 0 ? 'Z' :
	    T->__state == 0 ? (T->on_cpu || T == curthread ? 'O' : 'R') :
	    T->__state & 0xc ? 'T' : 'S';
	pr_pri = T->prio;
	pr_clname = T->policy == 0 ? "TS" : T->policy == 1 ? "FF" :
	    T->policy == 2 ? "RR" : T->policy == 3 ? "B" :
	    T->policy == 5 ? "IDL" : T->policy == 6 ? "DLN" : "?";
	pr_name = stringof(T->comm);
	pr_onpro = T->thread_info.cpu;
	pr_bindpro = T->nr_cpus_allowed == 1 ? T->thread_info.cpu : -1;
	pr_bindpset = -1;
};
