import { Tabs } from '@base-ui/react/tabs';
import type { CommandContext } from '../commands/workspace-commands.ts';
import { Dialog } from '../ui/dialog.tsx';
import { useStore } from '../workspace/value-store.ts';
import { EditorTab, AppearanceTab, ProjectsTab } from './settings-tabs.tsx';
import { ShortcutList } from './shortcut-list.tsx';
import styles from './settings-dialog.module.css';

const tabs = [
  { value: 'settings', label: 'Editor' },
  { value: 'look', label: 'Appearance' },
  { value: 'project', label: 'Projects' },
  { value: 'keys', label: 'Keyboard shortcuts' },
] as const;

interface SettingsProps {
  context: CommandContext;
  isOpen: boolean;
}

/** The settings dialog. Changes apply and are saved immediately. */
export default function SettingsDialog({ context: { workspace }, isOpen }: SettingsProps) {
  const { layout, preferences, session } = workspace;
  const opened = useStore(layout.dialog) === 'keys' ? 'keys' : 'settings';
  return (
    <Dialog open={isOpen} onClose={() => layout.dialog.set(null)} title="Settings" width="wide">
      <Tabs.Root defaultValue={opened} className={styles.root}>
        <Tabs.List aria-label="Settings sections" className={styles.tabs} activateOnFocus>
          {tabs.map(({ value, label }) => (
            <Tabs.Tab key={value} value={value} className={styles.tab}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="settings" className={styles.panel}>
          <EditorTab preferences={preferences} />
        </Tabs.Panel>
        <Tabs.Panel value="look" className={styles.panel}>
          <AppearanceTab preferences={preferences} />
        </Tabs.Panel>
        <Tabs.Panel value="project" className={styles.panel}>
          <ProjectsTab preferences={preferences} />
        </Tabs.Panel>
        <Tabs.Panel value="keys" className={styles.panel}>
          <ShortcutList preferences={preferences} />
        </Tabs.Panel>
      </Tabs.Root>
      <p className={styles.note}>
        {session.user
          ? 'Synced to your account. Theme and contrast apply to this device only.'
          : 'Saved on this device. Sign in to sync your settings.'}
      </p>
    </Dialog>
  );
}
