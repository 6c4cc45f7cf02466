/*
 * copyout changes a process, and needs -w.
 * @@args: -q
 * @@exit: 1
 */
BEGIN { copyoutstr("abc", 0x1000, 4); exit(0); }
