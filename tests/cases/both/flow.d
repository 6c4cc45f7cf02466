/*
 * Calls of functions and system calls nest in the flow of both parts.
 * @@needs: prog:mixed
 */
pid$target:a.out:step:entry, pid$target:a.out:step:return {}
syscall::getpriority: /pid == $target/ {}
