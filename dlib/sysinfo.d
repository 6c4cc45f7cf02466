/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sysinfo provider: each CPU's counters of the system's work.  arg0 is the
 * increment; arg1, which is the counter's address on Solaris, is 0.
 *
 * Linux has no event for serial lines (rcvint, xmtint), UFS (ufs*) and idle
 * CPUs that wait for I/O (wait_idle).
 */
provider sysinfo {
	probe bread(uint64_t n, uint64_t *where);
	probe bwrite(uint64_t n, uint64_t *where);
	probe inv_swtch(uint64_t n, uint64_t *where);
	probe lread(uint64_t n, uint64_t *where);
	probe lwrite(uint64_t n, uint64_t *where);
	probe modload(uint64_t n, uint64_t *where);
	probe modunload(uint64_t n, uint64_t *where);
	probe msg(uint64_t n, uint64_t *where);
	probe mutex_adenters(uint64_t n, uint64_t *where);
	probe namei(uint64_t n, uint64_t *where);
	probe nthreads(uint64_t n, uint64_t *where);
	probe phread(uint64_t n, uint64_t *where);
	probe phwrite(uint64_t n, uint64_t *where);
	probe procovf(uint64_t n, uint64_t *where);
	probe pswitch(uint64_t n, uint64_t *where);
	probe rcvint(uint64_t n, uint64_t *where);
	probe readch(uint64_t n, uint64_t *where);
	probe rw_rdfails(uint64_t n, uint64_t *where);
	probe rw_wrfails(uint64_t n, uint64_t *where);
	probe sema(uint64_t n, uint64_t *where);
	probe sysexec(uint64_t n, uint64_t *where);
	probe sysfork(uint64_t n, uint64_t *where);
	probe sysread(uint64_t n, uint64_t *where);
	probe sysvfork(uint64_t n, uint64_t *where);
	probe syswrite(uint64_t n, uint64_t *where);
	probe trap(uint64_t n, uint64_t *where);
	probe ufsdirblk(uint64_t n, uint64_t *where);
	probe ufsiget(uint64_t n, uint64_t *where);
	probe ufsinopage(uint64_t n, uint64_t *where);
	probe ufsipage(uint64_t n, uint64_t *where);
	probe wait_idle(uint64_t n, uint64_t *where);
	probe writech(uint64_t n, uint64_t *where);
	probe xcalls(uint64_t n, uint64_t *where);
	probe xmtint(uint64_t n, uint64_t *where);
};

#pragma D attributes Evolving/Evolving/Common provider sysinfo provider
#pragma D attributes Evolving/Evolving/Common provider sysinfo name
#pragma D attributes Evolving/Evolving/Common provider sysinfo args

/* ---- devices: buffers are pages of a device, raw I/O is a process's ------ */

inline int si_is_read[struct bio *b] = (b->bi_opf & 0xff) == REQ_OP_READ;
inline int si_is_write[struct bio *b] = (b->bi_opf & 1) != 0;
inline struct page *si_page[struct bio *b] = b->bi_io_vec->bv_page;
inline struct folio *si_folio[struct bio *b] = _folio_of[si_page[b]];
inline int si_is_buffer[struct bio *b] = b->bi_io_vec != NULL &&
    si_folio[b]->mapping != NULL &&
    ((uintptr_t)si_folio[b]->mapping & 3) == 0 &&
    (si_folio[b]->mapping->host->i_mode & 0170000) == 0060000;
/* Pages that are being swapped belong to a process, too. */
inline int si_is_raw[struct bio *b] = b->bi_io_vec != NULL &&
    ((uintptr_t)si_folio[b]->mapping & 3) == 1 &&
    (*(uint64_t *)si_folio[b] & 1 << PG_swapcache) == 0;

sdt:block::block_bio_queue
/si_is_read[args[0]] && si_is_buffer[args[0]]/
{
	fire("sysinfo:::bread", 1, NULL);
}

sdt:block::block_bio_queue
/si_is_write[args[0]] && si_is_buffer[args[0]]/
{
	fire("sysinfo:::bwrite", 1, NULL);
}

sdt:block::block_bio_queue
/si_is_read[args[0]] && si_is_raw[args[0]]/
{
	fire("sysinfo:::phread", 1, NULL);
}

sdt:block::block_bio_queue
/si_is_write[args[0]] && si_is_raw[args[0]]/
{
	fire("sysinfo:::phwrite", 1, NULL);
}

sdt:block::block_touch_buffer
{
	fire("sysinfo:::lread", 1, NULL);
}

sdt:block::block_dirty_buffer
{
	fire("sysinfo:::lwrite", 1, NULL);
}

/* ---- threads ------------------------------------------------------------- */

sdt:sched::sched_switch
{
	fire("sysinfo:::pswitch", 1, NULL);
}

/* As in sched:::preempt. */
sdt:sched::sched_switch
/(args[0] || args[3] == 0) && args[1]->pid != 0/
{
	fire("sysinfo:::inv_swtch", 1, NULL);
}

