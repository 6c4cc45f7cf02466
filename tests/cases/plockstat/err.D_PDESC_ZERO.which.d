/*
 * The provider needs a process.
 */
plockstat:::mutex-acquire { }
