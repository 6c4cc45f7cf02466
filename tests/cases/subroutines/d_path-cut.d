/*
 * A path of 3000 bytes is cut at strsize: its beginning stays.
 * @@args: -q -x strsize=100
 * @@needs: prog:places
 * @@run: $PROGS/places
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001 && arg1 == 3/
{
	this->file = getf(arg4);
	this->path = d_path(&this->file->f_path);
	cut += strlen(this->path) == 100;
	same += copyinstr(arg2, 100) == this->path;
	all++;
}

END { printf("%d %d\n", cut >= 1, same == all); }
