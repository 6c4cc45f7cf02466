/*
 * lockmem is the limit on locked memory while it traces; what cannot be had is
 * an error.
 */
BEGIN
{
	system("sed -n 's/^Max locked memory *\\([0-9]*\\) .*/\\1/p' /proc/%d/limits",
	    $pid);
	exit(0);
}
