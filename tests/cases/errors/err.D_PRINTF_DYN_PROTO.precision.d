/*
 * A precision from an argument needs the argument.
 * @@needs: nothing
 */
BEGIN { printf("%.*d"); }
