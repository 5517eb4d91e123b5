import { Tabs } from '@base-ui/react/tabs';
import type { Surrounds } from '../commands/workspace-commands.ts';
import { Dialog } from '../ui/dialog.tsx';
import { useSource } from '../workspace/source.ts';
import { EditingSettings, LookSettings, ProjectSettings } from './settings-parts.tsx';
import { KeyList } from './key-list.tsx';
import styles from './settings-dialog.module.css';

const parts = [
  { value: 'settings', label: 'Editor' },
  { value: 'look', label: 'Look' },
  { value: 'project', label: 'Projects' },
  { value: 'keys', label: 'Keys' },
] as const;

interface SettingsProps {
  context: Surrounds;
  isOpen: boolean;
}

/** All that can be chosen. Each choice is in effect at once, and kept. */
export default function SettingsDialog({ context: { workspace }, isOpen }: SettingsProps) {
  const { dialog, preferences } = workspace;
  const opened = useSource(dialog) === 'keys' ? 'keys' : 'settings';
  return (
    <Dialog open={isOpen} onClose={() => dialog.set(null)} title="Settings" width="wide">
      <Tabs.Root defaultValue={opened} className={styles.root}>
        <Tabs.List aria-label="Kinds of settings" className={styles.tabs} activateOnFocus>
          {parts.map(({ value, label }) => (
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
      <p className={styles.where}>
        {workspace.user
          ? 'Kept with your account and on this device. Theme and contrast are this device’s.'
          : 'Kept on this device. Sign in to have them everywhere.'}
      </p>
    </Dialog>
  );
}
