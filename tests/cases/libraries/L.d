/*
 * Libraries of -L are compiled when a name of theirs is used, and what they depend on before them.
 */

