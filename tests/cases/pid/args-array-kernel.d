/*
 * The same in the kernel: args[] with an index that is not known before.
 * @@kernel: it is about this substrate
 */
