/**
 * A file before, the keys pressed, and the file after. ‸ is the cursor, two of them a selection. ⏎
 * is Enter, ⌫ Backspace, ⎋ Escape, ⌘/ the key for comments; everything else is typed.
 */
export type TypingCase = readonly [before: string, pressed: string, after: string];
