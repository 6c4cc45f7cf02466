/*
 * pcap() writes packets to a file that freopen() has opened, in libpcap's
 * format, at most pcapsize bytes of each; elsewhere it shows the bytes.
 * @@needs: prog:known
 */
syscall::write:entry
/pid == $target && arg2 == 56/
{
	pcap(copyin(arg1 + 32, 24), 6);
	freopen("packets");
	pcap(copyin(arg1 + 32, 24), 18);
	pcap((userland char *)(arg1 + 32), 6);
	freopen("");
	freopen("packets");
	pcap(copyin(arg1 + 32, 24), 2);
	exit(0);
}
