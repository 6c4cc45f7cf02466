/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Providers of other systems for which Linux has no probe at all.  The kernel
 * increments its network counters (mib: tcpActiveOpens, ...) in line, without
 * an event.  x86 needs no help of the kernel for FPU instructions, which a
 * SPARC may leave to it (fpuinfo).
 */
provider mib {
};

provider fpuinfo {
};
