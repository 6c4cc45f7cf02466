/*
 * Who assigns to an inline or an enumerator wants a variable: nothing is said
 * of a comparison.
 * @@needs: nothing
 */
inline int LIMIT = 3;
enum level { LOW };
BEGIN { LIMIT = 4; }
BEGIN { LOW = 1; }
BEGIN /LIMIT = 4/ { }
