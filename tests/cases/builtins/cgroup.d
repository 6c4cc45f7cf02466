/*
 * cgroup is the inode of the directory of a thread's control group, cgroupname
 * its path: at the root, three levels below it, eight, and nine, of which the
 * first is left out.
 * @@needs: prog:known cmd:unshare
 */
BEGIN { exit(0); }
