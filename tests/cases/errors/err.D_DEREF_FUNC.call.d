/*
 * A function has no value to load.
 * @@needs: nothing
 */
BEGIN { trace(*(int (*)(int))arg0); }
