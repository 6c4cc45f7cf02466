/*
 * The id of a probe is the same whether all functions are listed or one is
 * asked for, and leads back to it; each probe has one of its own, also where
 * several functions of the kernel have one name.
 * @@needs: ksym:register_kprobe
 */
fbt::vfs_read:return { }
