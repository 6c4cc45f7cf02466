/*
 * Places in messages are those before the preprocessor.
 * @@needs: nothing
 */
#define A \
	1

BEGIN { trace(nosuch); }
