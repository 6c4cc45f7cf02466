/*
 * An argument cannot be void beside others.
 * @@needs: nothing
 */
provider myprog {
	probe a(int, void);
};
BEGIN { exit(0); }
