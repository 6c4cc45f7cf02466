/*
 * freopen() writes files, so it takes -w.
 * @@exit: 1
 */
BEGIN { freopen("out"); exit(0); }
