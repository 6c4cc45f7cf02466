/* A message names the whole description, whose module is a path.
 * @@needs: prog:calls
 */
