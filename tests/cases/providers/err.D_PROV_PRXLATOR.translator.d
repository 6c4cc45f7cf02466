/*
 * A translated argument needs a translator.
 * @@needs: nothing
 */
struct in { int x; };
struct out { int y; };
provider myprog {
	probe a(struct in *p) : (struct out *p);
};
BEGIN { exit(0); }
