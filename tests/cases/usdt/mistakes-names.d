/*
 * What is not there, and why.
 */
