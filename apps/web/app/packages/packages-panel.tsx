import { useEffect, useRef } from 'react';
import { usePanelFocus } from '../workspace/layout/panel-focus.ts';
import { SidebarPanel } from '../workspace/layout/sidebar-panel.tsx';
import { useStore } from '../workspace/value-store.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { AddPackage } from './add-package.tsx';
import { PackageRow } from './package-row.tsx';
import styles from './packages-panel.module.css';
import { PackageFailure, PackageProgress } from './package-status.tsx';

/** Panel with the project's packages: search, add, change versions, remove. */
export function PackagesPanel({ workspace }: { workspace: Workspace }) {
  const { packages } = workspace;
  const field = useRef<HTMLInputElement>(null);
  usePanelFocus(workspace, 'packages', () => field.current);
  const list = useStore(packages.list);
  const isOpen = useStore(workspace.openState).status === 'open';
  useEffect(() => {
    if (isOpen) void packages.loadRegistryInfo(list);
  }, [packages, list, isOpen]);

  return (
    <SidebarPanel title="Packages" workspace={workspace}>
      <AddPackage packages={packages} field={field} />
      <div className={styles.body}>
        <PackageFailure packages={packages} />
        {list.length === 0 ? (
          <p className={styles.empty}>No packages yet. Search above to add one.</p>
        ) : (
          <ul aria-label="Project packages" className={styles.list}>
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
      <PackageProgress workspace={workspace} />
      <AutoInstallSetting workspace={workspace} />
    </SidebarPanel>
  );
}

function AutoInstallSetting({ workspace }: { workspace: Workspace }) {
  const { preferences } = workspace;
  const { addsPackages } = useStore(preferences.current);
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
