/*
 * An argument of fire() that the kernel's types cannot tell costs scripts that
 * use it, by name, and no others; where another clause can tell it, that is
 * taken.
 */
