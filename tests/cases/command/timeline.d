/*
 * --timeline writes what threads do: CPUs have a slice for each that runs,
 * threads one for each wait, within the system call that waits.
 */
BEGIN
{
	exit(0);
}
