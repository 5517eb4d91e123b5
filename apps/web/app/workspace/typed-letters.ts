import { useRef } from 'react';

/** Letters further apart begin another word. */
const pauseMs = 700;

/** The letters that were typed in a row, with this one, at this time. */
export function useLetters(): (letter: string, atMs: number) => string {
  const typed = useRef({ letters: '', atMs: 0 });
  return (letter, atMs) => {
    const goesOn = atMs - typed.current.atMs < pauseMs;
    const before = goesOn ? typed.current.letters : '';
    // The same one again goes on to the next row.
    const letters = before === letter ? letter : before + letter;
    typed.current = { letters, atMs };
    return letters;
  };
}
