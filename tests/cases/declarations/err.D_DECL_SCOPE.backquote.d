/*
 * A declared name belongs to no module.
 * @@needs: nothing
 */
int mod`x;
BEGIN { }
