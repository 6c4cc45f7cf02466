/*
 * A provider that other DTraces have is named, with those that there are.
 * @@args: -e -x errtags=off
 * @@exit: 1
 */
fbt::vfs_read:entry { trace(1); }
