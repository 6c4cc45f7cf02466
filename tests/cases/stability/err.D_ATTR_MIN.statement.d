/*
 * Option amin refuses expressions that are less stable.
 * @@args: -x amin=Stable/Stable/Common
 * @@needs: nothing
 */
BEGIN { trace(curthread->pid); }
