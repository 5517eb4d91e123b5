import { useEffect, useRef } from 'react';
import { Panel } from '../workspace/panel.tsx';
import { useSource } from '../workspace/source.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { AddPackage } from './add-package.tsx';
import { PackageRow } from './package-row.tsx';
import styles from './packages-panel.module.css';
import { WorkFailure, WorkProgress } from './work-notice.tsx';

/** Panel with the project's packages: search, add, change versions, remove. */
export function PackagesPanel({ workspace }: { workspace: Workspace }) {
  const { packages } = workspace;
  const field = useRef<HTMLInputElement>(null);
  const list = useSource(packages.list);
  const isOpen = useSource(workspace.opening).status === 'open';
  useEffect(() => {
    if (isOpen) void packages.describe(list);
  }, [packages, list, isOpen]);

  return (
    <Panel title="Packages" workspace={workspace}>
      <AddPackage packages={packages} field={field} />
      <div className={styles.body}>
        <WorkFailure packages={packages} />
        {list.length === 0 ? (
          <p className={styles.empty}>No packages yet. Search npm above to add one.</p>
        ) : (
          <ul aria-label="Packages of the project" className={styles.list}>
            {list.map((item) => (
              <PackageRow
                key={item.name}
                item={item}
                packages={packages}
                onRemoved={() => field.current?.focus()}
              />
            ))}
          </ul>
        )}
      </div>
      <WorkProgress workspace={workspace} />
      <AutoInstallSetting workspace={workspace} />
    </Panel>
  );
}

function AutoInstallSetting({ workspace }: { workspace: Workspace }) {
  const { preferences } = workspace;
  const { addsPackages } = useSource(preferences.now);
  return (
    <label className={styles.choice}>
      <input
        type="checkbox"
        checked={addsPackages}
        onChange={({ target }) => preferences.change({ addsPackages: target.checked })}
      />
      Install missing packages automatically
    </label>
  );
}
