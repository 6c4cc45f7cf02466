/*
 * No enum is unsigned.
 * @@needs: nothing
 */
unsigned enum e { A } x;
BEGIN { }
