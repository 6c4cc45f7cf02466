/*
 * A pattern passes over the functions that the kernel refuses, counts them in
 * one line, and traces the rest; -v lists them.  One that is named alone is an
 * error.
 * @@needs: ksym:register_kprobe prog:refuser.so prog:reads
 */
BEGIN { exit(0); }
