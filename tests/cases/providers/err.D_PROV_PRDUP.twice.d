/*
 * A probe is declared once.
 * @@needs: nothing
 */
provider myprog {
	probe a(int);
	probe a(int);
};
BEGIN { exit(0); }
