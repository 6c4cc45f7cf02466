/*
 * A misspelt provider's probe may be one that is made when it is asked for.
 * @@needs: nothing
 */
profil:::tick-77ms { }
