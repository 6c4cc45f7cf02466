/*
 * An error in a library is told with its place, when the library is used.
 */

