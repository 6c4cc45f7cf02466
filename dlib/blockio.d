/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The io provider: what is asked of block devices, and what has been done.
 *
 * start is a bio that its submitter hands to the block layer, in the thread that
 * asks.  What becomes of it is the device's: requests, for which bios are split
 * and merged, or bios again.  done is a request, or where the driver takes bios
 * itself (dm, md, zram) a bio.  So the bytes of both agree, and with neither
 * merging nor splitting their numbers do.
 *
 * A bio is known by its pages: those of a file's cache tell the file.  The path
 * is that in the file system, from its own root.  Pages of processes (O_DIRECT)
 * and those of file systems' own data tell none: "<unknown>".
 *
 * wait-start and wait-done are in the thread that waits, for whatever: the
 * kernel says that it is for I/O (what iostat(1) calls iowait), not for which.
 */

/* Flags of a bufinfo_t. */
inline int B_BUSY = 0x1;	/* in use */
inline int B_DONE = 0x2;
inline int B_ERROR = 0x4;
inline int B_PAGEIO = 0x10;	/* always: there are pages, and no b_addr */
inline int B_PHYS = 0x20;	/* into a process's memory */
inline int B_READ = 0x40;
inline int B_WRITE = 0x100;
inline int B_ASYNC = 0x400;	/* nobody waits for it */

typedef struct bufinfo {
	int b_flags;
	size_t b_bcount;	/* bytes */
	caddr_t b_addr;		/* 0 */
	uint64_t b_blkno;	/* sector of 512 bytes on the whole device */
	uint64_t b_lblkno;	/* the same on the partition */
	size_t b_resid;		/* bytes that were not transferred */
	size_t b_bufsize;	/* bytes */
	caddr_t b_iodone;	/* function of the kernel to be called then */
	int b_error;		/* errno */
	dev_t b_edev;
} bufinfo_t;

typedef struct devinfo {
	int dev_major;
	int dev_minor;
	int dev_instance;	/* which of the driver's disks */
	string dev_name;	/* the driver, or else the disk */
	string dev_statname;	/* as in /proc/diskstats: sda1 */
	string dev_pathname;	/* /dev/sda1 */
} devinfo_t;

/*
 * The provider's arguments: a bio, the bytes, the sector, and what has happened:
 * an errno, or -1 while nothing has.  A waiting thread has no bio.
 */
struct io_bio {
	struct bio bio;
};

/* By a name of its own: who uses fileinfo_t has no need of this library. */
typedef fileinfo_t io_fileinfo_t;

/* ---- what a bio says ----------------------------------------------------- */

/* Its operation is in the lower byte of bi_opf: writing ones are odd. */
inline int io_is_write[struct io_bio *B] = B->bio.bi_opf & 1;
inline int io_is_awaited[struct io_bio *B] = (B->bio.bi_opf &
    (1 << __REQ_SYNC | 1 << __REQ_FUA | 1 << __REQ_PREFLUSH)) != 0;

/* mapping of a page of a process has bit 0 set, others' lower bits are 0. */
inline int io_is_physical[struct io_bio *B] = B->bio.bi_io_vec != NULL &&
    ((uintptr_t)B->bio.bi_io_vec->bv_page->mapping & 3) == 1;

translator bufinfo_t < struct io_bio *B > {
	b_flags = B == NULL ? 0 : B_BUSY | B_PAGEIO |
	    ((B->bio.bi_opf & 0xff) == REQ_OP_READ ? B_READ :
	    io_is_write[B] ? B_WRITE : 0) |
	    (io_is_write[B] && !io_is_awaited[B] ||
	    (B->bio.bi_opf & 1 << __REQ_RAHEAD) != 0 ? B_ASYNC : 0) |
	    (io_is_physical[B] ? B_PHYS : 0) |
	    ((int)arg3 >= 0 ? B_DONE : 0) | ((int)arg3 > 0 ? B_ERROR : 0);
	b_bcount = arg1;
	b_addr = NULL;
	b_blkno = arg2;
	b_lblkno = B == NULL ? 0 : arg2 - B->bio.bi_bdev->bd_start_sect;
	b_resid = (int)arg3 > 0 ? arg1 : 0;
	b_bufsize = arg1;
	b_iodone = B == NULL ? NULL : (caddr_t)B->bio.bi_end_io;
	b_error = (int)arg3 > 0 ? (int)arg3 : 0;
	b_edev = B == NULL ? 0 : B->bio.bi_bdev->bd_dev;
};

inline struct gendisk *io_disk[struct io_bio *B] = B->bio.bi_bdev->bd_disk;
inline struct device *io_parent[struct io_bio *B] =
    io_disk[B]->part0->bd_device.parent;

translator devinfo_t < struct io_bio *B > {
	dev_major = B == NULL ? 0 : B->bio.bi_bdev->bd_dev >> 20;
	dev_minor = B == NULL ? 0 : B->bio.bi_bdev->bd_dev & 0xfffff;
	dev_instance = B == NULL ? 0 : io_disk[B]->first_minor /
	    (io_disk[B]->minors > 1 ? io_disk[B]->minors : 1);
	dev_name = B == NULL ? "<unknown>" : io_parent[B] != NULL &&
	    io_parent[B]->driver != NULL ?
	    stringof(io_parent[B]->driver->name) :
	    stringof(io_disk[B]->disk_name);
	dev_statname = B == NULL ? "<unknown>" :
	    stringof(B->bio.bi_bdev->bd_device.kobj.name);
	dev_pathname = B == NULL ? "<unknown>" : strjoin("/dev/",
	    stringof(B->bio.bi_bdev->bd_device.kobj.name));
};

