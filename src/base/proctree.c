/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/proctree.h"

#include <stdbool.h>

#include "base/proclist.h"
#include "base/procstatus.h"

static int
look(proc_descendant_f *f, void *arg, bool *is_new)
{
	struct proc_list list;
	pid_t pid;

	*is_new = false;
	proc_list_open(&list, 0);
	while ((pid = proc_list_next(&list)) != 0) {
		long parent = proc_status_number(pid, "PPid");

		if (parent > 0 && f(arg, pid, (pid_t)parent))
			*is_new = true;
	}
	return proc_list_close(&list);
}

int
proc_descendants(proc_descendant_f *f, void *arg)
{
	bool is_new;
	int rc;

	do
		rc = look(f, arg, &is_new);
	while (rc == 0 && is_new);
	return rc;
}
