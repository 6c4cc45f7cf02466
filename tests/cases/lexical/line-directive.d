/*
 * #line changes what a message calls the place.
 * @@args: -x errtags
 * @@needs: nothing
 * @@exit: 1
 */
#line 77 "elsewhere.d"
BEGIN { trace(nosuch); }
