/*
 * Without -c and -p no probe is in $target.
 */
pid$target:::entry
{
}
