import styles from './avatar.module.css';

/** "Ada Lovelace" → "AL"; "ada-lovelace" → "AL"; "ada" → "A". */
export function initials(name: string): string {
  const words = name
    .trim()
    .split(/[\s-]+/u)
    .filter(Boolean);
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined];
  return letters
    .map((word) => [...(word ?? '')][0] ?? '')
    .join('')
    .toUpperCase();
}

/** A person as a disc with initials. The name stands beside it or on its button, so it is silent. */
export function Avatar({ name, size = 24 }: { name: string; size?: 20 | 24 | 32 | 40 }) {
  const letters = initials(name);
  // Two wide letters ("WM") still fit the disc.
  const fontSize = size > 24 ? 13 : letters.length > 1 ? 10 : 12;
  return (
    <span aria-hidden className={styles.avatar} style={{ width: size, height: size, fontSize }}>
      {letters}
    </span>
  );
}
