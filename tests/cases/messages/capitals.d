/*
 * A name with other capitals is a name misspelt by one letter.
 * @@needs: nothing
 */
begin { }
