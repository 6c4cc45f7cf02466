/*
 * By default the command is seen once its libraries are loaded.
 * @@needs: prog:known
 */
BEGIN { mark = opens = 0; }

syscall::openat:entry
/pid == $target/
{
	opens++;
}

syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	mark++;
}

END { printf("%d %d\n", mark, opens); }
