/*
 * The error names the provider that was written, not the one that it is here.
 */
fsinfo:::lookup { trace(1); }
