/*
 * A misspelt provider may be one whose probes are made on demand.
 * @@needs: nothing
 */
profil:::tick-77ms { }
