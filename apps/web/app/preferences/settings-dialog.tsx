import { Tabs } from '@base-ui/react/tabs';
import type { Surrounds } from '../commands/workspace-commands.ts';
import { Dialog } from '../ui/dialog.tsx';
import { useSource } from '../workspace/source.ts';
import { EditingSettings, LookSettings, ProjectSettings } from './settings-parts.tsx';
import { KeyList } from './key-list.tsx';
import styles from './settings-dialog.module.css';

const tabs = [
  { value: 'settings', label: 'Editor' },
  { value: 'look', label: 'Appearance' },
  { value: 'project', label: 'Projects' },
  { value: 'keys', label: 'Keyboard shortcuts' },
] as const;

interface SettingsProps {
  context: Surrounds;
  isOpen: boolean;
}

/** The settings dialog. Changes apply and are saved immediately. */
export default function SettingsDialog({ context: { workspace }, isOpen }: SettingsProps) {
  const { dialog, preferences } = workspace;
  const opened = useSource(dialog) === 'keys' ? 'keys' : 'settings';
  return (
    <Dialog open={isOpen} onClose={() => dialog.set(null)} title="Settings" width="wide">
      <Tabs.Root defaultValue={opened} className={styles.root}>
        <Tabs.List aria-label="Settings sections" className={styles.tabs} activateOnFocus>
          {tabs.map(({ value, label }) => (
            <Tabs.Tab key={value} value={value} className={styles.tab}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="settings" className={styles.panel}>
          <EditingSettings preferences={preferences} />
        </Tabs.Panel>
        <Tabs.Panel value="look" className={styles.panel}>
          <LookSettings preferences={preferences} />
        </Tabs.Panel>
        <Tabs.Panel value="project" className={styles.panel}>
          <ProjectSettings preferences={preferences} />
        </Tabs.Panel>
        <Tabs.Panel value="keys" className={styles.panel}>
          <KeyList preferences={preferences} />
        </Tabs.Panel>
      </Tabs.Root>
      <p className={styles.note}>
        {workspace.user
          ? 'Synced to your account. Theme and contrast apply to this device only.'
          : 'Saved on this device. Sign in to sync your settings.'}
      </p>
    </Dialog>
  );
}
