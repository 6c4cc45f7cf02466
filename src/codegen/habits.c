/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Words of bpftrace and SystemTap that D lacks, and D's words for them.  They
 * are hints below the error of an unknown name; no program's meaning depends on
 * them.
 */
#include "codegen/cg_impl.h"

#include <string.h>

static const struct habit {
	const char *word;
	bool is_func;
	const char *hint;
} habits[] = {
	{ "backtrace", true, "D has stack() and ustack()" },
	{ "buf", true,
	    "tracemem(address, size) prints memory of the kernel; "
	    "copyin(address, size) reads a process's" },
	{ "cgroup", false,
	    "stringof(curthread->cgroups->dfl_cgrp->kn->name) "
	    "is the name of a process's cgroup" },
	{ "comm", false, "bpftrace's comm is execname" },
	{ "curtask", false, "bpftrace's curtask is curthread" },
	{ "delete", true, "assign 0 to the element: x[key] = 0" },
	{ "elapsed", false,
	    "keep BEGIN's timestamp in a variable, and "
	    "subtract it: timestamp - start" },
	{ "func", false, "bpftrace's func is probefunc" },
	{ "gettimeofday_ns", true,
	    "SystemTap's gettimeofday_ns() is "
	    "walltimestamp" },
	{ "hist", true,
	    "bpftrace's hist() is quantize(): "
	    "@[key] = quantize(value)" },
	{ "join", true, "curpsinfo->pr_psargs are the arguments of a command" },
	{ "kernel_string", true, "SystemTap's kernel_string() is stringof()" },
	{ "kstack", false, "bpftrace's kstack is stack()" },
	{ "kstack", true, "bpftrace's kstack() is stack()" },
	{ "ksym", true, "bpftrace's ksym() is sym()" },
	{ "lhist", true,
	    "bpftrace's lhist(value, low, high, step) is "
	    "lquantize(value, low, high, step): @ = lquantize(...)" },
	{ "nsecs", false, "bpftrace's nsecs is timestamp" },
	{ "ntop", true,
	    "inet_ntoa() takes a pointer to an IPv4 address, "
	    "inet_ntoa6() to an IPv6 address, inet_ntop() a family and either" },
	{ "pp", true, "SystemTap's pp() is probefunc" },
	{ "print_backtrace", true, "SystemTap's print_backtrace() is stack()" },
	{ "print_ubacktrace", true,
	    "SystemTap's print_ubacktrace() is "
	    "ustack()" },
	{ "println", true, "D has printf(\"%d\\n\", value)" },
	{ "reg", true,
	    "uregs[R_PC], uregs[R_SP], ... are a process's "
	    "registers" },
	{ "retval", false, "at a return probe the value is arg1" },
	{ "signal", true, "bpftrace's signal() is raise(), with a number" },
	{ "str", true,
	    "copyinstr(address) reads a process's string, "
	    "stringof(pointer) one of the kernel" },
	{ "strerror", true,
	    "D has no texts of errors; errno is the number, "
	    "and ENOENT, EACCES, ... are constants" },
	{ "strftime", true,
	    "D prints a time by %Y: "
	    "printf(\"%Y\", walltimestamp)" },
	{ "time", true,
	    "D prints a time by %Y: "
	    "printf(\"%Y\", walltimestamp)" },
	{ "ubacktrace", true, "D has ustack()" },
	{ "user_string", true, "SystemTap's user_string() is copyinstr()" },
	{ "zero", true, "bpftrace's zero(@) is clear(@)" },
};

const char *
cg_habit(const char *word, bool is_func)
{
	for (size_t i = 0; i < sizeof(habits) / sizeof(habits[0]); i++) {
		if (habits[i].is_func == is_func &&
		    strcmp(habits[i].word, word) == 0)
			return habits[i].hint;
	}
	return NULL;
}