sdt:sched::sched_process_fork
{
	fire("sysinfo:::nthreads", 1, NULL);
}

/* ---- system calls -------------------------------------------------------- */

syscall::read:entry, syscall::pread64:entry, syscall::readv:entry,
syscall::preadv:entry, syscall::preadv2:entry
{
	fire("sysinfo:::sysread", 1, NULL);
}

syscall::read:return, syscall::pread64:return, syscall::readv:return,
syscall::preadv:return, syscall::preadv2:return
/errno == 0/
{
	fire("sysinfo:::readch", arg1, NULL);
}

syscall::write:entry, syscall::pwrite64:entry, syscall::writev:entry,
syscall::pwritev:entry, syscall::pwritev2:entry
{
	fire("sysinfo:::syswrite", 1, NULL);
}

syscall::write:return, syscall::pwrite64:return, syscall::writev:return,
syscall::pwritev:return, syscall::pwritev2:return
/errno == 0/
{
	fire("sysinfo:::writech", arg1, NULL);
}

syscall::execve:entry, syscall::execveat:entry
{
	fire("sysinfo:::sysexec", 1, NULL);
}

/* CLONE_VFORK and CLONE_THREAD of include/uapi/linux/sched.h */
inline int si_vfork = 0x4000;
inline int si_thread = 0x10000;

syscall::fork:entry
{
	fire("sysinfo:::sysfork", 1, NULL);
}

syscall::clone:entry
/(arg0 & (si_vfork | si_thread)) == 0/
{
	fire("sysinfo:::sysfork", 1, NULL);
}

syscall::clone3:entry
/(*(uint64_t *)copyin(arg0, 8) & (si_vfork | si_thread)) == 0/
{
	fire("sysinfo:::sysfork", 1, NULL);
}

syscall::vfork:entry
{
	fire("sysinfo:::sysvfork", 1, NULL);
}

syscall::clone:entry
/(arg0 & si_vfork) != 0/
{
	fire("sysinfo:::sysvfork", 1, NULL);
}

syscall::clone3:entry
/(*(uint64_t *)copyin(arg0, 8) & si_vfork) != 0/
{
	fire("sysinfo:::sysvfork", 1, NULL);
}

syscall::fork:return, syscall::vfork:return, syscall::clone:return,
syscall::clone3:return
/errno == EAGAIN/
{
	fire("sysinfo:::procovf", 1, NULL);
}

syscall::msgsnd:entry, syscall::msgrcv:entry
{
	fire("sysinfo:::msg", 1, NULL);
}

syscall::semop:entry, syscall::semtimedop:entry
{
	fire("sysinfo:::sema", 1, NULL);
}

/* ---- the kernel's own ---------------------------------------------------- */

/*
 * Each walk along a path, where functions can be traced: to its end, to open
 * its end, or to the directory of its last name.
 */
fbt::filename_lookup:entry, fbt::do_filp_open:entry,
fbt::do_file_open:entry, fbt::do_file_open_root:entry,
fbt::__filename_parentat:entry
{
	fire("sysinfo:::namei", 1, NULL);
}

fbt::filename_parentat:entry
/!exists("fbt::__filename_parentat:entry")/
{
	fire("sysinfo:::namei", 1, NULL);
}

sdt:module::module_load
{
	fire("sysinfo:::modload", 1, NULL);
}

sdt:module::module_free
{
	fire("sysinfo:::modunload", 1, NULL);
}

/* Page faults; other traps have no event. */
sdt:exceptions::page_fault_user, sdt:exceptions::page_fault_kernel
{
	fire("sysinfo:::trap", 1, NULL);
}

/*
 * Flags of include/trace/events/lock.h: 2 is a reader, 4 a writer, 32 a mutex.
 * A thread that waits for a mutex fires the event several times; only the first
 * counts.
 */
sdt:lock::contention_begin
/(args[1] & 32) != 0 && (self->si_mutex = (uintptr_t)args[0]) == 0/
{
	fire("sysinfo:::mutex_adenters", 1, NULL);
}

sdt:lock::contention_end
/self->si_mutex == (uintptr_t)args[0] && (self->si_mutex = 0) == 0/
{
	fire("sysinfo:::mutex_adenters", 1, NULL);
}

sdt:lock::contention_begin
/(args[1] & 2) != 0/
{
	fire("sysinfo:::rw_rdfails", 1, NULL);
}

sdt:lock::contention_begin
/(args[1] & 4) != 0/
{
	fire("sysinfo:::rw_wrfails", 1, NULL);
}

/* A call with a function; without one, the CPU only looks at its run queue. */
sdt:ipi::ipi_send_cpu, sdt:ipi::ipi_send_cpumask
/args[2] != NULL/
{
	fire("sysinfo:::xcalls", 1, NULL);
}

/* Before Linux 6.4, count calls where they arrive. */
sdt:irq_vectors::call_function_entry,
sdt:irq_vectors::call_function_single_entry
/!exists("sdt:ipi::ipi_send_cpu")/
{
	fire("sysinfo:::xcalls", 1, NULL);
}
