import type { AssetFile } from '@vitrine/project';
import type { ProjectPackages } from '../../packages/project-packages.ts';
import { Dialog } from '../../ui/dialog.tsx';
import type { ProjectIdentity } from '../sharing/identity.ts';
import styles from './compared-previews.module.css';
import type { ComparedStates } from './project-history.ts';
import { VersionPreview } from './version-preview.tsx';

interface ComparedPreviewsProps {
  project: ProjectIdentity;
  packages: ProjectPackages;
  states: ComparedStates;
  loadAsset: (asset: AssetFile) => Promise<Blob>;
  onClose: () => void;
}

/** Two states of a project, running side by side, or one above the other on a phone. */
export default function ComparedPreviews(props: ComparedPreviewsProps) {
  const { project, packages, states, loadAsset, onClose } = props;
  return (
    <Dialog open onClose={onClose} title="Compare previews" width="full">
      <div className={styles.sides}>
        {[states.before, states.after].map((version) => {
          const name = version.number === null ? 'Current version' : `Version ${version.number}`;
          return (
            <section key={name} aria-label={name} className={styles.side}>
              <h3 className={styles.name}>{name}</h3>
              <VersionPreview
                {...{ project, packages, version, loadAsset }}
                title={`Result of ${name.toLowerCase()}`}
              />
            </section>
          );
        })}
      </div>
    </Dialog>
  );
}
