/**
 * A file before, what is pressed, and the file behind it; ‸ is the cursor, two of them a selection.
 * ⏎ is Enter, ⌫ Backspace, ⎋ Escape, ⌘/ the key for comments; the rest is typed.
 */
export type TypingCase = readonly [before: string, pressed: string, after: string];
