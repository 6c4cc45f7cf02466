/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The io provider: requests to block devices, and their completion.
 *
 * start is a bio that its submitter hands to the block layer, in the submitting
 * thread.  The device turns bios into requests, for which it splits and merges
 * them, or into other bios.  done is a request, or a bio where the driver takes
 * bios itself (dm, md, zram).  So the bytes of start and done agree; their
 * numbers agree only without merging and splitting.
 *
 * The file of a bio is known from its pages, if they belong to a file's cache.
 * The path is that in the file system, from its own root.  Pages of processes
 * (O_DIRECT) and of file systems' own data have no file: "<unknown>".
 *
 * wait-start and wait-done are in the waiting thread.  The kernel says that the
 * wait is for I/O (what iostat(1) calls iowait), but not for which request.
 */

/* Flags of a bufinfo_t. */
inline int B_BUSY = 0x1;	/* in use */
inline int B_DONE = 0x2;
inline int B_ERROR = 0x4;
inline int B_PAGEIO = 0x10;	/* always: there are pages, and no b_addr */
inline int B_PHYS = 0x20;	/* into a process's memory */
inline int B_READ = 0x40;
inline int B_WRITE = 0x100;
inline int B_ASYNC = 0x400;	/* no thread waits for it */

typedef struct bufinfo {
	int b_flags;
	size_t b_bcount;	/* bytes */
	caddr_t b_addr;		/* 0 */
	uint64_t b_blkno;	/* sector of 512 bytes on the whole device */
	uint64_t b_lblkno;	/* the same on the partition */
	size_t b_resid;		/* bytes that were not transferred */
	size_t b_bufsize;	/* bytes */
	caddr_t b_iodone;	/* function that the kernel calls at the end */
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
 * The provider's arguments: a bio; the bytes; the sector; the result, which is
 * an errno, or -1 before the end; the mapping of the first page, and the offset
 * of its first byte in the file; and B_READ or B_WRITE for a request to an NFS
 * server, which has no bio.  A thread that waits for an unknown request has
 * neither.
 */
struct io_bio {
	struct bio bio;
};

/* The type has its own name, as users of fileinfo_t do not need this
 * library. */
typedef fileinfo_t io_fileinfo_t;

/* ---- what a bio says ----------------------------------------------------- */

/* The operation is in the lower byte of bi_opf: writing ones are odd. */
inline int io_is_write[struct io_bio *B] = B->bio.bi_opf & 1;
inline int io_is_awaited[struct io_bio *B] = (B->bio.bi_opf &
    (1 << __REQ_SYNC | 1 << __REQ_FUA | 1 << __REQ_PREFLUSH)) != 0;

/* Bit 0 of `mapping` is set for pages of a process; else the lower bits are
 * 0. */
inline int io_is_physical = (arg4 & 3) == 1;
inline int io_is_nfs = arg6 != 0;
inline struct inode *io_inode = arg4 == 0 || (arg4 & 3) != 0 ? NULL :
    ((struct address_space *)arg4)->host;

inline int io_direction[struct io_bio *B] = B == NULL ? arg6 :
    (B->bio.bi_opf & 0xff) == REQ_OP_READ ? B_READ :
    io_is_write[B] ? B_WRITE : 0;
inline int io_is_async[struct io_bio *B] = B != NULL &&
    (io_is_write[B] && !io_is_awaited[B] ||
    (B->bio.bi_opf & 1 << __REQ_RAHEAD) != 0);

inline dev_t io_dev[struct io_bio *B] = B != NULL ? B->bio.bi_bdev->bd_dev :
    io_is_nfs ? io_inode->i_sb->s_dev : 0;

translator bufinfo_t < struct io_bio *B > {
	b_flags = B == NULL && !io_is_nfs ? 0 : B_BUSY | B_PAGEIO |
	    io_direction[B] | (io_is_async[B] ? B_ASYNC : 0) |
	    (io_is_physical ? B_PHYS : 0) |
	    ((int)arg3 >= 0 ? B_DONE : 0) | ((int)arg3 > 0 ? B_ERROR : 0);
	b_bcount = arg1;
	b_addr = NULL;
	b_blkno = arg2;
	b_lblkno = arg2 - (B == NULL ? 0 : B->bio.bi_bdev->bd_start_sect);
	b_resid = (int)arg3 > 0 ? arg1 : 0;
	b_bufsize = arg1;
	b_iodone = B == NULL ? NULL : (caddr_t)B->bio.bi_end_io;
	b_error = (int)arg3 > 0 ? (int)arg3 : 0;
	b_edev = io_dev[B];
};

inline struct gendisk *io_disk[struct io_bio *B] = B->bio.bi_bdev->bd_disk;
inline struct device *io_parent[struct io_bio *B] =
    io_disk[B]->part0->bd_device.parent;

inline string io_no_disk = io_is_nfs ? "nfs" : "<unknown>";

translator devinfo_t < struct io_bio *B > {
	dev_major = io_dev[B] >> 20;
	dev_minor = io_dev[B] & 0xfffff;
	dev_instance = B == NULL ? 0 : io_disk[B]->first_minor /
	    (io_disk[B]->minors > 1 ? io_disk[B]->minors : 1);
	dev_name = B == NULL ? io_no_disk : io_parent[B] != NULL &&
	    io_parent[B]->driver != NULL ?
	    stringof(io_parent[B]->driver->name) :
	    stringof(io_disk[B]->disk_name);
	dev_statname = B == NULL ? io_no_disk :
	    stringof(B->bio.bi_bdev->bd_device.kobj.name);
	dev_pathname = io_is_nfs ? "<nfs>" : B == NULL ? "<unknown>" :
	    strjoin("/dev/", stringof(B->bio.bi_bdev->bd_device.kobj.name));
};

/* ---- the file that its first page belongs to ----------------------------- */

/* The offset of an entry's link to the others of its inode.  The link is in a
 * named union or, as of Linux 7.2, in one without a name. */
inline uintptr_t io_alias = offsetof(struct dentry, d_u);
inline uintptr_t io_alias = offsetof(struct dentry, d_alias);

/* NULL: no name.  File systems' own inodes have none, nor have blocks of
 * devices, whose inodes have an unnamed entry in newer kernels. */
inline struct dentry *io_dentry = io_inode == NULL ||
    (io_inode->i_mode & 0170000) == 0060000 ||
    io_inode->i_dentry.first == NULL ? NULL : (struct dentry *)
    ((uintptr_t)io_inode->i_dentry.first - io_alias);
/* A struct path is a mount, which is unknown here, and a dentry. */
inline string io_path = io_dentry == NULL ?
    "<unknown>" : d_path((struct path *)memref(NULL, (size_t)io_dentry));

translator io_fileinfo_t < struct io_bio *B > {
	fi_name = io_dentry == NULL ? "<unknown>" :
	    stringof(io_dentry->d_name.name);
	fi_dirname = io_dentry == NULL ? "<unknown>" : dirname(io_path);
	fi_pathname = io_path;
	fi_offset = io_dentry == NULL ? 0 : arg5;
	fi_fs = io_inode == NULL ? "<unknown>" :
	    stringof(io_inode->i_sb->s_type->name);
	fi_mount = "<unknown>";
	fi_oflags = 0;
};

provider io {
	probe start(struct io_bio *B, uint64_t bytes, uint64_t sector,
	    int error, uintptr_t mapping, uint64_t offset, int nfs) :
	    (bufinfo_t *B, devinfo_t *B, fileinfo_t *B);
	probe done(struct io_bio *B, uint64_t bytes, uint64_t sector,
	    int error, uintptr_t mapping, uint64_t offset, int nfs) :
	    (bufinfo_t *B, devinfo_t *B, fileinfo_t *B);
	probe wait__start(struct io_bio *B, uint64_t bytes, uint64_t sector,
	    int error, uintptr_t mapping, uint64_t offset, int nfs) :
	    (bufinfo_t *B, devinfo_t *B, fileinfo_t *B);
	probe wait__done(struct io_bio *B, uint64_t bytes, uint64_t sector,
	    int error, uintptr_t mapping, uint64_t offset, int nfs) :
	    (bufinfo_t *B, devinfo_t *B, fileinfo_t *B);
	probe journal__start();
	probe journal__done();
};

#pragma D attributes Evolving/Evolving/Common provider io provider
#pragma D attributes Evolving/Evolving/Common provider io name
#pragma D attributes Evolving/Evolving/Common provider io args

/* ---- the pages of a bio -------------------------------------------------- */

/*
 * The place where a bio begins: which of its vectors, and how far in that.  It
 * need not be the first vector: the parts of a split bio share its vectors.
 */
inline uint64_t io_place[struct bio *b] =
    (uint64_t)b->bi_iter.bi_idx << 32 | b->bi_iter.bi_bvec_done;
inline struct bio_vec *io_vec[struct bio *b, uint64_t place] =
    &b->bi_io_vec[place >> 32];
inline uint64_t io_within[struct bio *b, uint64_t place] =
    io_vec[b, place]->bv_offset + (place & 0xffffffff);
/* A vector is memory that may begin behind the page and be longer than it. */
inline struct page *io_page[struct bio *b, uint64_t place] =
    io_vec[b, place]->bv_page + (io_within[b, place] >> 12);
/* Flushes have no bytes, but may have room for pages. */
inline uintptr_t io_mapping[struct bio *b, uint64_t bytes, uint64_t place] =
    bytes == 0 || b->bi_io_vec == NULL ? 0 :
    (uintptr_t)_folio_of[io_page[b, place]]->mapping;
inline uint64_t io_offset_of[struct page *p] = _folio_of[p]->index +
    ((uintptr_t)p - (uintptr_t)_folio_of[p]) / sizeof (struct page);
inline uint64_t io_offset[struct bio *b, uint64_t place] =
    (io_offset_of[io_page[b, place]] << 12) +
    (io_within[b, place] & 0xfff);

/* ---- to and from devices ------------------------------------------------- */

sdt:block::block_bio_queue
{
	fire("io:::start", args[0], args[0]->bi_iter.bi_size,
	    args[0]->bi_iter.bi_sector, -1,
	    io_mapping[args[0], args[0]->bi_iter.bi_size, io_place[args[0]]],
	    io_offset[args[0], io_place[args[0]]], 0);
}

/*
 * errno of a blk_status_t (include/linux/blk_types.h, block/blk-core.c); a
 * status above 13 has no fixed number.
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
	    io_errno[args[1]],
	    io_mapping[args[0]->bio, args[2], io_place[args[0]->bio]],
	    io_offset[args[0]->bio, io_place[args[0]->bio]], 0);
}

/*
 * The RAM disk (as of Linux 6.16) advances a bio by all its bytes before the
 * bio completes.  It does so within the call, so the thread notes the bytes and
 * place beforehand.
 */
inline int io_moves[struct bio *b] = b->bi_bdev->bd_disk->major == 1;
self int64_t io_bytes[uintptr_t], io_first[uintptr_t];

sdt:block::block_bio_queue
/io_moves[args[0]]/
{
	self->io_bytes[(uintptr_t)args[0]] = args[0]->bi_iter.bi_size;
	self->io_first[(uintptr_t)args[0]] = io_place[args[0]];
}

inline int64_t io_asked[struct bio *b] = self->io_bytes[(uintptr_t)b];
inline int64_t io_began[struct bio *b] = self->io_first[(uintptr_t)b];

sdt:block::block_bio_complete
/io_moves[args[1]]/
{
	fire("io:::done", args[1], io_asked[args[1]],
	    args[1]->bi_iter.bi_sector -
	    (io_asked[args[1]] - args[1]->bi_iter.bi_size) / 512,
	    io_errno[args[1]->bi_status],
	    io_mapping[args[1], io_asked[args[1]], io_began[args[1]]],
	    io_offset[args[1], io_began[args[1]]], 0);
}

sdt:block::block_bio_complete
/io_moves[args[1]]/
{
	self->io_bytes[(uintptr_t)args[1]] = 0;
	self->io_first[(uintptr_t)args[1]] = 0;
}

sdt:block::block_bio_complete
/!io_moves[args[1]]/
{
	fire("io:::done", args[1], args[1]->bi_iter.bi_size,
	    args[1]->bi_iter.bi_sector, io_errno[args[1]->bi_status],
	    io_mapping[args[1], args[1]->bi_iter.bi_size, io_place[args[1]]],
	    io_offset[args[1], io_place[args[1]]], 0);
}

/* ---- to and from NFS servers --------------------------------------------- */

sdt:nfs::nfs_initiate_read
{
	fire("io:::start", NULL, args[0]->args.count, args[0]->args.offset / 512,
	    -1, args[0]->inode->i_mapping, args[0]->args.offset, B_READ);
}

sdt:nfs::nfs_initiate_write
{
	fire("io:::start", NULL, args[0]->args.count, args[0]->args.offset / 512,
	    -1, args[0]->inode->i_mapping, args[0]->args.offset, B_WRITE);
}

/* A server may transfer less than was requested. */
sdt:nfs::nfs_readpage_done
{
	fire("io:::done", NULL, args[0]->tk_status < 0 ?
	    args[1]->args.count : args[1]->res.count,
	    args[1]->args.offset / 512,
	    args[0]->tk_status < 0 ? -args[0]->tk_status : 0,
	    args[1]->inode->i_mapping, args[1]->args.offset, B_READ);
}

sdt:nfs::nfs_writeback_done
{
	fire("io:::done", NULL, args[0]->tk_status < 0 ?
	    args[1]->args.count : args[1]->res.count,
	    args[1]->args.offset / 512,
	    args[0]->tk_status < 0 ? -args[0]->tk_status : 0,
	    args[1]->inode->i_mapping, args[1]->args.offset, B_WRITE);
}

/* ---- waiting ------------------------------------------------------------- */

/*
 * A thread waits for a single bio in submit_bio_wait().  The bio's sector there
 * is that on the partition, and at the end the bio may point behind its last
 * byte.
 */
self struct bio *io_awaited;
self uint64_t io_wbytes, io_wsector, io_wplace;

fbt::submit_bio_wait:entry
{
	self->io_awaited = args[0];
	self->io_wbytes = args[0]->bi_iter.bi_size;
	self->io_wsector = args[0]->bi_iter.bi_sector +
	    args[0]->bi_bdev->bd_start_sect;
	self->io_wplace = io_place[args[0]];
}

fbt::submit_bio_wait:return
{
	self->io_awaited = NULL;
	self->io_wbytes = self->io_wsector = self->io_wplace = 0;
}

/* NULL and 0: the request is unknown, or the thread waits for something
 * else. */
inline int io_knows = exists("fbt::submit_bio_wait:entry");
inline struct bio *io_waited = io_knows ? self->io_awaited : NULL;
inline uint64_t io_waited_bytes = io_knows ? self->io_wbytes : 0;
inline uint64_t io_waited_sector = io_knows ? self->io_wsector : 0;
inline uint64_t io_waited_place = io_knows ? self->io_wplace : 0;

inline uintptr_t io_waited_mapping = io_waited == NULL ? 0 :
    io_mapping[io_waited, io_waited_bytes, io_waited_place];
inline uint64_t io_waited_offset = io_waited == NULL ? 0 :
    io_offset[io_waited, io_waited_place];
/* A thread also wakes up from time to time, to report a long wait. */
inline int io_waited_error = io_waited == NULL ||
    ((struct completion *)io_waited->bi_private)->done == 0 ? -1 :
    io_errno[io_waited->bi_status];

sdt:sched::sched_switch
/!args[0] && args[1]->in_iowait/
{
	fire("io:::wait-start", io_waited, io_waited_bytes,
	    io_waited_sector, -1, io_waited_mapping, io_waited_offset, 0);
}

/* As in sched:::on-cpu. */
sdt:sched::sched_switch
/args[2]->in_iowait/
{
	fire_in("io:::wait-done", args[2], io_waited, io_waited_bytes,
	    io_waited_sector, io_waited_error, io_waited_mapping,
	    io_waited_offset, 0);
}

rawtp:::sched_exit_tp
/args[0] && curthread->in_iowait/
{
	fire("io:::wait-done", io_waited, io_waited_bytes,
	    io_waited_sector, io_waited_error, io_waited_mapping,
	    io_waited_offset, 0);
}

fbt::finish_task_switch*:return
/!exists("rawtp:::sched_exit_tp") && curthread->in_iowait/
{
	fire("io:::wait-done", io_waited, io_waited_bytes,
	    io_waited_sector, io_waited_error, io_waited_mapping,
	    io_waited_offset, 0);
}
