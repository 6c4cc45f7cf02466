/*
 * bpflog shows what the kernel says of each program, also of one that it
 * takes; bpflogsize is the room for it, and too little is an error.
 */
BEGIN
{
	printf("%s\n", strjoin("a", execname));
	i = index(substr("abcdef", 1), "d");
	s = strtok("a,b", ",");
	d = dirname(basename(cleanpath("/a/../b/c")));
	exit(0);
}
