/* SPDX-License-Identifier: BSD-2-Clause */
/* The process and the thread that fire.  Over recordings, recorded.d. */
inline psinfo_t *curpsinfo = xlate <psinfo_t *> (curthread);
inline lwpsinfo_t *curlwpsinfo = xlate <lwpsinfo_t *> (curthread);
