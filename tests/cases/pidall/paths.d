/*
 * A path is one of two files of one name; a link leads to its file, whose name
 * is the module's.  The other file's calls do not count.
 * @@needs: prog:calls
 * @@kernel: pid* needs the kernel
 */
BEGIN { exit(0); }
