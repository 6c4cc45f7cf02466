/*
 * cs_cid is the cookie that SO_COOKIE tells of a socket.
 * @@args: -q
 * @@needs: prog:net
 * @@run: $PROGS/net cookie:2
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	self->cookie = arg1;
}

udp:::send
/pid == $target/
{
	printf("%d %d\n", self->cookie != 0, args[1]->cs_cid == self->cookie);
}
