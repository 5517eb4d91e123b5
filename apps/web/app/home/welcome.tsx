import { lazy, Suspense } from 'react';
import { Skeleton } from '../ui/skeleton.tsx';
import { useHydrated } from '../ui/hydrated.ts';
import styles from './welcome.module.css';

// The editor and the result are most of this page's script, and the page does not wait for them.
const Demo = lazy(async () => ({ default: (await import('../workspace/demo.tsx')).Demo }));

/** What a visitor meets: the thing itself, to be typed in at once. */
export function Welcome() {
  const hydrated = useHydrated();
  return (
    <div className={styles.welcome}>
      <h1 className={styles.title}>
        A code playground you host yourself. Edit the code, see it run.
      </h1>
      <p className={styles.intro}>
        Fork to keep a draft on this device. Sign up only to save and share.
      </p>
      <div className={styles.case}>
        <Suspense fallback={<DemoPlace />}>{hydrated ? <Demo /> : <DemoPlace />}</Suspense>
      </div>
    </div>
  );
}

/** Holds the demo's place until its script is there. */
function DemoPlace() {
  return (
    <div className={styles.place} aria-hidden>
      {['62%', '38%', '54%', '46%', '30%', '58%'].map((width) => (
        <Skeleton key={width} width={width} />
      ))}
    </div>
  );
}
