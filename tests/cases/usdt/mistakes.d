/*
 * What -h and -G cannot do is refused by name, and nothing is written.
 * @@needs: nothing
 */
provider p {
	probe thirteen(int, int, int, int, int, int, int, int, int, int, int,
	    int, int);
};
