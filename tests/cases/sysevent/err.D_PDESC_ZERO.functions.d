/*
 * Without functions that can be traced there is nothing to make events of.
 * @@needs: no-ksym:register_kprobe
 */
sysevent:::post { }
