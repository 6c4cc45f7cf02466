/*
 * An argument has no storage class.
 * @@needs: nothing
 */
provider myprog {
	probe a(self int x);
};
BEGIN { exit(0); }
