/*
 * Functions of the kernel cannot be called.
 */
BEGIN { trace(vmlinux`strlen("abc")); }
