/*
 * A function that the kernel does not let anybody probe is refused by name.
 * @@needs: ksym:register_kprobe
 */
fbt::exc_nmi:entry { }
