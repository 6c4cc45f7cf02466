/*
 * A probe has at most 32 arguments.
 * @@needs: nothing
 */
provider myprog {
	probe a(int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int);
};
BEGIN { exit(0); }
