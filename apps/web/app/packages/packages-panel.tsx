import { useEffect, useRef } from 'react';
import type { PreferencesStore } from '../preferences/preferences-store.ts';
import { useRequestedFocus, type LayoutController } from '../workspace/layout/layout-controller.ts';
import type { OpenState } from '../workspace/session.ts';
import { useStore, type ValueStore } from '../workspace/value-store.ts';
import type { ProjectPackages } from './project-packages.ts';
import { AddPackage } from './add-package.tsx';
import { PackageRow } from './package-row.tsx';
import styles from './packages-panel.module.css';
import { PackageFailure, PackageProgress } from './package-status.tsx';

interface PackagesPanelProps {
  packages: ProjectPackages;
  preferences: PreferencesStore;
  layout: LayoutController;
  openState: ValueStore<OpenState>;
  /** Cancels the current installation. */
  onCancel: () => void;
}

/** Content of the panel with the project's packages: search, add, change versions, remove. */
export default function PackagesPanel({
  packages,
  preferences,
  layout,
  openState,
  onCancel,
}: PackagesPanelProps) {
  const field = useRef<HTMLInputElement>(null);
  useRequestedFocus(layout, 'packages', () => field.current);
  const list = useStore(packages.list);
  const isOpen = useStore(openState).status === 'open';
  useEffect(() => {
    if (!isOpen) return;
    void packages.loadRegistryInfo(list);
    // Imports may have changed since the sizes were loaded.
    void packages.builds.loadSizes();
  }, [packages, list, isOpen]);

  return (
    <>
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
      <PackageProgress packages={packages} onCancel={onCancel} />
      <AutoInstallSetting preferences={preferences} />
    </>
  );
}

function AutoInstallSetting({ preferences }: { preferences: PreferencesStore }) {
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
