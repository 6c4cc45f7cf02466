/*
 * Option syslibdir takes another directory for dtrace's own libraries.
 */

