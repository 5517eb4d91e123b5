import styles from './source-link.module.css';

/** A place in a project's file; `path` is "" and `line` 0 where it cannot be told. */
export interface CodePlace {
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

export type GoTo = (place: CodePlace) => void;

/** "script.js:12", "script.js" or "". */
export function placeWords({ path, line }: CodePlace): string {
  return path !== '' && line > 0 ? `${path}:${line}` : path;
}

/** "script.js:12", which leads there; nothing where the place cannot be told. */
export function SourceLink({ place, onGoTo }: { place: CodePlace; onGoTo: GoTo }) {
  const words = placeWords(place);
  if (words === '') return null;
  return (
    <button type="button" className={styles.link} onClick={() => onGoTo(place)}>
      {words}
    </button>
  );
}
