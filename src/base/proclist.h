/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_PROCLIST_H
#define BASE_PROCLIST_H

#include <dirent.h>
#include <sys/types.h>

/*
 * The numbers of all processes, or of a process's threads, as /proc lists them.
 */
struct proc_list {
	DIR *dir;  /* NULL: it could not be opened */
	int error; /* errno of the failure; 0: none so far */
};

/*
 * Begin a list: of all processes if `pid` is 0, else of the threads of `pid`.
 */
void proc_list_open(struct proc_list *l, pid_t pid);

/* The next number; 0 at the end, and if the list cannot be read further. */
pid_t proc_list_next(struct proc_list *l);

/* End the list.  Returns 0 if it was whole, or -errno: numbers are missing. */
int proc_list_close(struct proc_list *l);

#endif
