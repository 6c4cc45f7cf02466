/*
 * #line changes what a message calls the place.
 * @@needs: nothing
 * @@exit: 1
 */
#line 77 "elsewhere.d"
BEGIN { trace(nosuch); }
