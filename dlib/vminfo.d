/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The vminfo provider: counters of the memory system.  arg0 is the increment;
 * arg1, which is the counter's address on Solaris, is 0.
 *
 * Linux does not swap processes as a whole (swapin, swapout), takes no pages
 * back from a free list (pgrec, pgfrec), and has no clock hand (rev) and no
 * fault for locking (softlock); pages of programs are pages of files (exec*).
 */
provider vminfo {
	probe anonfree(uint64_t n, uint64_t *where);
	probe anonpgin(uint64_t n, uint64_t *where);
	probe anonpgout(uint64_t n, uint64_t *where);
	probe as_fault(uint64_t n, uint64_t *where);
	probe cow_fault(uint64_t n, uint64_t *where);
	probe dfree(uint64_t n, uint64_t *where);
	probe execfree(uint64_t n, uint64_t *where);
	probe execpgin(uint64_t n, uint64_t *where);
	probe execpgout(uint64_t n, uint64_t *where);
	probe fsfree(uint64_t n, uint64_t *where);
	probe fspgin(uint64_t n, uint64_t *where);
	probe fspgout(uint64_t n, uint64_t *where);
	probe kernel_asflt(uint64_t n, uint64_t *where);
	probe maj_fault(uint64_t n, uint64_t *where);
	probe pgfrec(uint64_t n, uint64_t *where);
	probe pgin(uint64_t n, uint64_t *where);
	probe pgout(uint64_t n, uint64_t *where);
	probe pgpgin(uint64_t n, uint64_t *where);
	probe pgpgout(uint64_t n, uint64_t *where);
	probe pgrec(uint64_t n, uint64_t *where);
	probe pgrrun(uint64_t n, uint64_t *where);
	probe prot_fault(uint64_t n, uint64_t *where);
	probe rev(uint64_t n, uint64_t *where);
	probe scan(uint64_t n, uint64_t *where);
	probe softlock(uint64_t n, uint64_t *where);
	probe swapin(uint64_t n, uint64_t *where);
	probe swapout(uint64_t n, uint64_t *where);
	probe zfod(uint64_t n, uint64_t *where);
};

#pragma D attributes Evolving/Evolving/Common provider vminfo provider
#pragma D attributes Evolving/Evolving/Common provider vminfo name
#pragma D attributes Evolving/Evolving/Common provider vminfo args

/* ---- faults: the address, registers, and the processor's error code ------ */

/* arch/x86/include/asm/trap_pf.h */
inline int vm_present = 1;
inline int vm_write = 2;

sdt:exceptions::page_fault_user
{
	fire("vminfo:::as_fault", 1, NULL);
}

/* Faults of the kernel on behalf of a process; the kernel's addresses are
 * negative. */
sdt:exceptions::page_fault_kernel
/(int64_t)args[0] >= 0/
{
	fire("vminfo:::as_fault", 1, NULL);
}

sdt:exceptions::page_fault_kernel
/(int64_t)args[0] < 0/
{
	fire("vminfo:::kernel_asflt", 1, NULL);
}

sdt:exceptions::page_fault_user, sdt:exceptions::page_fault_kernel
/(int64_t)args[0] >= 0 && (args[2] & vm_present) != 0/
{
	fire("vminfo:::prot_fault", 1, NULL);
}

/* The thread had to wait for a device. */
cpc:::major_faults-all-1
{
	fire("vminfo:::maj_fault", 1, NULL);
}

/* include/linux/gfp_types.h: ___GFP_MOVABLE, _ZERO, _COMP, _NOMEMALLOC */
inline int vm_movable = 0x8;
inline int vm_zero = 0x100;
inline int vm_compound = 0x40000;
inline int vm_no_reserves = 0x80000;

/* Only memory of processes is allocated as zeroed and movable. */
inline int vm_is_zeroed[unsigned int flags] =
    (flags & (vm_movable | vm_zero)) == (vm_movable | vm_zero);
/* Large pages are zeroed after the allocation; GFP_TRANSHUGE asks for them. */
inline int vm_is_large[unsigned int flags, unsigned int order] = order != 0 &&
    curthread->mm != NULL && (flags & (vm_movable | vm_zero |
    vm_no_reserves)) == (vm_movable | vm_no_reserves);

sdt:kmem::mm_page_alloc
/args[0] != NULL && (vm_is_zeroed[args[2]] || vm_is_large[args[2], args[1]])/
{
	fire("vminfo:::zfod", 1 << args[1], NULL);
}

/*
 * A write to a present, read-only page: before the fault counts as ended, the
 * kernel gives the thread another page (GFP_HIGHUSER_MOVABLE, perhaps zeroed).
 */
self uint64_t vm_copying;

inline int vm_highuser = 0x100cca;
inline uint64_t vm_faults = curthread->maj_flt + curthread->min_flt + 2;

sdt:exceptions::page_fault_user, sdt:exceptions::page_fault_kernel
{
	self->vm_copying = (int64_t)args[0] >= 0 &&
	    (args[2] & vm_present) != 0 && (args[2] & vm_write) != 0 ?
	    vm_faults : 0;
}

