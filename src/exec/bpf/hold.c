/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes that load code wait until we have looked at it.
 *
 * Debuggers are told by the dynamic linker what it maps: it calls a function
 * that does nothing, _dl_debug_state(), behind each step (<link.h>).  A program
 * there counts the call, rings the bell, and keeps the thread busy until dtrace
 * has planted its probes in the new library, so none of its calls is missed.
 * It waits HOLD_NS at most, whatever becomes of dtrace, and no longer than dtrace
 * traces: nothing is stopped.  That is 2 to 4 ms where dtrace has a CPU to
 * itself.  With one CPU in all it would wait in vain; there it does not, and the
 * first calls may be missed.
 */
#include "exec/bpf/bpf_impl.h"

#include "provider/uprobe.h"

#define HOLD_NS 500000000

int
bx_translate_hold(struct bx_tr *t)
{
	bx_note(t, (struct diag_span){ 0 }, "wait for dtrace to see new code");
	bx_movi(&t->a, R1, t->lo->ncpus > 1 ? HOLD_NS : 0);
	bx_call(&t->a, "rt_hold");
	bx_movi(&t->a, R0, 0);
	bx_exit(&t->a);
	return bx_tr_finish(t);
}

int
bx_watch_loads(struct dt_exec *x, const struct dt_probe *p, char **msg)
{
	struct dt_arming a = { .probes = &p, .n = 1 };

	if (x->hold.progs.n == 0)
		return 0;
	a.prog_fd = x->hold.progs.v[0];
	return dt_uprobe_arm(&a, &x->hold.armed, msg);
}

bool
bx_has_loads(struct dt_exec *x)
{
	x->loads = x->ctl->loads;
	return x->loads != x->ctl->loads_seen;
}

void
bx_resume(struct dt_exec *x)
{
	__atomic_store_n(&x->ctl->loads_seen, x->loads, __ATOMIC_SEQ_CST);
}
