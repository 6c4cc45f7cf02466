/*
 * The kernel's symbol that was meant is suggested.
 * @@needs: root
 */
BEGIN { trace(&`vfs_raed); }
