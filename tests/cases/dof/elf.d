/*
 * -S prints every DOF in an ELF file; without -S it is no program.
 */
BEGIN
{
	exit(0);
}
