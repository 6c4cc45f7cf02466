/*
 * The function that was meant is suggested.
 * @@needs: ksym:register_kprobe
 */
fbt::vfs_reed:entry { }
