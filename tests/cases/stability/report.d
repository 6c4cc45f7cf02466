/*
 * -v reports the least stable attributes of descriptions and statements.
 * @@needs: nothing
 */
syscall::read:entry /pid == $pid/ { trace(curthread->pid); }
