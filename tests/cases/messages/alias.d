/*
 * The error names the provider as written, not the one that it stands for here.
 */
fsinfo:::lookup { trace(1); }
