/*
 * A script that fills an array of its own with names has the array, not the
 * library's function of that name.
 * @@args: -q
 */
BEGIN
{
	errname[2] = "no entry";
	signame = 9;
	printf("%s %d\n", errname[2], signame);
	exit(0);
}
