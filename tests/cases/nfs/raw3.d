/*
 * Version 3, asked by hand: each call that is taken up has a start, where its
 * arguments can be read, and a done, where its results can; also one whose
 * answer is told again.  What is answered without being taken up has neither.
 * @@args: -q
 * @@needs: kmod:nfsd cmd:python3
 */
nfsv3:::
{
	@[probename] = count();
}

nfsv3:::op-lookup-start
{
	this->dir = (struct nfsd3_diropargs *)args[2];
	printf("lookup %s\n", substr(stringof(this->dir->name), 0,
	    this->dir->len));
}

nfsv3:::op-lookup-done
{
	printf("lookup's status %d\n",
	    ntohl(((struct nfsd3_diropres *)args[2])->status));
}

nfsv3:::op-access-start
{
	printf("access %#x\n", ((struct nfsd3_accessargs *)args[2])->access);
}

nfsv3:::op-access-done
{
	this->got = (struct nfsd3_accessres *)args[2];
	printf("access's status %d, %#x\n", ntohl(this->got->status),
	    this->got->access);
}

nfsv3:::op-read-start
{
	this->read = (struct nfsd3_readargs *)args[2];
	printf("read %d from %d\n", this->read->count, this->read->offset);
}

nfsv3:::op-read-done
{
	this->done = (struct nfsd3_readres *)args[2];
	printf("read's status %d, %d\n", ntohl(this->done->status),
	    this->done->count);
}

nfsv3:::op-create-start
{
	this->new = (struct nfsd3_createargs *)args[2];
	printf("create %s\n", substr(stringof(this->new->name), 0,
	    this->new->len));
}

nfsv3:::op-write-start
{
	this->write = (struct nfsd3_writeargs *)args[2];
	printf("write %d at %d\n", this->write->count, this->write->offset);
}

nfsv3:::op-write-done
{
	this->wrote = (struct nfsd3_writeres *)args[2];
	printf("write's status %d, %d\n", ntohl(this->wrote->status),
	    this->wrote->count);
}

nfsv3:::op-commit-start
{
	this->commit = (struct nfsd3_commitargs *)args[2];
	printf("commit %d from %d\n", this->commit->count,
	    this->commit->offset);
}

END
{
	printa("%s %@d\n", @);
}