/* ---- the file that its first page belongs to ------------------------------ */

inline struct page *io_page[struct io_bio *B] = B->bio.bi_io_vec->bv_page;
/* A page that is not the first of its folio says so in bit 0. */
inline struct folio *io_folio[struct io_bio *B] =
    (struct folio *)((io_page[B]->compound_head & 1) != 0 ?
    io_page[B]->compound_head - 1 : (uintptr_t)io_page[B]);
inline struct inode *io_inode[struct io_bio *B] =
    B == NULL || B->bio.bi_io_vec == NULL ||
    ((uintptr_t)io_folio[B]->mapping & 3) != 0 ||
    io_folio[B]->mapping == NULL ? NULL : io_folio[B]->mapping->host;
/* NULL: without a name, as are those of file systems' own inodes, and blocks of
 * devices, whose inodes have an unnamed entry in newer kernels. */
inline struct dentry *io_dentry[struct io_bio *B] = io_inode[B] == NULL ||
    (io_inode[B]->i_mode & 0170000) == 0060000 ||
    io_inode[B]->i_dentry.first == NULL ? NULL : (struct dentry *)
    ((uintptr_t)io_inode[B]->i_dentry.first -
    offsetof(struct dentry, d_u));
/* A struct path is a mount, which we do not know, and a dentry. */
inline string io_path[struct io_bio *B] = io_dentry[B] == NULL ?
    "<unknown>" : d_path((struct path *)memref(NULL, (size_t)io_dentry[B]));

translator io_fileinfo_t < struct io_bio *B > {
	fi_name = io_dentry[B] == NULL ? "<unknown>" :
	    stringof(io_dentry[B]->d_name.name);
	fi_dirname = io_dentry[B] == NULL ? "<unknown>" :
	    dirname(io_path[B]);
	fi_pathname = io_path[B];
	fi_offset = io_dentry[B] == NULL ? 0 : io_folio[B]->index << 12;
	fi_fs = io_inode[B] == NULL ? "<unknown>" :
	    stringof(io_inode[B]->i_sb->s_type->name);
	fi_mount = "<unknown>";
	fi_oflags = 0;
};

provider io {
	probe start(struct io_bio *B, uint64_t bytes, uint64_t sector,
	    int error) : (bufinfo_t *B, devinfo_t *B, fileinfo_t *B);
	probe done(struct io_bio *B, uint64_t bytes, uint64_t sector,
	    int error) : (bufinfo_t *B, devinfo_t *B, fileinfo_t *B);
	probe wait__start(struct io_bio *B, uint64_t bytes, uint64_t sector,
	    int error) : (bufinfo_t *B, devinfo_t *B, fileinfo_t *B);
	probe wait__done(struct io_bio *B, uint64_t bytes, uint64_t sector,
	    int error) : (bufinfo_t *B, devinfo_t *B, fileinfo_t *B);
	probe journal__start();
	probe journal__done();
};

#pragma D attributes Evolving/Evolving/Common provider io provider
#pragma D attributes Evolving/Evolving/Common provider io name
#pragma D attributes Evolving/Evolving/Common provider io args

/* ---- to and from devices -------------------------------------------------- */

sdt:block::block_bio_queue
{
	fire("io:::start", args[0], args[0]->bi_iter.bi_size,
	    args[0]->bi_iter.bi_sector, -1);
}

/*
 * errno of a blk_status_t (include/linux/blk_types.h, block/blk-core.c); those
 * beyond 13 have no fixed numbers.
 */
inline int io_errno[int status] = status == 0 ? 0 :
    status == 1 ? EOPNOTSUPP : status == 2 ? ETIMEDOUT :
    status == 3 ? ENOSPC : status == 4 ? ENOLINK :
    status == 5 ? EREMOTEIO : status == 6 ? EBADE :
    status == 7 ? ENODATA : status == 8 ? EILSEQ :
    status == 9 ? ENOMEM : status == 12 ? EAGAIN :
    status == 13 ? EBUSY : EIO;

/*
 * A write with a flush around it ends twice: once with its data, then with
 * none left.  A flush alone never has data.
 */
sdt:block::block_rq_complete
/args[0]->bio != NULL && (args[2] != 0 || args[0]->bio->bi_io_vec == NULL)/
{
	fire("io:::done", args[0]->bio, args[2], args[0]->__sector,
	    io_errno[args[1]]);
}

sdt:block::block_bio_complete
{
	fire("io:::done", args[1], args[1]->bi_iter.bi_size,
	    args[1]->bi_iter.bi_sector, io_errno[args[1]->bi_status]);
}

/* ---- waiting -------------------------------------------------------------- */

sdt:sched::sched_switch
/!args[0] && args[1]->in_iowait/
{
	fire("io:::wait-start", NULL, 0, 0, -1);
}

/* As sched:::on-cpu. */
sdt:sched::sched_switch
/args[2]->in_iowait/
{
	fire_in("io:::wait-done", args[2], NULL, 0, 0, -1);
}

rawtp:::sched_exit_tp
/args[0] && curthread->in_iowait/
{
	fire("io:::wait-done", NULL, 0, 0, -1);
}

fbt::finish_task_switch*:return
/!exists("rawtp:::sched_exit_tp") && curthread->in_iowait/
{
	fire("io:::wait-done", NULL, 0, 0, -1);
}
