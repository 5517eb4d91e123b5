import styles from './skeleton.module.css';

interface SkeletonProps {
  /** CSS lengths; a line of text by default. */
  width?: string;
  height?: string;
}

/** Placeholder for loading content. Hidden from assistive technology. */
export function Skeleton({ width = '100%', height = '12px' }: SkeletonProps) {
  return <span aria-hidden className={styles.skeleton} style={{ width, height }} />;
}
