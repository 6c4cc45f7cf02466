/*
 * The process has to be said.
 */
plockstat:::mutex-acquire { }
