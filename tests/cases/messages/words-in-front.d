/*
 * Names that the kernel, or another tracer, gives with more words in front, or
 * that are written without those: the probe is found.
 * @@needs: bpf
 */
syscall::__x64_sys_read:entry { }
