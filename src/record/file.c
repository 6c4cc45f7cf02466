/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The file of a recording, and the thread that writes it.
 *
 *	caller --give--> queue[NQUEUE] --> thread: compress, append
 *
 * `lock` guards the queue, its numbers and is_over; no other lock is taken
 * within it.  The thread blocks all signals, so that handlers run in the
 * caller's threads, and the signal of a limit on file sizes stays pending
 * while write() says EFBIG.
 */
#include "record/write_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/mem.h"
#include "base/thread.h"
#include "record/format.h"

#define NQUEUE 4
/* zstd's.  For packed events, level -1 takes as long and files are a fifth
 * larger; with -5 they are twice as large. */
#define LEVEL 1
/* A batch whose buffers were larger gives them back. */
#define KEEP (4U << 20)

struct record_file {
	int fd;
	char *path;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t has_work, has_room;
	struct record_batch queue[NQUEUE];
	unsigned first, n; /* of the queue */
	bool is_over;

	/* the thread's own */
	ZSTD_CCtx *zstd;
	struct strbuf stored;
	uint32_t nblocks;

	_Atomic uint64_t end; /* size of the whole blocks in the file */
	_Atomic int error;    /* 0; or -errno, and nothing more is written */
	bool is_told;	      /* the caller's */
};

static int
write_all(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len != 0) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -ENOSPC;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

/* The file ends with its last whole block; a pipe cannot be cut. */
static void
fail(struct record_file *f, int error)
{
	if (ftruncate(f->fd, (off_t)atomic_load(&f->end)) != 0 &&
	    errno != EINVAL && error == 0)
		error = -errno;
	atomic_store(&f->error, error);
}

static void
compress_to(
    struct record_file *f, const struct strbuf *raw, struct record_bhdr *hdr)
{
	size_t room = ZSTD_compressBound(raw->len), n;
	char *to;

	strbuf_reset(&f->stored);
	strbuf_add(&f->stored, hdr, sizeof(*hdr));
	to = strbuf_room(&f->stored, room);
	n = f->zstd != NULL ?
	    ZSTD_compressCCtx(f->zstd, to, room, raw->s, raw->len, LEVEL) :
	    raw->len;
	if (f->zstd == NULL || ZSTD_isError(n) || n >= raw->len) {
		strbuf_add(&f->stored, raw->s, raw->len);
		n = raw->len;
	} else {
		hdr->flags |= RECORD_ZSTD;
		f->stored.len += n;
	}
	hdr->stored = (uint32_t)n;
}

/* `hdr` has the type, and of a packed block the flag and the raw size. */
static void
write_block(
    struct record_file *f, struct record_bhdr hdr, const struct strbuf *sb)
{
	int error;

	if (sb->len == 0 || atomic_load(&f->error) != 0)
		return;
	hdr.number = f->nblocks;
	if ((hdr.flags & RECORD_PACKED) != 0)
		hdr.packed = (uint32_t)sb->len;
	else
		hdr.raw = (uint32_t)sb->len;
	memcpy(hdr.magic, RECORD_BLOCK_MAGIC, sizeof(hdr.magic));
	compress_to(f, sb, &hdr);
	hdr.data_crc = (uint32_t)crc32(
	    0, (const Bytef *)f->stored.s + sizeof(hdr), hdr.stored);
	hdr.crc = (uint32_t)crc32(
	    0, (const Bytef *)&hdr, offsetof(struct record_bhdr, crc));
	memcpy(f->stored.s, &hdr, sizeof(hdr));
	error = write_all(f->fd, f->stored.s, f->stored.len);
	if (error != 0) {
		fail(f, error);
		return;
	}
	f->nblocks++;
	atomic_fetch_add(&f->end, f->stored.len);
}

static void
empty(struct strbuf *sb)
{
	if (sb->cap > KEEP)
		strbuf_fini(sb);
	else
		strbuf_reset(sb);
}

static void
write_batch(struct record_file *f, struct record_batch *b)
{
	write_block(f, (struct record_bhdr){ .type = RECORD_BLOCK_PROGRAM },
	    &b->program);
	write_block(
	    f, (struct record_bhdr){ .type = RECORD_BLOCK_TABLES }, &b->tables);
	write_block(f,
	    (struct record_bhdr){ .type = RECORD_BLOCK_EVENTS,
		.flags = RECORD_PACKED,
		.raw = (uint32_t)b->raw },
	    &b->events);
	empty(&b->program);
	empty(&b->tables);
	empty(&b->events);
	b->raw = 0;
}

