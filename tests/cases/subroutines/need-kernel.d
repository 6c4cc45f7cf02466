/*
 * Subroutines that look at the kernel's data are refused by name in a process.
 */
BEGIN { exit(0); }
