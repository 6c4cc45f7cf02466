/*
 * Input that -h and -G cannot use is refused by name, and nothing is written.
 * @@needs: nothing
 */
provider p {
	probe thirteen(int, int, int, int, int, int, int, int, int, int, int,
	    int, int);
};
