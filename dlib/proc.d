/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The proc provider: processes and threads that are created, run programs,
 * receive signals and end.
 */
provider proc {
	probe create(struct task_struct *T) : (psinfo_t *T);
	probe start();
	probe exec(string path);
	probe exec__success();
	probe exec__failure(int reason);
	probe exit(int reason);
	probe fault(int fault, struct kernel_siginfo *info);
	probe lwp__create(struct task_struct *T) : (lwpsinfo_t *T, psinfo_t *T);
	probe lwp__start();
	probe lwp__exit();
	probe signal__send(struct task_struct *T, int sig) :
	    (lwpsinfo_t *T, psinfo_t *T, int sig);
	probe signal__discard(struct task_struct *T, int sig) :
	    (lwpsinfo_t *T, psinfo_t *T, int sig);
	probe signal__clear(int sig);
	probe signal__handle(int sig, struct kernel_siginfo *info,
	    uintptr_t handler);
};

#pragma D attributes Evolving/Evolving/Common provider proc provider
#pragma D attributes Evolving/Evolving/Common provider proc name
#pragma D attributes Evolving/Evolving/Common provider proc args

/* ---- birth: a thread is a task whose number is not its process's -------- */

sdt:sched::sched_process_fork
/args[1]->pid == args[1]->tgid/
{
	fire("proc:::create", args[1]);
}

sdt:sched::sched_process_fork
/args[1]->pid != args[1]->tgid/
{
	fire("proc:::lwp-create", args[1]);
}

/* The call returns 0 in the new thread. */
syscall::fork:return, syscall::vfork:return, syscall::clone:return,
syscall::clone3:return
/arg1 == 0 && errno == 0 && pid == tid/
{
	fire("proc:::start");
}

syscall::fork:return, syscall::vfork:return, syscall::clone:return,
syscall::clone3:return
/arg1 == 0 && errno == 0/
{
	fire("proc:::lwp-start");
}

/* ---- programs ------------------------------------------------------------ */

/*
 * The path comes from the kernel: at the entry of the call, its page need not
 * be in memory.  Since Linux 6.10 there is an event before the process runs the
 * new program; older kernels only have one after.  If a program cannot be run,
 * exec fires when the call returns, since the kernel has then read the path.
 */
sdt:sched::sched_prepare_exec
{
	fire("proc:::exec", args[1]->filename);
}

sdt:sched::sched_process_exec
/!exists("sdt:sched::sched_prepare_exec")/
{
	fire("proc:::exec", args[2]->filename);
}

/* Is it a 32-bit call?  See vfs.d. */
inline int _proc_is_32 = (curthread->thread_info.status & 2) != 0;

syscall::execve:return
/errno != 0/
{
	fire("proc:::exec", (uintptr_t)copyinstr(_proc_is_32 ?
	    (uint32_t)uregs[R_RBX] : uregs[R_RDI]));
}

syscall::execveat:return
/errno != 0/
{
	fire("proc:::exec", (uintptr_t)copyinstr(_proc_is_32 ?
	    (uint32_t)uregs[R_RCX] : uregs[R_RSI]));
}

sdt:sched::sched_process_exec
{
	fire("proc:::exec-success");
}

syscall::execve:return, syscall::execveat:return
/errno != 0/
{
	fire("proc:::exec-failure", errno);
}

/* ---- death --------------------------------------------------------------- */

/* A thread ends before its process does. */
sdt:sched::sched_process_exit
{
	fire("proc:::lwp-exit");
}

/*
 * The last thread that exits ends the process.  Before Linux 6.16 it ends the
 * process's timers; exec does so too, but without PF_EXITING.  Without that
 * function, several threads may find at the tracepoint that none is alive.
 * Since Linux 6.16 the tracepoint has an argument for it.
 */
self int proc_is_last;

fbt::exit_itimers:entry
/(curthread->flags & 4) != 0/
{
	self->proc_is_last = 1;
}

sdt:sched::sched_process_exit
/!exists("fbt::exit_itimers:entry")/
{
	self->proc_is_last = args[0]->signal->live.counter == 0;
}

sdt:sched::sched_process_exit
{
	self->proc_is_last = args[1];
}

sdt:sched::sched_process_exit
/self->proc_is_last/
{
	fire("proc:::exit", (args[0]->exit_code & 0x7f) == 0 ? CLD_EXITED :
	    (args[0]->exit_code & 0x80) != 0 ? CLD_DUMPED : CLD_KILLED);
}

/* ---- signals: args[4] is what became of it ------------------------------- */

sdt:signal::signal_generate
{
	fire("proc:::signal-send", args[2], args[0]);
}

/* TRACE_SIGNAL_IGNORED */
sdt:signal::signal_generate
/args[4] == 1/
{
	fire("proc:::signal-discard", args[2], args[0]);
}

syscall::rt_sigtimedwait:return
/errno == 0 && (int)arg1 > 0/
{
	fire("proc:::signal-clear", arg1);
}

/*
 * The probe also fires for the default action (SIG_DFL, 0), but not for an
 * ignored signal (SIG_IGN, 1).  A signal that ends all threads reaches each as
 * 9; the process's status then has the signal.  exit_group() also sends 9 to
 * the other threads, but without a signal in the status.
 */
inline int proc_fatal = curthread->signal->group_exit_code & 0x7f;

sdt:signal::signal_deliver
/args[0] != 9 && (uintptr_t)args[2]->sa.sa_handler != 1/
{
	fire("proc:::signal-handle", args[0], args[1],
	    (uintptr_t)args[2]->sa.sa_handler);
}

sdt:signal::signal_deliver
/args[0] == 9 && proc_fatal != 0/
{
	fire("proc:::signal-handle", proc_fatal, args[1], 0);
}

/*
 * A signal that an instruction of the thread raised.  The faults have
 * names in signal.d: 1 FLTILL, 3 FLTBPT, 4 FLTTRACE, 5 FLTACCESS, 6 FLTBOUNDS,
 * 8 FLTIZDIV, 9 FLTFPE.  Linux treats integer overflow (`into` of
 * 32-bit code) as an access without a mapping.
 */
sdt:signal::signal_generate
/args[2] == curthread && (uintptr_t)args[1] > 1 && args[1]->si_code > 0 &&
    args[1]->si_code <= 0x80 && (args[0] == 4 || args[0] == 5 ||
    args[0] == 7 || args[0] == 8 || args[0] == 11)/
{
	fire("proc:::fault", args[0] == 4 ? 1 :
	    args[0] == 5 ? (args[1]->si_code == 2 ? 4 : 3) :
	    args[0] == 7 ? 5 :
	    args[0] == 8 ? (args[1]->si_code == 1 ? 8 : 9) :
	    args[1]->si_code == 2 ? 5 : 6, args[1]);
}
