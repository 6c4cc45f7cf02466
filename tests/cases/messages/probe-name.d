/*
 * The name of a probe that was meant is suggested.
 * @@needs: nothing
 */
syscall::read:enter { }
