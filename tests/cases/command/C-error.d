/*
 * What cpp complains about is passed on.
 */
#include <nosuch.h>

BEGIN { exit(0); }
