/*
 * A pointer of a system call to a struct is followed in the process, be the
 * struct the kernel's or one of the script.
 * @@args: -q
 * @@run: $PROGS/callargs
 */
struct mine {
	int fd;
	short events:3;
	short more:13, revents;
};

syscall::poll:entry
/pid == $target && args[1] == 2/
{
	printf("%d %d\n", args[0]->fd, args[0][1].events);
	this->p = (userland struct mine *)arg0;
	printf("%d %d %d\n", this->p->fd, (this->p + 1)->fd,
	    this->p[1].events);
	this->p++;
	printf("%d\n", (*this->p).fd);
	this->whole = *(userland struct mine *)arg0;
	printf("%d %d\n", this->whole.fd, this->whole.events);
	printf("%d\n", &this->p->revents - (userland short *)arg0);
}
