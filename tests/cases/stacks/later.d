/*
 * A library that is loaded while we trace, and that nobody had mapped before:
 * all stacks in it are whole, the first one, too, although it keeps no frame
 * pointers, and where main() returns to has been replaced.  Their depth is soon
 * known, and may be an error before (new-depth).
 * @@needs: prog:frames
 */
pid$target:a.out:main:return
{
	trace("main");
}

syscall::getpriority:entry
/pid == $target && arg0 == 0x7001 && arg1 == 1/
{
	base = ustackdepth;
}

syscall::getpriority:entry
/pid == $target && arg0 == 0x7001 && arg1 == 4/
{
	@[ustack()] = count();
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
