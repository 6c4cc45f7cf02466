/*
 * A file that no process has mapped when tracing begins is traced once one
 * maps it, and another file of the same name after it.
 * @@needs: prog:calls
 * @@kernel: pid* needs the kernel
 */
BEGIN { exit(0); }
