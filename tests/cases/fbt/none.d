/*
 * A kernel without kprobes and fentry says so in one line.
 * @@needs: no-ksym:register_kprobe
 */
fbt::vfs_read:entry { }
