/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Entries: the processes that dtrace has entered, from inproc_enter() to
 * inproc_leave() (enter.h).
 */
#include "inproc/enter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"
#include "inproc/enter_impl.h"

int
ent_fail(int code, struct err *err, const char *what)
{
	return err_set(err, -code, "%s: %s", what, strerror(code));
}

int
ent_entry_open(struct inproc_entry *e, bool is_held, struct err *err)
{
	int rc = ent_ledger_create(e);

	if (rc != 0)
		return ent_fail(-rc, err, "memory for probes in a process");
	e->ledger->is_held = is_held;
	e->ledger->epoch = 1;
	e->pidfd = (int)syscall(SYS_pidfd_open, e->pid, 0);
	if (e->pidfd < 0)
		return ent_fail(errno, err, "the process to be entered");
	if (e->code->file.fd < 0)
		rc = code_file_create(
		    &e->code->file, "dtrace", CODE_FIRST, true);
	return rc != 0 ? ent_fail(-rc, err, "a file for code in memory") : 0;
}

struct ent_code *
ent_code_create(void)
{
	struct ent_code *code = mem_alloc(sizeof(*code));

	*code = (struct ent_code){ .file.fd = -1, .refs = 1 };
	return code;
}

static void
code_rele(struct ent_code *code)
{
	if (--code->refs != 0)
		return;
	code_file_fini(&code->file);
	free(code);
}

struct inproc_entry *
ent_entry_create(
    pid_t pid, const struct inproc_share *share, struct ent_code *code)
{
	struct inproc_entry *e = mem_alloc(sizeof(*e));

	*e = (struct inproc_entry){ .pid = pid,
		.share = *share,
		.code = code,
		.pidfd = -1,
		.guardian_fd = -1 };
	e->p = (struct inproc_proc){ .pid = pid, .tid_off = -1, .e = e };
	return e;
}

static void
close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

void
ent_entry_close(struct inproc_entry *e)
{
	ent_rely_on_nobody(e);
	ent_release_wards(e);
	VEC_FREE(&e->wards);
	ent_guardian_end(e);
	close_fd(e->pidfd);
	code_rele(e->code);
	free(e->undone);
	ent_ledger_destroy(e);
	free(e);
}

void
ent_tell_caller(struct inproc_entry *e)
{
	const struct ent_ledger *l = e->ledger;

	e->p.code = l->base;
	e->p.own = l->base + e->share.code_len;
	e->p.data = e->p.own + e->share.own_len;
	e->p.vars = e->p.data + e->share.data_len;
	e->p.tid_off = l->tid_off;
}

int
inproc_enter(pid_t pid, bool is_held, const struct inproc_share *share,
    struct inproc_proc **pp, struct err *err)
{
	struct inproc_entry *e;
	int rc = inproc_may_enter(pid, err);

	if (rc != 0)
		return rc;
	e = ent_entry_create(pid, share, ent_code_create());
	rc = ent_entry_open(e, is_held, err);
	if (rc != 0)
		goto undo;
	rc = ent_guardian_start(e, err);
	if (rc != 0)
		goto undo;
	rc = ent_ask(e, ENT_ENTER, err);
	if (rc != 0)
		goto undo;
	ent_tell_caller(e);
	*pp = &e->p;
	return 0;
undo:
	ent_entry_close(e);
	return rc;
}

int
inproc_write_own(struct inproc_proc *p, uint64_t off, const void *buf,
    size_t len, struct err *err)
{
	struct iovec here = { (void *)(uintptr_t)buf, len };
	struct iovec there = { (void *)(uintptr_t)(p->own + off), len };
	ssize_t n = process_vm_writev(p->pid, &here, 1, &there, 1, 0);

	if (n == (ssize_t)len)
		return 0;
	return ent_fail(
	    n < 0 ? errno : EFAULT, err, "memory of a process for probes");
}

void
inproc_let_go(struct inproc_proc *p)
{
	p->e->ledger->is_held = false;
}

int
inproc_restore(struct inproc_proc *p, struct err *err)
{
	return ent_ask(p->e, ENT_RESTORE, err);
}

int
inproc_undo(struct inproc_proc *p, struct err *err)
{
	if (p->e->ledger->len == 0)
		return 0;
	/* inproc_adopt() needs it for children, which may live longer */
	free(p->e->undone);
	p->e->undone = mem_alloc(ENT_HEAD_SIZE);
	memcpy(p->e->undone, p->e->ledger, ENT_HEAD_SIZE);
	if (ent_has_ended(p->e)) {
		p->e->ledger->len = 0;
		return 0;
	}
	ent_release_wards(p->e);
	return ent_ask(p->e, ENT_LEAVE, err);
}

int
inproc_leave(struct inproc_proc *p, struct err *err)
{
	int rc = inproc_undo(p, err);

	/* the guardian unmaps it when it can */
	if (rc == -EBUSY && !p->e->ledger->is_held) {
		err_clear(err);
		rc = 0;
	}
	ent_entry_close(p->e);
	return rc;
}
