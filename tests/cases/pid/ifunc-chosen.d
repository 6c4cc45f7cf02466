/*
 * The refusal of a choice of functions names the one that is called, also where
 * an old version of the function has the same name.
 */
