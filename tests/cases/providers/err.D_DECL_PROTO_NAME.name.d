/*
 * A translated argument has the name of a native one.
 * @@needs: nothing
 */
provider myprog {
	probe a(int x) : (int y);
};
BEGIN { exit(0); }
