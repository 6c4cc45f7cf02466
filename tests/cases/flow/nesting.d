/*
 * -F indents by call depth; system calls have => and <=.
 * @@args: -F
 * @@needs: prog:known kernel
 * @@run: taskset -c 0 $PROGS/known seq:2
 */
syscall::getpriority:entry, syscall::getpriority:return
/pid == $target/
{
}
