import styles from './avatar.module.css';

/** "Ada Lovelace" → "AL"; "ada-lovelace" → "AL"; "ada" → "A". */
function getInitials(name: string): string {
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

interface AvatarProps {
  name: string;
  /** URL of the picture; without it, initials are shown. */
  picture?: string | undefined;
  size?: 20 | 24 | 32 | 40 | 64;
}

/**
 * A user's picture or initials in a circle. Hidden from assistive technology, because the name is
 * next to it or on its button.
 */
export function Avatar({ name, picture, size = 24 }: AvatarProps) {
  const letters = getInitials(name);
  return (
    <span
      aria-hidden
      className={styles.avatar}
      // Shown by the stylesheet: as text, they would be part of a button's label.
      data-initials={picture === undefined ? letters : undefined}
      style={{ width: size, height: size, fontSize: fontSizeFor(letters, size) }}
    >
      {picture !== undefined && (
        <img className={styles.picture} src={picture} alt="" width={size} height={size} />
      )}
    </span>
  );
}

/** A font size in pixels at which two wide letters ("WM") fit the circle. */
function fontSizeFor(letters: string, size: number): number {
  if (size > 40) return 22;
  if (size > 24) return 13;
  return letters.length > 1 ? 10 : 12;
}
