/*
 * A misspelt constant, type or variable of a D library that no text has used
 * yet is known by the nearest name; the libraries' own helpers are not
 * proposed.
 * @@needs: speed
 */
BEGIN { trace(SIGKIL); }
