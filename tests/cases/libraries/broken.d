/*
 * An error in a library of -L is reported with its place and ends dtrace,
 * whether the library is used or not.
 */
