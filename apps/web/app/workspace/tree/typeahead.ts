import { useRef } from 'react';

/** Characters typed further apart start a new search. */
const pauseMs = 700;

/** Typeahead buffer: returns the characters typed in a row, including this one at this time. */
export function useTypeahead(): (character: string, atMs: number) => string {
  const typed = useRef({ text: '', atMs: 0 });
  return (character, atMs) => {
    const continues = atMs - typed.current.atMs < pauseMs;
    const before = continues ? typed.current.text : '';
    // Repeating a character goes to the next row.
    const text = before === character ? character : before + character;
    typed.current = { text, atMs };
    return text;
  };
}
