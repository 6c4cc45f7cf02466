/*
 * The kernel's memory is only read.
 */
extern int __start_rodata[4];
BEGIN { `__start_rodata[0] = 1; }
