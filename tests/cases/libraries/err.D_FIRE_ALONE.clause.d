/*
 * A library may only declare.
 */

