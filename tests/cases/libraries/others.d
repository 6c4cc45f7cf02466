/*
 * Names of other systems that mean as much here.
 * @@args: -q
 */
boolean_t b;

BEGIN
{
	b = B_TRUE;
	printf("%d %d %d\n", b, B_FALSE, sizeof (boolean_t));
	printf("%d %d\n", curpsinfo->pr_dmodel == PR_MODEL_LP64,
	    PR_MODEL_ILP32);
	printf("%d %d\n", curpsinfo->pr_projid, curpsinfo->pr_taskid);
	printf("%d %d\n", curlwpsinfo->pr_flag & (PR_STOPPED | PR_PTRACE),
	    curlwpsinfo->pr_flag & PR_ISSYS);
	printf("%d %d %d\n", pset, R_R0, R_R1);
	this->mac = (uint8_t *)alloca(6);
	this->mac[5] = 7;
	printf("%s\n", link_ntop(ARPHRD_ETHER, this->mac));
	exit(0);
}

tcp:::send
/0/
{
	trace(args[1]->cs_pid);
	trace(args[1]->cs_zoneid);
}
