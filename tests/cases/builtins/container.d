/*
 * zonename is the container by the path of its control group: 12 digits of an
 * id, or a name; the innermost one, and none where conmon only watches.  The
 * same in the kernel and in the process.  It selects, and is a key.
 * @@needs: prog:known cmd:unshare
 */
BEGIN { exit(0); }
