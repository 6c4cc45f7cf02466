/*
 * A probe's arguments are all declared.
 * @@needs: nothing
 */
provider myprog { probe a(int, ...); };
BEGIN { }
