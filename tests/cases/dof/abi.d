/*
 * Numbers that differ from system to system: option dofabi, or the system that
 * the file names.
 */
BEGIN
{
}
