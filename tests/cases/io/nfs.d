/*
 * Requests to an NFS server, and their completion, are parts of files.  A read
 * may ask for more than the file has.
 * @@args: -q
 * @@needs: kmod:nfsd kmod:nfsv3
 */
io:::start, io:::done
/args[2]->fi_fs == $$1/
{
	this->bytes = args[0]->b_bcount;
	@[args[2]->fi_pathname, args[2]->fi_offset, probename == "start" &&
	    args[2]->fi_name == "ready" && this->bytes > 22 ? 22 : this->bytes,
	    probename, args[0]->b_flags] = count();
	@bad = sum(args[0]->b_error != 0 || args[0]->b_resid != 0 ||
	    args[0]->b_blkno != args[2]->fi_offset / 512 ||
	    args[0]->b_lblkno != args[0]->b_blkno ||
	    args[0]->b_bufsize != args[0]->b_bcount ||
	    args[0]->b_iodone != NULL || args[0]->b_edev == 0 ||
	    args[1]->dev_major != getmajor(args[0]->b_edev) ||
	    args[1]->dev_minor != getminor(args[0]->b_edev) ||
	    args[1]->dev_instance != 0 || args[1]->dev_name != "nfs" ||
	    args[1]->dev_statname != "nfs" ||
	    args[1]->dev_pathname != "<nfs>");
}

END
{
	printa("%s %d: %d %s 0x%x %@d\n", @);
	printa("%@d\n", @bad);
}
