/*
 * In the kernel, args[] with an index that is not known before is the same.
 * @@kernel: it is about this substrate
 */
