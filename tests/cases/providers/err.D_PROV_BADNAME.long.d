/*
 * A probe's name has at most 63 characters.
 * @@needs: nothing
 */
provider myprog {
	probe aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa(int);
};
BEGIN { exit(0); }
