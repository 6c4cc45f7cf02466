/*
 * Rates without a unit are nanoseconds; those beyond the limits are clamped.
 */
#pragma D option quiet
#pragma D option switchrate=10
#pragma D option aggrate=0
#pragma D option cleanrate=3000
#pragma D option statusrate=1nsec

BEGIN
{
	setopt("switchrate", "2");
	printf("traced\n");
	exit(0);
}
