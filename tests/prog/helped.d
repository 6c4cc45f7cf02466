/*
 * Names for the frames of helped.c, read at their frame pointers.  A frame in
 * other memory is called by the name; a frame in the program, which has a
 * symbol, gets it as a remark.
 */
dtrace:helper:ustack:
{
	this->is_ours = 0;
	this->name = (uint64_t)0;
}

dtrace:helper:ustack:
/arg1 > 0x10000/
{
	this->is_ours = *(uint64_t *)copyin(arg1 - 16, 8) == 0x6672616d;
}

dtrace:helper:ustack:
/this->is_ours/
{
	this->frame = *(uint64_t *)copyin(arg1 - 8, 8);
	this->name = *(uint64_t *)copyin(this->frame, 8);
	this->line = *(uint32_t *)copyin(this->frame + 8, 4);
	strjoin(strjoin(copyinstr(this->name), ":"), lltostr(this->line));
}
