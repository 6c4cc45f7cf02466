/*
 * A write that the device cannot do: an error, and nothing is transferred.
 * @@args: -q
 * @@needs: cmd:losetup
 */
io:::start
/pid == $target && args[1]->dev_pathname == $$1/
{
	edev = args[0]->b_edev;
}

io:::done
/args[0]->b_edev == edev/
{
	printf("0x%x %d %d of %d\n", args[0]->b_flags,
	    args[0]->b_error == EIO || args[0]->b_error == ENOSPC,
	    args[0]->b_resid, args[0]->b_bcount);
}
