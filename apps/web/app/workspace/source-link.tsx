import { placeWords, type CodePlace } from './code-place.ts';
import styles from './source-link.module.css';

export type GoTo = (place: CodePlace) => void;

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
