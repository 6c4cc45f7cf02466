/*
 * lockmem is the limit on locked memory while it traces; a limit that cannot be
 * set is an error.
 */
BEGIN
{
	system("sed -n 's/^Max locked memory *\\([0-9]*\\) .*/\\1/p' /proc/%d/limits",
	    $pid);
	exit(0);
}
