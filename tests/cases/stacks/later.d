/*
 * A library that is loaded while we trace, and that nobody had mapped before, is
 * soon known: its two frames are found although it keeps no frame pointers.
 * @@needs: prog:frames
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001 && arg1 == 1/
{
	base = ustackdepth;
}

syscall::getpriority:entry
/pid == $target && arg0 == 0x7001 && arg1 == 4/
{
	last = ustackdepth - base;
}

END
{
	trace(last);
}
