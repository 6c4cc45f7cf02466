/*
 * What Linux has no event for is refused by name.
 */
sysinfo:::ufsiget { }
