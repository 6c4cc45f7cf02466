/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BENCH_USDT_H
#define BENCH_USDT_H

/* usdt_plain.c has a probe without a semaphore. */
void f_plain(void);

#endif
