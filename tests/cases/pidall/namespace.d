/*
 * A name means that file in other mount namespaces, too, under a path that is
 * not there for dtrace; and a path in /proc/PID/root means the file of that
 * process.
 * @@needs: prog:calls cmd:unshare
 * @@kernel: pid* needs the kernel
 */
BEGIN { exit(0); }
