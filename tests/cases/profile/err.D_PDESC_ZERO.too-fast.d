/*
 * There is no clock of a period that no machine keeps up with.
 */
profile:::profile-1ns
{
}
