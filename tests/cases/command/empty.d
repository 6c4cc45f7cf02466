/*
 * -x empty permits an empty program.
 */

