/*
 * bpflog shows what the kernel says of each program, also of one that it
 * takes; bpflogsize is the room for it.
 */
BEGIN { printf("%s\n", strjoin("a", execname)); exit(0); }
