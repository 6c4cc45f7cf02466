/*
 * Option amin refuses probe descriptions that are less stable.
 * @@args: -x amin=Stable/Stable/Common
 * @@needs: nothing
 */
syscall::read:entry { trace(pid); }
