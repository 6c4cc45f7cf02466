#!/usr/sbin/dtrace -s
/*
 * lang-translator.d: A translator of the script gives what a system call's
 * arguments mean names.
 *
 * @@load: prog callargs
 * @@truth: output
 * @@check: out.split() == "-7 in 2 8 -8 out 8 8".split()
 */

#pragma D option quiet

struct wanted {
	int w_fd;
	short w_events;
	short w_revents;
};

typedef struct want {
	int fd;
	string what;
	int twice;
} want_t;

translator want_t < struct wanted *W > {
	fd = W->w_fd;
	what = W->w_events == 1 ? "in" : W->w_events == 4 ? "out" : "other";
	twice = 2 * W->w_events;
};

syscall::poll:entry
/pid == $target/
{
	this->w = (struct wanted *)copyin(arg0, 2 * sizeof (struct wanted));
	this->x = xlate <want_t *> (this->w);
	printf("%d %s %d %d\n", this->x->fd, this->x->what, this->x->twice,
	    sizeof (struct wanted));
	printf("%d %s %d %d\n", xlate <want_t> (this->w + 1).fd,
	    xlate <want_t> (this->w + 1).what,
	    xlate <want_t> (this->w + 1).twice, sizeof (struct wanted));
}
