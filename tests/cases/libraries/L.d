/*
 * Libraries of -L are compiled, what they depend on before them.
 */

