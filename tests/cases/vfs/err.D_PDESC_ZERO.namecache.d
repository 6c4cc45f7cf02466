/*
 * The cache of names has no events.
 */
vfs:::namecache-miss { }
