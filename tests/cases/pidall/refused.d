/*
 * A pattern leaves out the places that no probe can be on, and says how many;
 * one that is named alone is an error.
 * @@needs: prog:unprobed
 * @@kernel: pid* needs the kernel
 */
BEGIN { exit(0); }
