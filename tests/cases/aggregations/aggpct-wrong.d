/*
 * Percents are above 0 and at most 100, with three decimals and no more, and
 * there are eight of them at most.  A wrong list leaves the option as it was.
 * @@args: -q -x aggpct=50
 */
BEGIN
{
	@ = quantize(1);
}

BEGIN { setopt("aggpct", "50,0"); }
BEGIN { setopt("aggpct", "100.001"); }
BEGIN { setopt("aggpct", "99.9999"); }
BEGIN { setopt("aggpct", "50,"); }
BEGIN { setopt("aggpct", "50.,60"); }
BEGIN { setopt("aggpct", "1,2,3,4,5,6,7,8,9"); }
BEGIN { exit(0); }
