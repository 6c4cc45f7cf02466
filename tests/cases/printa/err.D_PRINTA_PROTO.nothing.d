/*
 * printa() needs an aggregation.
 * @@needs: nothing
 */
BEGIN { printa(); }
