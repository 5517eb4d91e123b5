import { lazy, Suspense } from 'react';
import { Skeleton } from '../ui/skeleton.tsx';
import { useHydrated } from '../ui/hydrated.ts';
import styles from './welcome.module.css';

// The editor and the preview are most of this page's script, and load after it is shown.
const Demo = lazy(async () => ({ default: (await import('./demo.tsx')).Demo }));

/** The home page's introduction for visitors, with a live demo. */
export function Welcome() {
  const hydrated = useHydrated();
  return (
    <div className={styles.welcome}>
      <h1 className={styles.title}>A self-hosted code playground. Edit the code and see it run.</h1>
      <p className={styles.intro}>
        Fork to keep a draft on this device. You only need an account to save and share.
      </p>
      <div className={styles.demo}>
        <Suspense fallback={<DemoPlaceholder />}>
          {hydrated ? <Demo /> : <DemoPlaceholder />}
        </Suspense>
      </div>
    </div>
  );
}

/** Shown until the demo's script has loaded. */
function DemoPlaceholder() {
  return (
    <div className={styles.placeholder} aria-hidden>
      {['62%', '38%', '54%', '46%', '30%', '58%'].map((width) => (
        <Skeleton key={width} width={width} />
      ))}
    </div>
  );
}
