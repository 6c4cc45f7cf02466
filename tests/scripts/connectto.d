#!/usr/sbin/dtrace -s
/*
 * connectto.d: where connect() goes: the address out of the program's memory.
 *
 * @@load: toil tcp 6 10
 * @@truth: strace
 * @@check: count(r"^toil +2 +127\.0\.0\.1 +8642$") == strace.seen(r"^connect.*htons\(8642\).*127\.0\.0\.1") == 6
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("%-16s %3s %-16s %s\n", "PROGRAM", "FAM", "ADDRESS", "PORT");
}

syscall::connect:entry
/execname == "toil"/
{
	self->sa = arg1;
}

syscall::connect:return
/self->sa/
{
	this->s = (struct sockaddr_in *)copyin(self->sa,
	    sizeof (struct sockaddr_in));
	this->f = this->s->sin_family;
	this->a = (uint8_t *)&this->s->sin_addr;
	this->addr1 = strjoin(lltostr(this->a[0]), strjoin(".",
	    strjoin(lltostr(this->a[1]), ".")));
	this->addr2 = strjoin(lltostr(this->a[2]), strjoin(".",
	    lltostr(this->a[3])));
	printf("%-16s %3d %-16s %d\n", execname, this->f,
	    strjoin(this->addr1, this->addr2), ntohs(this->s->sin_port));
	self->sa = 0;
}
