/*
 * The faults of proc:::fault have illumos's names and numbers.
 * @@args: -q
 */
BEGIN
{
	printf("%d %d %d %d %d %d ", FLTILL, FLTPRIV, FLTBPT, FLTTRACE,
	    FLTACCESS, FLTBOUNDS);
	printf("%d %d %d %d %d\n", FLTIOVF, FLTIZDIV, FLTFPE, FLTSTACK,
	    FLTPAGE);
	exit(0);
}
