/*
 * A cast to a type of the kernel whose operand the parser has misread.
 */
BEGIN { trace((s64)-6 / 2); }
