/*
 * -C runs the C preprocessor, and -D, -U, -I and -H are for it.
 */
#include <greet.h>
#ifdef GONE
#define WORD "gone"
#else
#define WORD "kept"
#endif

BEGIN
{
	// only cpp knows this kind of comment
	printf("%s %d %s\n", GREETING, COUNT, WORD);
	exit(0);
}
