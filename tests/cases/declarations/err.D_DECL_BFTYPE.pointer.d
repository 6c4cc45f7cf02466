/*
 * A bit-field is an integer.
 * @@needs: nothing
 */
struct s { char *a : 3; };
BEGIN { }
