/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arm by raw tracepoints: one for all system calls, and the tracepoints of
 * probes.
 */
#include "exec/bpf/attach.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "base/err.h"
#include "base/vec.h"

int
bx_arm_calls(const struct bx_arming *a, struct bx_fds *fds, struct err *err)
{
	const char *tp = a->ctx == BX_CTX_SYS_EXIT ? "sys_exit" : "sys_enter";
	int fd = bpf_raw_tracepoint_open(tp, a->prog_fd);

	if (fd < 0) {
		int code = errno;

		return err_set(err, -code,
		    "cannot attach to raw tracepoint %s: %s%s", tp,
		    strerror(code), bx_needs(code));
	}
	VEC_PUSH(&fds->fds, fd);
	return 0;
}

/*
 * BPF_RAW_TRACEPOINT_OPEN with its cookie, which Linux 6.10 added and older
 * headers lack (include/uapi/linux/bpf.h, union bpf_attr).  Programs with typed
 * arguments are loaded for their tracepoint and pass no name.
 */
struct open_attr {
	uint64_t name;
	uint32_t prog_fd, pad;
	uint64_t cookie;
};

static int
raw_open(const char *name, const struct bx_arming *a, uint64_t cookie)
{
	struct open_attr attr = { .name = (uint64_t)(uintptr_t)name,
		.prog_fd = (uint32_t)a->prog_fd,
		.cookie = cookie };
	size_t size =
	    a->has_cookies ? sizeof(attr) : offsetof(struct open_attr, cookie);

	return (int)syscall(SYS_bpf, BPF_RAW_TRACEPOINT_OPEN, &attr, size);
}

int
bx_arm_tracepoints(
    const struct bx_arming *a, struct bx_fds *fds, struct err *err)
{
	for (size_t i = 0; i < a->n; i++) {
		const char *name = a->probes[i]->name;
		int fd = raw_open(a->ctx == BX_CTX_TYPED_TP ? NULL : name, a,
		    a->first_cookie + i);

		if (fd < 0) {
			int code = errno;

			return err_set(err, -code,
			    "cannot attach to tracepoint %s: %s%s", name,
			    strerror(code), bx_needs(code));
		}
		VEC_PUSH(&fds->fds, fd);
	}
	return 0;
}
