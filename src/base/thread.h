/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>

#include "base/err.h"

/*
 * Start a thread that blocks all signals: the caller's threads handle them.
 * Returns 0 or -errno.
 */
CHECKED int thread_start(pthread_t *thread, void *(*run)(void *), void *arg);

#endif
