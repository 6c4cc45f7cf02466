/*
 * A script may make a member of its own type unavailable, even before it
 * declares the type; its other members, and another type's of that name, stay.
 * @@needs: nothing
 */
#pragma D unavailable two b nobody counts it
typedef struct { int a; int b; } one;
typedef struct { int a; int b; } two;
translator one < char c > { a = c; b = c; };
translator two < char c > { a = c; };
BEGIN { trace(xlate <one> ((char)1).b); trace(xlate <two> ((char)1).a); }
BEGIN { trace(xlate <two> ((char)1).b); }
