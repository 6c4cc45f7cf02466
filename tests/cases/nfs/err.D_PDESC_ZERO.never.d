/*
 * What Linux has no event for is refused by name.
 */
nfsv4:::op-delegpurge-start { }
