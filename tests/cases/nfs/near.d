/*
 * A misspelt operation: the nearest is named, also where no server runs; the
 * number in the provider's name is no process.
 */
nfsv4:::op-raed-start { }
