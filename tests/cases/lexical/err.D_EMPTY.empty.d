/*
 * An empty program is an error.
 */

