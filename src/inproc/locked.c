/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes that lock all that they map (mlockall(2) with MCL_FUTURE).
 *
 * For such a process the kernel would bring in every page of ours at once:
 * gigabytes, most of them never used.  Only the process itself can prevent
 * that.  So while it maps our memory, it asks for pages to be locked on first
 * use (MCL_ONFAULT), and then restores its old setting.  Our memory is not
 * locked at all, nor counted against the process's limit.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/procstatus.h"
#include "inproc/enter_impl.h"

#ifndef MCL_ONFAULT
#define MCL_ONFAULT 4 /* include/uapi/asm-generic/mman.h */
#endif

/* The flags' line (proc(5), smaps) of the mapping at `at`, or "". */
static void
flags_at(pid_t pid, uint64_t at, char *line, int len)
{
	char path[32];
	uint64_t begin, end;
	bool is_it = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/smaps", (int)pid);
	f = fopen(path, "re");
	while (f != NULL && fgets(line, len, f) != NULL) {
		if (sscanf(line, "%lx-%lx ", &begin, &end) == 2)
			is_it = begin <= at && at < end;
		else if (is_it && strncmp(line, "VmFlags:", 8) == 0)
			break;
	}
	if (f == NULL || feof(f) || ferror(f))
		line[0] = '\0';
	if (f != NULL)
		fclose(f);
}

/* The flags of the page just mapped tell what the process had asked for. */
int
ent_locks_put_off(struct ent_remote *r)
{
	char line[1024];
	int how = MCL_FUTURE;

	if (!proc_status(r->s->pid, "VmLck", line, sizeof(line)) ||
	    strtoull(line, NULL, 10) == 0)
		return 0;
	flags_at(r->s->pid, r->scratch, line, sizeof(line));
	if (strstr(line, " lo") == NULL)
		return 0;
	if (strstr(line, " lf") != NULL)
		how |= MCL_ONFAULT;
	ENT_REMOTE(r, SYS_mlockall, MCL_FUTURE | MCL_ONFAULT);
	return how;
}

void
ent_locks_restore(struct ent_remote *r, int how, const struct ent_ledger *l)
{
	if (how == 0)
		return;
	if (l->len != 0)
		ENT_REMOTE(r, SYS_munlock, l->base, l->len);
	for (uint64_t i = 0; i < l->nmapped; i++)
		ENT_REMOTE(r, SYS_munlock, l->areas[i].at, l->areas[i].len);
	ENT_REMOTE(r, SYS_mlockall, (uint64_t)how);
}
