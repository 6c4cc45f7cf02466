/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Features of the kernel that tracing can do without, for dtrace --check.  The
 * answers come from the functions that arming asks.
 */
#include "exec/bpf/bpf_impl.h"

#include <stdlib.h>

#include "base/privilege.h"
#include "exec/bpf/attach.h"

static const struct {
	const char *name, *what;
	bool (*has)(void);
	bool needs_bpf;	     /* only the privileged can ask */
	const char *instead; /* what happens without */
	const char *gives;
} features[] = {
	{ "uprobe-multi", "many functions of programs armed at once",
	    bx_uprobe_has_multi, true,
	    "they are armed one by one, which takes longer", "Linux 6.10" },
	{ "kprobes", "functions of the kernel by breakpoints", bx_has_kprobes,
	    false, "fbt uses trampolines, if the kernel has them",
	    "a kernel with CONFIG_KPROBES" },
	{ "fentry", "functions of the kernel by trampolines",
	    bx_has_trampolines, true,
	    "fbt uses breakpoints, if the kernel has them",
	    "a kernel with CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS" },
};

void
bx_each_feature(dt_wants_feature_f *wants, dt_feature_f *f, void *arg)
{
	bool may = dt_privilege_has(DT_PRIV_KERNEL);

	for (size_t i = 0; i < sizeof(features) / sizeof(features[0]); i++) {
		bool is_closed = features[i].needs_bpf && !may;
		char *why;

		if (!wants(features[i].name, arg))
			continue;
		why = is_closed ?
		    dt_privilege_refusal(DT_PRIV_KERNEL, "using it") :
		    NULL;
		f(&(struct dt_feature){ .name = features[i].name,
		      .what = features[i].what,
		      .why = is_closed	    ? why :
			  features[i].has() ? NULL :
					      features[i].instead,
		      .gives = is_closed ? NULL : features[i].gives },
		    arg);
		free(why);
	}
}
