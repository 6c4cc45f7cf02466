/*
 * Libraries that depend on each other are refused.
 */

