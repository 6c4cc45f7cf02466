/*
 * An argument cannot be a struct that is not declared.
 * @@needs: nothing
 */
provider myprog {
	probe a(struct nosuch_struct x);
};
BEGIN { exit(0); }
