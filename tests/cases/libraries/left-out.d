/*
 * A library that depends on something that is not there is left out.
 */

