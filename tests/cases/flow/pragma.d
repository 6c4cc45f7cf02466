/*
 * #pragma D option flowindent is -F.
 */
#pragma D option flowindent

BEGIN { exit(0); }