sdt:kmem::mm_page_alloc
/args[0] != NULL && self->vm_copying == vm_faults &&
    (args[2] & ~(vm_zero | vm_compound)) == vm_highuser/
{
	fire("vminfo:::cow_fault", 1 << args[1], NULL);
}

/* ---- pages from and to devices ------------------------------------------- */

inline int vm_is_read[struct bio *b] = (b->bi_opf & 0xff) == REQ_OP_READ;
inline int vm_is_write[struct bio *b] = (b->bi_opf & 1) != 0;
inline uint64_t vm_pages[struct bio *b] = b->bi_iter.bi_size + 4095 >> 12;
inline struct page *vm_page[struct bio *b] = b->bi_io_vec->bv_page;
inline struct folio *vm_folio[struct bio *b] = _folio_of[vm_page[b]];
inline uint64_t vm_flags[struct bio *b] = *(uint64_t *)vm_folio[b];

/* PG_swapcache has another meaning without PG_swapbacked. */
inline int vm_is_swap[struct bio *b] = b->bi_io_vec != NULL &&
    (vm_flags[b] & 1 << PG_swapcache) != 0 &&
    (vm_flags[b] & 1 << PG_swapbacked) != 0;
/* Is it a file's page?  Not a device's; a process's page has bit 0 of mapping
 * set. */
inline int vm_is_file[struct bio *b] = b->bi_io_vec != NULL &&
    !vm_is_swap[b] && vm_folio[b]->mapping != NULL &&
    ((uintptr_t)vm_folio[b]->mapping & 3) == 0 &&
    (vm_folio[b]->mapping->host->i_mode & 0170000) != 0060000;

sdt:block::block_bio_queue
/vm_is_read[args[0]] && (vm_is_swap[args[0]] || vm_is_file[args[0]])/
{
	fire("vminfo:::pgin", 1, NULL);
}

sdt:block::block_bio_queue
/vm_is_read[args[0]] && (vm_is_swap[args[0]] || vm_is_file[args[0]])/
{
	fire("vminfo:::pgpgin", vm_pages[args[0]], NULL);
}

sdt:block::block_bio_queue
/vm_is_read[args[0]] && vm_is_swap[args[0]]/
{
	fire("vminfo:::anonpgin", vm_pages[args[0]], NULL);
}

sdt:block::block_bio_queue
/vm_is_read[args[0]] && vm_is_file[args[0]]/
{
	fire("vminfo:::fspgin", vm_pages[args[0]], NULL);
}

sdt:block::block_bio_queue
/vm_is_write[args[0]] && (vm_is_swap[args[0]] || vm_is_file[args[0]])/
{
	fire("vminfo:::pgout", 1, NULL);
}

sdt:block::block_bio_queue
/vm_is_write[args[0]] && (vm_is_swap[args[0]] || vm_is_file[args[0]])/
{
	fire("vminfo:::pgpgout", vm_pages[args[0]], NULL);
}

sdt:block::block_bio_queue
/vm_is_write[args[0]] && vm_is_swap[args[0]]/
{
	fire("vminfo:::anonpgout", vm_pages[args[0]], NULL);
}

sdt:block::block_bio_queue
/vm_is_write[args[0]] && vm_is_file[args[0]]/
{
	fire("vminfo:::fspgout", vm_pages[args[0]], NULL);
}

/* ---- reclaim ------------------------------------------------------------- */

/*
 * The last argument tells the list that was searched: LRU_ACTIVE of
 * include/linux/mmzone.h is 1.  Older kernels (6.1) have the mode before it,
 * which is even.  The event for freed pages is no measure: the multi-generation
 * LRU reports pages twice that are tried again.
 */
inline int vm_lru_active = 1;

sdt:vmscan::mm_vmscan_lru_isolate
/args[3] != 0 && ((arg6 | arg7) & vm_lru_active) == 0/
{
	fire("vminfo:::scan", args[3], NULL);
}

/* Arguments: node, scanned, reclaimed, ..., priority, whether files' pages. */
sdt:vmscan::mm_vmscan_lru_shrink_inactive
/args[2] != 0/
{
	fire("vminfo:::dfree", args[2], NULL);
}

/* The last argument says whether the pages were files'. */
sdt:vmscan::mm_vmscan_lru_shrink_inactive
/args[2] != 0 && !args[5]/
{
	fire("vminfo:::anonfree", args[2], NULL);
}

sdt:vmscan::mm_vmscan_lru_shrink_inactive
/args[2] != 0 && args[5]/
{
	fire("vminfo:::fsfree", args[2], NULL);
}

sdt:vmscan::mm_vmscan_kswapd_wake, sdt:vmscan::mm_vmscan_direct_reclaim_begin,
sdt:vmscan::mm_vmscan_memcg_reclaim_begin
{
	fire("vminfo:::pgrrun", 1, NULL);
}
