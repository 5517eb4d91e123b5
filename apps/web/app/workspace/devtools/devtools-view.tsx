import type { DevtoolsState } from '@vitrine/sandbox/host';
import { useEffect, useRef, useState } from 'react';
import { onThemeChange, getActiveTheme } from '../../ui/theme/theme.ts';
import styles from './devtools-view.module.css';
import type { PreviewController } from '../preview/preview-controller.ts';
import { useStore } from '../value-store.ts';

/** DevTools tab: Chromium's DevTools front end, connected to the running page. */
export function DevtoolsView({ preview: controller }: { preview: PreviewController }) {
  const preview = useStore(controller.mounted);
  const element = useRef<HTMLDivElement>(null);
  const [state, setState] = useState<DevtoolsState>({ status: 'opening' });
  useEffect(() => {
    if (!preview || !element.current) return;
    const view = preview.devtools.open({
      element: element.current,
      theme: getActiveTheme(),
      onState: setState,
    });
    const unsubscribe = onThemeChange(() => view.setTheme(getActiveTheme()));
    return () => {
      unsubscribe();
      view.close();
      setState({ status: 'opening' });
    };
  }, [preview]);

  return (
    <div className={styles.view} data-status={state.status}>
      <div ref={element} className={styles.frame} />
      {state.status === 'opening' && <p className={styles.wait}>Opening DevTools…</p>}
      {state.status === 'failed' && <p className={styles.note}>{state.message}</p>}
    </div>
  );
}
