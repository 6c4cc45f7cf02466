/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The PID namespace that dtrace runs in.  Its inode is in /proc; its depth
 * below the first one is only in the kernel, so a program reads it from
 * dtrace's own struct pid (kern/pidns.bpf.c).
 */
#include "exec/bpf/bpf_impl.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"

#define INIT_PID_NS 0xeffffffc /* PROC_PID_INIT_INO, <linux/proc_ns.h> */
#define AT (-8)		       /* on the stack */

static uint64_t
own_namespace(void)
{
	struct stat sb;

	return stat("/proc/self/ns/pid", &sb) == 0 && sb.st_ino != INIT_PID_NS ?
	    sb.st_ino :
	    0;
}

/* r0 <- current->thread_pid->level */
static void
emit(struct bx_asm *a, uint64_t thread_pid, uint64_t level)
{
	bx_helper(a, H_CURRENT_TASK);
	bx_mov(a, R3, R0);
	bx_alui(a, BPF_ADD, R3, (int32_t)thread_pid);
	bx_read_kernel(a, AT, 8);
	bx_ldx(a, 8, R3, R10, AT);
	bx_alui(a, BPF_ADD, R3, (int32_t)level);
	bx_sti(a, 8, R10, AT, 0);
	bx_read_kernel(a, AT, 4);
	bx_ldx(a, 4, R0, R10, AT);
	bx_exit(a);
}

/* Run the program; returns the level or a negative code. */
CHECKED static int
run(struct bx_asm *a, struct err *err)
{
	LIBBPF_OPTS(bpf_test_run_opts, o);
	int fd, rc = bx_finish(a);

	if (rc != 0)
		return err_take(err, -EINVAL,
		    mem_strdup("a program is too "
			       "long"));
	fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "dtrace", BX_LICENSE,
	    a->insns.v, a->insns.n, NULL);
	rc = fd < 0 ? fd : bpf_prog_test_run_opts(fd, &o);
	if (rc != 0)
		err_set(err, rc,
		    "cannot find out the depth of this PID namespace: %s",
		    strerror(-rc));
	if (fd >= 0)
		close(fd);
	return rc != 0 ? rc : (int)o.retval;
}

int
bx_pidns_find(struct bx_exec *x, struct err *err)
{
	struct bx_asm a = { 0 };
	uint64_t thread_pid, level;
	int rc;

	x->lo.pidns.ino = own_namespace();
	if (x->lo.pidns.ino == 0)
		return 0;
	/* without types, what needs numbers is refused by name when it is
	 * linked (koff.c) */
	if (bx_kernel_offset(
		&x->lo, "task_struct", "thread_pid", &thread_pid) != 0 ||
	    bx_kernel_offset(&x->lo, "pid", "level", &level) != 0)
		return 0;
	emit(&a, thread_pid, level);
	rc = run(&a, err);
	bx_asm_fini(&a);
	if (rc < 0)
		return rc;
	x->lo.pidns.level = (uint32_t)rc;
	return 0;
}
