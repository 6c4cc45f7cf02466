/* What vfs lacks is no probe of fsinfo, either. */
fsinfo:::lookup { trace(1); }
