/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_FAULTS_PLAN_H
#define TESTS_FAULTS_PLAN_H

/*
 * The file that faults.py and the library both map.  faults.py has the same
 * layout for struct.unpack(); the library compares `size` with its own.
 */
#include <stdint.h>

#define FAULT_NAME 24
#define FAULT_DEPTH 12
#define FAULT_MODULES 48
#define FAULT_CALLS 60000 /* kept; more are counted only */
#define FAULT_OBJECTS 4096

/* Kinds of calls, as bits. */
enum fault_kind {
	FAULT_ALLOC = 1, /* malloc() and its like */
	FAULT_OPEN = 2,	 /* a file is opened */
	FAULT_FD = 4,	 /* any other descriptor is made */
	FAULT_MMAP = 8,
	FAULT_BPF = 16,	    /* bpf(2), by its command */
	FAULT_PERF = 32,    /* perf_event_open(2) */
	FAULT_PTRACE = 64,  /* fails as by another tracer or an old kernel */
	FAULT_GONE = 128,   /* the traced thread was killed before ptrace(2) */
	FAULT_MEMORY = 256, /* the memory of another process */
	FAULT_FORK = 512,   /* a process or a thread is made */
	FAULT_SPACE = 1024, /* a file is given its size, or written to */
	FAULT_READ = 2048,  /* a file is read */
};

/* A call: its function, and the frames above it. */
struct fault_call {
	char name[FAULT_NAME];
	uint32_t kind;
	uint32_t pid;
	uint32_t depth;
	uint32_t pad;
	uint64_t frames[FAULT_DEPTH]; /* return addresses, the caller's first */
};

struct fault_module {
	char name[64];
	uint64_t base, low, high;
};

struct fault_plan {
	/* written by the driver */
	uint32_t size;	/* of this struct */
	uint32_t kinds; /* kinds of calls that count */
	uint32_t fail;	/* the number of the call that fails, from 1; 0: none */
	uint32_t onward; /* 1: later calls fail, too */
	uint32_t error;	 /* errno; 0: the call's usual error */
	uint32_t keep;	 /* 1: keep all calls; 0: those that fail */
	/* written by the library */
	uint32_t counted; /* calls of these kinds */
	uint32_t failed;
	uint32_t nkept;
	uint32_t nmodules;
	uint32_t nobjects;
	uint32_t pad;
	uint64_t objects[FAULT_OBJECTS]; /* BPF objects: command << 32 | id */
	struct fault_module modules[FAULT_MODULES];
	struct fault_call calls[FAULT_CALLS];
};

#endif
