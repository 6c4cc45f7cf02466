/*
 * A program may define providers beside its clauses.
 * @@args: -q
 */
struct stat { int x; };
provider myprog {
	probe start();
	probe request__start(int id, char *name, struct stat *st);
	probe none(void);
	probe swapped(int a, string b) : (string b, int a);
};
BEGIN { exit(0); }

#pragma D attributes Evolving/Evolving/Common provider myprog provider
#pragma D attributes Private/Private/Unknown provider myprog module
#pragma D attributes Private/Private/Unknown provider myprog function
#pragma D attributes Evolving/Evolving/Common provider myprog name
#pragma D attributes Evolving/Evolving/Common provider myprog args
