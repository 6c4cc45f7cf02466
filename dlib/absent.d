/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Providers of other systems of which Linux has no probe at all.  Counters of its
 * network (mib: tcpActiveOpens, ...) are incremented in line, without an event;
 * instructions of the FPU that a SPARC leaves to the kernel (fpuinfo) are not
 * needed here.
 */
provider mib {
};

provider fpuinfo {
};
