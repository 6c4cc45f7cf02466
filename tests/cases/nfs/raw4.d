/*
 * Version 4, asked by hand: each operation that is answered has a start, where
 * its arguments can be read, and a done, with its status and its results; also
 * what is refused before it runs, and what is told again.  A call that is
 * answered without being taken up has neither.
 * @@args: -q
 * @@needs: kmod:nfsd cmd:python3
 */
nfsv4:::*-start, nfsv4:::null-done, nfsv4:::compound-done
{
	@[probename] = count();
}

nfsv4:::op-*-done
{
	@done[probename, args[3]] = count();
}

nfsv4:::op-*-start
{
	self->data = args[2];
}

nfsv4:::op-*-done
/args[2] != self->data/
{
	printf("%s: data moved\n", probename);
}

nfsv4:::compound-start
{
	@compounds["compound of",
	    ((struct nfsd4_compoundargs *)args[2])->opcnt] = count();
}

nfsv4:::compound-done
{
	@compounds["compound answered",
	    ((struct nfsd4_compoundres *)args[2])->opcnt] = count();
}

nfsv4:::op-lookup-start
{
	this->lookup = (struct nfsd4_lookup *)args[2];
	@names[this->lookup->lo_len == 99 ? "nothing" :
	    substr(stringof(this->lookup->lo_name), 0,
	    this->lookup->lo_len)] = count();
}

nfsv4:::op-access-start
{
	printf("access %#x\n", ((struct nfsd4_access *)args[2])->ac_req_access);
}

nfsv4:::op-access-done
{
	printf("access granted %#x\n",
	    ((struct nfsd4_access *)args[2])->ac_resp_access);
}

nfsv4:::op-read-start
{
	this->read = (struct nfsd4_read *)args[2];
	printf("read %d from %d\n", this->read->rd_length,
	    this->read->rd_offset);
}

nfsv4:::op-read-done
{
	printf("read's status %d, %d\n", args[3],
	    ((struct nfsd4_read *)args[2])->rd_length);
}

nfsv4:::op-write-start
{
	this->write = (struct nfsd4_write *)args[2];
	printf("write %d at %d\n", this->write->wr_buflen,
	    this->write->wr_offset);
}

nfsv4:::op-write-done
{
	printf("wrote %d\n", ((struct nfsd4_write *)args[2])->wr_bytes_written);
}

nfsv4:::op-commit-start
{
	this->commit = (struct nfsd4_commit *)args[2];
	printf("commit %d from %d\n", this->commit->co_count,
	    this->commit->co_offset);
}

END
{
	printa("%s %@d\n", @);
	printa("%s %d: %@d\n", @done);
	printa("%s %d: %@d\n", @compounds);
	printa("lookup %s: %@d\n", @names);
}
