import { isRecord } from '@vitrine/project';
import styles from './project-picture.module.css';

/** What a project's card shows. */
export interface ProjectPictureContent {
  /** Path of the poster below `/posters`, with a query that changes with it. Null without one. */
  readonly poster: string | null;
  /** The start of a telling file. Null if the user reads none. */
  readonly text: string | null;
}

/**
 * The picture of a project's card: its poster, or the start of its code until there is one. Decorative:
 * the card has the title.
 */
export function ProjectPicture({ content }: { content: ProjectPictureContent | null }) {
  if (content?.poster) {
    return (
      <img
        className={styles.poster}
        src={`/posters/${content.poster}`}
        width={1280}
        height={800}
        alt=""
        loading="lazy"
        decoding="async"
      />
    );
  }
  return (
    <span aria-hidden className={styles.code}>
      <span className={styles.text}>{content?.text}</span>
    </span>
  );
}

/** Parses the database's `excerpt` of a project: `{ path, text, poster }`, each of which may be missing. */
export function parsePictureContent(value: unknown): ProjectPictureContent | null {
  if (!isRecord(value)) return null;
  return {
    poster: typeof value.poster === 'string' ? value.poster : null,
    text: typeof value.text === 'string' ? value.text : null,
  };
}
