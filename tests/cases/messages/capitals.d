/*
 * A name with other capitals is one that is misspelt by a letter; with other
 * letters, too, it is another.
 * @@needs: nothing
 */
begin { }
