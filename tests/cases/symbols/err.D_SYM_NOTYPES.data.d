/*
 * A variable of the kernel whose type nobody knows.
 */
BEGIN { trace(`__start_rodata); }
