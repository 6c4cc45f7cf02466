/*
 * DOF says where it comes from, unless option strip is set.
 */
BEGIN
{
	exit(0);
}
