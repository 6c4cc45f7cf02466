/*
 * Probes are looked up when a program is loaded, not when it is saved.
 */
nosuch:::probe
{
	trace(1);
}
