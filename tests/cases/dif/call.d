/*
 * A subroutine's arguments are evaluated before any is pushed.
 */
BEGIN { trace(strjoin(probename, lltostr(pid))); }
