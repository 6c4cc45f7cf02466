/*
 * Saving needs a file, and linktype=elf is not available.
 */
BEGIN
{
}
