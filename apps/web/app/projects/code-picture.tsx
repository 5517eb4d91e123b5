import styles from './code-picture.module.css';

interface CodePictureProps {
  /** The start of a file. */
  excerpt: { readonly path: string; readonly text: string } | null;
}

/** The start of a project's code, as the picture of its card. Decorative: the card has the title. */
export function CodePicture({ excerpt }: CodePictureProps) {
  return (
    <span aria-hidden className={styles.picture}>
      <span className={styles.text}>{excerpt?.text}</span>
    </span>
  );
}
