/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Texts about the command itself: usage, help, versions, meanings of errors.
 */
#include "dtrace/about.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "dtrace/commit.h"
#include "lang/explain.h"
#include "libdtrace/dt.h"
#include "libdtrace/dt_product.h"

static const char usage_text[] =
    "Usage: dtrace [-32|-64] [-BCeFGhHlqSvwZ] [-b bufsz] [-c cmd] [-D name[=def]] [-I path]\n"
    "    [-L path] [-o output] [-p pid] [-s script] [-t time] [-T type] [-U name]\n"
    "    [-x opt[=val]] [-X a|c|s|t] [-P provider [[predicate] action]]\n"
    "    [-m [provider:]module [[predicate] action]]\n"
    "    [-f [[provider:]module:]func [[predicate] action]]\n"
    "    [-n [[[provider:]module:]func:]name [[predicate] action]]\n"
    "    [-i probe-id [[predicate] action]] [--record=file] [--dump=stage,...]\n"
    "    [--cgroup group|--container id] [args ...]\n"
    "       dtrace -A [program ...] | -a [-e] | --anonymous | -V | --version | --help\n"
    "       dtrace run NAME [--json] [options] [args ...] | run -l | run --show NAME\n"
    "       dtrace -r recording [-Fq] [-o output] [-x opt[=val]]\n"
    "       dtrace --flame[=cpu|offcpu|alloc|PROBE] [-p pid|-c cmd] [-t time] -o out.html\n"
    "       dtrace --timeline [-p pid|-c cmd] [-t time] -o out.pftrace|out.json\n"
    "       dtrace --top [-p pid|-c cmd] [program ...]\n"
    "       dtrace --fleet url|file [--hosts pattern] [--label name=value] [--author file]\n"
    "           [--detach name[,size]] [-l] [-t time] [program ...] [args ...]\n"
    "       dtrace --fleet url|file --attach name | --list | --stop name\n"
    "       dtrace --explain TAG\n"
    "       dtrace --check [-x oformat=json] [name ...]\n";

static const char help_text[] =
    "\n"
    "\t-a  claim the tracing that began at boot; with -e, end it\n"
    "\t-A  store the programs, to be traced from boot on; none: remove them\n"
    "\t-32 with -G: make an object of 32 bits\n"
    "\t-64 for a 64-bit system, as always\n"
    "\t-b  size of each CPU's buffer (same as -x bufsize=)\n"
    "\t-B  print through an output handler (a test of libdtrace)\n"
    "\t-c  run the command, trace until it ends; its process is $target\n"
    "\t-C  run the C preprocessor over the programs\n"
    "\t-D  define a name for the preprocessor\n"
    "\t-e  exit after compiling, before tracing\n"
    "\t-f  enable or list probes of the function\n"
    "\t-F  indent by function entry and return\n"
    "\t-G  make the object for the probes of a program\n"
    "\t-h  make the header with the probe macros of a provider\n"
    "\t-H  print the names of the files that the preprocessor includes\n"
    "\t-i  enable or list the probe with the id\n"
    "\t-I  add a directory for #include\n"
    "\t-l  list probes instead of enabling them\n"
    "\t-L  add a directory of D libraries\n"
    "\t-m  enable or list probes of the module\n"
    "\t-n  enable or list probes by name\n"
    "\t-o  append the output to a file; with -x linktype=dof, save the program\n"
    "\t-p  trace until the processes end (ids and names); they are $target\n"
    "\t-P  enable or list probes of the provider\n"
    "\t-q  print only what the programs trace\n"
    "\t-r  print a recorded run again\n"
    "\t-s  enable or list probes of a D script, or of a program that was saved\n"
    "\t-S  print the DIF that the compiler makes, or all of a DOF or ELF file\n"
    "\t-t  end tracing after this time, such as 10s\n"
    "\t-T  print a type as D would declare it: -T 'struct file'; -lT lists them\n"
    "\t-U  undefine a name for the preprocessor\n"
    "\t-v  report stability and other facts of the programs\n"
    "\t-V  print the versions of the D language and of OpenDTrace\n"
    "\t-w  permit destructive actions\n"
    "\t-x  set an option (dtrace(8) has the table)\n"
    "\t-X  conformance of the preprocessor's __STDC__\n"
    "\t-Z  permit probe descriptions that match no probes\n"
    "\t--record  record the run into a file (same as -x record=)\n"
    "\t--fleet  have other hosts trace, by a NATS server\n"
    "\t--hosts  those whose name matches; with --fleet\n"
    "\t--label  those that have this label; with --fleet\n"
    "\t--author  the file of the author's key; with --fleet\n"
    "\t--detach  leave the run to the hosts, by this name; -t says how long\n"
    "\t--attach  print what the detached run has made, and makes\n"
    "\t--list  list the detached runs; with --fleet\n"
    "\t--stop  end the detached run on all hosts\n"
    "\t--cgroup  only threads in this control group, or below it\n"
    "\t--container  only threads in this container\n"
    "\t--dump  print stages: tokens ast types dif dof plan bpf x86\n"
    "\t--anonymous  trace what -A stored; dtrace-anon.service does it\n"
    "\t--flame  make a page with a flame graph: =cpu, =offcpu, =alloc, =PROBE\n"
    "\t--timeline  write a trace of threads, waits and system calls for Perfetto\n"
    "\t--top  show the aggregations on the whole terminal, each second anew\n"
    "\t--explain  say what the tag of an error means, as in [D_SYNTAX]\n"
    "\t--check  try what this machine lets you trace; say why the rest is missing\n"
    "\t--json  print objects: -x oformat=json\n"
    "\t--help  print this text\n"
    "\t--version  print the version of OpenDTrace\n";

int
about_usage(void)
{
	fputs(usage_text, stderr);
	fputs("    hint: dtrace --help says what the options mean\n", stderr);
	return EXIT_USAGE;
}

const char *
about_write_error(int err)
{
	return err == EBADF ? "it is closed" : strerror(err);
}

int
about_finish(void)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	/* a reader that ends, as head does, has read enough */
	if (errno != EPIPE)
		fprintf(stderr, "dtrace: cannot write the output: %s\n",
		    about_write_error(errno));
	return EXIT_FAILURE;
}

int
about_language(void)
{
	printf("dtrace: Sun D %d.%d (" DT_PRODUCT ")\n", DT_VERSION_MAJOR,
	    DT_VERSION_MINOR);
	return about_finish();
}

int
about_version(void)
{
	fputs(DT_PRODUCT, stdout);
	if (strcmp(commit_text, "-") != 0)
		printf(" (commit %s)", commit_text);
	putchar('\n');
	return about_finish();
}

int
about_help(void)
{
	fputs(usage_text, stdout);
	fputs(help_text, stdout);
	return about_finish();
}

int
about_explanation(const char *tag)
{
	struct strbuf sb = { 0 };
	const char *near;
	bool is_known = lang_explain(tag, &sb, &near);

	if (is_known)
		fputs(sb.s, stdout);
	strbuf_fini(&sb);
	if (is_known)
		return about_finish();
	fprintf(stderr, "dtrace: --explain: no error has the tag '%s'\n", tag);
	if (near != NULL)
		fprintf(stderr, "    hint: did you mean D_%s?\n", near);
	else
		fputs("    hint: an error has its tag in brackets, as in "
		      "[D_SYNTAX]; --explain " EXPLAIN_ALL
		      " explains all tags\n",
		    stderr);
	return EXIT_USAGE;
}
