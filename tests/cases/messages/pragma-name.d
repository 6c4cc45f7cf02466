/*
 * The name that a pragma means is suggested.
 * @@needs: nothing
 */
#pragma D attributes Stable/Stable/Common counts
int other;
int countz;
BEGIN { }
