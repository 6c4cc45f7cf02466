/*
 * The function that was meant is suggested.
 * @@needs: nothing
 */
syscall::raed:entry { }
