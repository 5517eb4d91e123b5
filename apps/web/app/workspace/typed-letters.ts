import { useRef } from 'react';

/** Characters typed further apart start a new search. */
const pauseMs = 700;

/** Typeahead buffer: returns the characters typed in a row, including this one at this time. */
export function useLetters(): (letter: string, atMs: number) => string {
  const typed = useRef({ letters: '', atMs: 0 });
  return (letter, atMs) => {
    const goesOn = atMs - typed.current.atMs < pauseMs;
    const before = goesOn ? typed.current.letters : '';
    // Repeating a character goes to the next row.
    const letters = before === letter ? letter : before + letter;
    typed.current = { letters, atMs };
    return letters;
  };
}
