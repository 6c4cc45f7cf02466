/*
 * The type that was meant is suggested.
 * @@needs: nothing
 */
typedef int mytype_t;
mytpye_t x;
BEGIN { }
