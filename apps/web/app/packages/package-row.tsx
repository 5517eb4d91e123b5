import type { PackageInfo } from '@vitrine/esm/messages';
import ArrowUp from 'lucide-react/icons/arrow-up';
import Trash2 from 'lucide-react/icons/trash-2';
import { formatSize } from '../ui/format-size.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { Select } from '../ui/select.tsx';
import { showToast } from '../ui/toast.tsx';
import { useStore } from '../workspace/value-store.ts';
import styles from './package-row.module.css';
import type { ListedPackage, ProjectPackages } from './project-packages.ts';

interface PackageProps {
  item: ListedPackage;
  packages: ProjectPackages;
}

interface PackageRowProps extends PackageProps {
  onRemoved: () => void;
}

/** A package of the project: version, license, size, and actions. */
export function PackageRow({ item, packages, onRemoved }: PackageRowProps) {
  const { name, version, deprecated } = item;
  const newer = findNewer(useStore(packages.registryInfo).get(name), version);

  async function remove(): Promise<void> {
    const restore = await packages.remove(name);
    if (!restore) return;
    onRemoved();
    showToast({ title: `Removed ${name}`, action: { label: 'Undo', run: restore } });
  }

  return (
    <li aria-label={`${name}@${version ?? item.range}`} className={styles.row}>
      <div className={styles.line}>
        <span className={styles.name}>{name}</span>
        {newer !== undefined && (
          <IconButton
            label={`Update ${name} to ${newer}`}
            size="small"
            onClick={() => void packages.update(name)}
          >
            <ArrowUp aria-hidden />
          </IconButton>
        )}
        <IconButton label={`Remove ${name}`} size="small" onClick={() => void remove()}>
          <Trash2 aria-hidden />
        </IconButton>
      </div>
      <div className={styles.line}>
        <VersionSelect item={item} packages={packages} />
        <span className={styles.details}>{useDetails(item, packages)}</span>
      </div>
      {deprecated !== undefined && <p className={styles.deprecated}>Deprecated: {deprecated}</p>}
    </li>
  );
}

/** The latest version, if it is newer than this one. A prerelease may be newer than the latest. */
function findNewer(info: PackageInfo | undefined, version: string | undefined): string | undefined {
  const latest = info?.tags['latest'];
  if (!info || latest === undefined || version === undefined) return undefined;
  const { versions } = info;
  return versions.indexOf(latest) < versions.indexOf(version) ? latest : undefined;
}

/** Number of versions to choose from. Any other can be entered as NAME@VERSION. */
const versionsShown = 60;

function VersionSelect({ item: { name, version, range }, packages }: PackageProps) {
  const known = useStore(packages.registryInfo).get(name)?.versions ?? [];
  const current = version ?? range;
  const isPrerelease = (each: string) => each.includes('-');
  const shown = [
    ...known.filter((each) => !isPrerelease(each)),
    ...known.filter(isPrerelease),
  ].slice(0, versionsShown);
  const versions = shown.includes(current) ? shown : [current, ...shown];
  return (
    <Select
      label={`Version of ${name}`}
      labelHidden
      size="small"
      value={current}
      options={versions.map((each) => ({ value: each, label: each }))}
      onChange={(selected) => {
        if (selected !== current) void packages.add([{ name, range: selected }]);
      }}
    />
  );
}

function useDetails({ name, version, license }: ListedPackage, packages: ProjectPackages): string {
  const bytes = useStore(packages.builds.sizes).get(`${name}@${version ?? ''}`);
  return [license, bytes === undefined ? undefined : formatSize(bytes)]
    .filter((detail) => detail !== undefined)
    .join(' · ');
}