static void *
work(void *arg)
{
	struct record_file *f = arg;

	pthread_mutex_lock(&f->lock);
	for (;;) {
		while (f->n == 0 && !f->is_over)
			pthread_cond_wait(&f->has_work, &f->lock);
		if (f->n == 0)
			break;
		/* nobody else touches the first batch while it is queued */
		pthread_mutex_unlock(&f->lock);
		write_batch(f, &f->queue[f->first]);
		pthread_mutex_lock(&f->lock);
		f->first = (f->first + 1) % NQUEUE;
		f->n--;
		pthread_cond_signal(&f->has_room);
	}
	pthread_mutex_unlock(&f->lock);
	return NULL;
}

void
record_file_give(struct record_file *f, struct record_batch *b)
{
	struct record_batch *to, given = *b;

	pthread_mutex_lock(&f->lock);
	while (f->n == NQUEUE)
		pthread_cond_wait(&f->has_room, &f->lock);
	to = &f->queue[(f->first + f->n) % NQUEUE];
	*b = *to;
	*to = given;
	f->n++;
	pthread_cond_signal(&f->has_work);
	pthread_mutex_unlock(&f->lock);
}

void
record_file_wait(struct record_file *f)
{
	pthread_mutex_lock(&f->lock);
	while (f->n != 0)
		pthread_cond_wait(&f->has_room, &f->lock);
	pthread_mutex_unlock(&f->lock);
}

bool
record_file_failed(const struct record_file *f)
{
	return atomic_load(&f->error) != 0;
}

char *
record_file_failure(struct record_file *f)
{
	int error = atomic_load(&f->error);

	if (error == 0 || f->is_told)
		return NULL;
	f->is_told = true;
	return mem_printf("the recording %s ends here: %s: what it holds can "
			  "be replayed, and tracing goes on",
	    f->path, strerror(-error));
}

/* A size limit of 0 lets open() succeed: its signal must not end dtrace. */
static int
write_header(struct record_file *f)
{
	struct record_fhdr hdr = { .major = RECORD_MAJOR,
		.minor = RECORD_MINOR,
		.size = sizeof(hdr) };
	sigset_t limit, before;
	const struct timespec now = { 0 };
	int error;

	memcpy(hdr.magic, RECORD_MAGIC, sizeof(hdr.magic));
	hdr.crc = (uint32_t)crc32(
	    0, (const Bytef *)&hdr, offsetof(struct record_fhdr, crc));
	sigemptyset(&limit);
	sigaddset(&limit, SIGXFSZ);
	pthread_sigmask(SIG_BLOCK, &limit, &before);
	error = write_all(f->fd, &hdr, sizeof(hdr));
	if (error == -EFBIG)
		sigtimedwait(&limit, NULL, &now);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	atomic_store(&f->end, sizeof(hdr));
	return error;
}

static void
file_free(struct record_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	for (size_t i = 0; i < NQUEUE; i++)
		record_batch_fini(&f->queue[i]);
	pthread_mutex_destroy(&f->lock);
	pthread_cond_destroy(&f->has_work);
	pthread_cond_destroy(&f->has_room);
	ZSTD_freeCCtx(f->zstd);
	strbuf_fini(&f->stored);
	free(f->path);
	free(f);
}

/* Make the file for its owner alone: it has data of the whole system. */
int
record_file_create(const char *path, struct record_file **outp, struct err *err)
{
	struct record_file *f = mem_alloc(sizeof(*f));
	int error = 0;

	f->path = mem_strdup(path);
	pthread_mutex_init(&f->lock, NULL);
	pthread_cond_init(&f->has_work, NULL);
	pthread_cond_init(&f->has_room, NULL);
	f->zstd = ZSTD_createCCtx();
	f->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (f->fd < 0)
		error = -errno;
	if (error == 0)
		error = write_header(f);
	if (error == 0)
		error = thread_start(&f->thread, work, f);
	if (error != 0) {
		file_free(f);
		return err_set(err, error, "cannot write the recording %s: %s",
		    path, strerror(-error));
	}
	*outp = f;
	return 0;
}

int
record_file_close(struct record_file *f, struct err *err)
{
	int error;

	pthread_mutex_lock(&f->lock);
	f->is_over = true;
	pthread_cond_signal(&f->has_work);
	pthread_mutex_unlock(&f->lock);
	pthread_join(f->thread, NULL);
	error = atomic_load(&f->error);
	/* some file systems report a full disk only here */
	if (close(f->fd) != 0 && error == 0)
		error = -errno;
	f->fd = -1;
	if (error != 0)
		err_set(err, error, "the recording %s is not whole: %s",
		    f->path, strerror(-error));
	file_free(f);
	return error;
}
