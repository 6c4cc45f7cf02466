/*
 * Only a name can be called.
 * @@needs: nothing
 */
BEGIN { strlen("a")(1); }
