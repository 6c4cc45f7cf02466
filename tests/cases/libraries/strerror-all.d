/*
 * All numbers have the texts and names of libc, except for signals in real
 * time, whose names are those of the shell.
 */
