/*
 * Saving needs a file, and linktype=elf is not to be had.
 */
BEGIN
{
}
