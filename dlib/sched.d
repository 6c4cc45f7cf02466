/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sched provider: which thread runs where, and which threads wait.
 *
 * A cpuinfo_t describes the CPU of the event; only its number is known.
 * cpucaps-* and schedctl-* are Solaris's: Linux has neither.
 */
#pragma D unavailable cpuinfo_t cpu_chip of an event's CPU only the number is known; of the current one, curcpu has it
#pragma D unavailable cpuinfo_t cpu_lgrp of an event's CPU only the number is known; of the current one, curcpu has it
#pragma D unavailable cpuinfo_t cpu_info Linux keeps no processor_info_t; the kind of a CPU and its clock are in /proc/cpuinfo

translator cpuinfo_t < int C > {
	cpu_id = C;
	cpu_pset = -1;
};

provider sched {
	probe on__cpu();
	probe off__cpu(struct task_struct *T) : (lwpsinfo_t *T, psinfo_t *T);
	probe remain__cpu();
	probe sleep();
	probe preempt();
	probe wakeup(struct task_struct *T) : (lwpsinfo_t *T, psinfo_t *T);
	probe enqueue(struct task_struct *T, int C, int head) :
	    (lwpsinfo_t *T, psinfo_t *T, cpuinfo_t *C, int head);
	probe dequeue(struct task_struct *T, int C, int head) :
	    (lwpsinfo_t *T, psinfo_t *T, cpuinfo_t *C, int head);
	probe change__pri(struct task_struct *T, int pri) :
	    (lwpsinfo_t *T, psinfo_t *T, int pri);
	probe tick(struct task_struct *T) : (lwpsinfo_t *T, psinfo_t *T);
	probe surrender(struct task_struct *T) : (lwpsinfo_t *T, psinfo_t *T);
	probe cpucaps__sleep();
	probe cpucaps__wakeup();
	probe schedctl__nopreempt();
	probe schedctl__preempt();
	probe schedctl__yield();
};

#pragma D attributes Evolving/Evolving/Common provider sched provider
#pragma D attributes Evolving/Evolving/Common provider sched name
#pragma D attributes Evolving/Evolving/Common provider sched args

/* ---- sched_switch(preempt, from, to, state of from) ---------------------- */

sdt:sched::sched_switch
{
	fire("sched:::off-cpu", args[2]);
}

/* The thread waits: interruptibly, uninterruptibly, stopped, traced or
 * parked. */
sdt:sched::sched_switch
/!args[0] && (args[3] & 0x4f) != 0/
{
	fire("sched:::sleep");
}

/* The thread could go on, but another one runs; the idle thread always
 * could. */
sdt:sched::sched_switch
/(args[0] || args[3] == 0) && args[1]->pid != 0/
{
	fire("sched:::preempt");
}

sdt:sched::sched_switch
/(args[0] || args[3] == 0) && args[1]->pid != 0/
{
	fire("sched:::enqueue", args[1], cpu, 0);
}

sdt:sched::sched_switch
/args[2]->pid != 0/
{
	fire("sched:::dequeue", args[2], cpu, 0);
}

/* The incoming thread, while the outgoing one still runs. */
sdt:sched::sched_switch
{
	fire_in("sched:::on-cpu", args[2]);
}

/* ---- in the thread that runs now ----------------------------------------- */

/*
 * For scripts that need more of the incoming thread, such as its stack: the end
 * of schedule(), which a new thread passes, too.
 */
rawtp:::sched_exit_tp
/args[0]/
{
	fire("sched:::on-cpu");
}

fbt::finish_task_switch*:return
/!exists("rawtp:::sched_exit_tp")/
{
	fire("sched:::on-cpu");
}

rawtp:::sched_exit_tp
/!args[0]/
{
	fire("sched:::remain-cpu");
}

fbt::scheduler_tick:entry, fbt::sched_tick:entry
{
	fire("sched:::tick", curthread);
}

syscall::sched_yield:entry
{
	fire("sched:::surrender", curthread);
}

/* ---- other threads ------------------------------------------------------- */

sdt:sched::sched_waking
{
	fire("sched:::wakeup", args[0]);
}

sdt:sched::sched_wakeup, sdt:sched::sched_wakeup_new
{
	fire("sched:::enqueue", args[0], args[0]->thread_info.cpu, 0);
}

/* The priority that a lock's owner inherits from a waiting thread. */
sdt:sched::sched_pi_setprio
{
	fire("sched:::change-pri", args[0],
	    args[1] != NULL && args[1]->prio < args[0]->normal_prio ?
	    args[1]->prio : args[0]->normal_prio);
}

/*
 * nice(2) and the like.  A real-time priority (below 100) stays, whether it is
 * the thread's own or inherited.
 */
fbt::set_user_nice:entry
/args[0]->prio >= 100 && args[1] >= -20 && args[1] <= 19 &&
    args[0]->static_prio != 120 + args[1]/
{
	fire("sched:::change-pri", args[0], 120 + args[1]);
}

/* sched_setscheduler(2) and the like: only the return shows if it was
 * permitted. */
self struct task_struct *sched_whose;
self int sched_prio;

fbt::__sched_setscheduler:entry
{
	self->sched_whose = args[0];
	self->sched_prio = args[0]->prio;
}

fbt::__sched_setscheduler:return
/arg1 == 0 && self->sched_whose != NULL &&
    self->sched_whose->prio != self->sched_prio/
{
	fire("sched:::change-pri", self->sched_whose, self->sched_whose->prio);
}
