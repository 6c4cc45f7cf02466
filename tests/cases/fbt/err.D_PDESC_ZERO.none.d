/*
 * A function that is not there.
 * @@needs: ksym:register_kprobe
 */
fbt::vfs_reed:entry { }
