/*
 * Option droptags puts the kind of drop before the message.
 * @@needs: prog:known
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	@[arg1] = count();
}
