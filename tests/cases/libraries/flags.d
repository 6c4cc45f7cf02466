/*
 * Constants that scripts of other systems use: the flags of TCP, the bits of a
 * mode, protocols.
 * @@args: -q
 */
BEGIN
{
	printf("%x\n", TH_FIN | TH_SYN | TH_RST | TH_PSH | TH_ACK | TH_URG |
	    TH_ECE | TH_CWR);
	printf("%d\n", TH_PSH == TH_PUSH);
	printf("%o %o\n", S_ISUID | S_ISGID | S_ISVTX | S_IRWXU | S_IRWXG |
	    S_IRWXO, S_IRUSR | S_IWUSR | S_IXUSR | S_IRGRP | S_IWGRP |
	    S_IXGRP | S_IROTH | S_IWOTH | S_IXOTH);
	printf("%d %d %d\n", IPPROTO_HOPOPTS, IPPROTO_OSPF, IPPROTO_MH);
	exit(0);
}
