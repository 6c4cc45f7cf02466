/*
 * Option nolibs leaves the libraries out.
 * @@args: -x nolibs
 * @@needs: nothing
 */
BEGIN { trace(ENOENT); }
