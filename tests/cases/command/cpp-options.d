/*
 * -x define, undef and incdir are -D, -U and -I; cpphdrs is -H.
 */
#include <a.h>
#ifndef E
#define E 0
#endif

BEGIN
{
	printf("%d %d %d\n", A, B, E);
	exit(0);
}
