import { Skeleton } from '../../ui/skeleton.tsx';
import styles from '../workspace-screen.module.css';
import shapes from './skeleton.module.css';

/** Placeholder while a draft is loaded from this device. */
export function WorkspaceSkeleton() {
  return (
    <div className={styles.screen} aria-busy="true" aria-label="Loading">
      <div className={shapes.bar}>
        <Skeleton width="20px" height="20px" />
        <Skeleton width="140px" />
      </div>
      <div className={styles.body}>
        <div className={styles.rail} />
        <div className={shapes.code}>
          {['38%', '24%', '52%', '45%', '30%', '58%', '41%'].map((width) => (
            <Skeleton key={width} width={width} />
          ))}
        </div>
        <div className={shapes.result} />
      </div>
    </div>
  );
}
