/*
 * A script may say so of its own types, also before it declares them; what the
 * type has is not concerned, nor is another type's member of that name.
 * @@needs: nothing
 */
#pragma D unavailable two b nobody counts it
typedef struct { int a; int b; } one;
typedef struct { int a; int b; } two;
translator one < char c > { a = c; b = c; };
translator two < char c > { a = c; };
BEGIN { trace(xlate <one> ((char)1).b); trace(xlate <two> ((char)1).a); }
BEGIN { trace(xlate <two> ((char)1).b); }
