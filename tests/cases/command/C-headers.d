/*
 * -H prints the headers that cpp reads.
 */
#include <here.h>

BEGIN { exit(0); }
