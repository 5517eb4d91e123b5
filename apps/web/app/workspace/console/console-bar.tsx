import { formatKeys } from '@vitrine/editor/key-names';
import Ban from 'lucide-react/icons/ban';
import SlidersHorizontal from 'lucide-react/icons/sliders-horizontal';
import { IconButton } from '../../ui/icon-button.tsx';
import { Menu, MenuItem, MenuSeparator, MenuCheckboxItem } from '../../ui/menu.tsx';
import { showErrorToast } from '../../ui/toast.tsx';
import { countEntries, logLevels, toggleInSet, type LogLevel } from './console-log.ts';
import { changeConsoleSettings, getConsoleSettings } from './console-settings.ts';
import { formatLog } from './console-format.ts';
import styles from './console-bar.module.css';
import { copyText } from '../../ui/copy-text.ts';
import type { PreviewController } from '../preview/preview-controller.ts';
import { useStore } from '../value-store.ts';

const levelLabels: Readonly<Record<LogLevel, string>> = {
  error: 'Errors',
  warning: 'Warnings',
  info: 'Info',
  debug: 'Debug',
};

/** Filter and actions of the console. */
export function ConsoleBar({ preview }: { preview: PreviewController }) {
  const filter = useStore(preview.consoleFilter);
  const { lines } = useStore(preview.console);
  return (
    <div className={styles.bar}>
      <input
        type="search"
        aria-label="Filter console"
        placeholder="Filter"
        className={styles.filter}
        value={filter.text}
        onChange={({ target }) => preview.consoleFilter.set({ ...filter, text: target.value })}
      />
      <fieldset className={styles.levels} aria-label="Levels">
        {logLevels.map((level) => (
          <LevelChip
            key={level}
            level={level}
            count={countEntries(lines, level)}
            isOn={filter.levels.has(level)}
            onToggle={() =>
              preview.consoleFilter.set({
                ...filter,
                levels: toggleInSet(filter.levels, level),
              })
            }
          />
        ))}
      </fieldset>
      <ConsoleMenu preview={preview} />
      <IconButton
        label="Clear console"
        keys={formatKeys('Ctrl-l')}
        size="small"
        onClick={() => preview.clearConsole()}
      >
        <Ban aria-hidden />
      </IconButton>
    </div>
  );
}

interface LevelChipProps {
  level: LogLevel;
  count: number;
  isOn: boolean;
  onToggle: () => void;
}

/** Toggle of a log level. Without a pressed one, all levels are shown. */
function LevelChip({ level, count, isOn, onToggle }: LevelChipProps) {
  return (
    <button
      type="button"
      className={styles.chip}
      data-level={level}
      aria-pressed={isOn}
      onClick={onToggle}
    >
      {levelLabels[level]}
      {count > 0 && <span className={styles.count}>{count > 999 ? '999+' : count}</span>}
    </button>
  );
}

function ConsoleMenu({ preview }: { preview: PreviewController }) {
  const { keepsLog, showsTimes } = useStore(getConsoleSettings());
  const copy = () =>
    void copyText(formatLog(preview.console.get().lines)).catch(() => showErrorToast('unexpected'));
  return (
    <Menu
      trigger={
        <IconButton label="Console options" size="small">
          <SlidersHorizontal aria-hidden />
        </IconButton>
      }
    >
      <MenuCheckboxItem
        isOn={keepsLog}
        onChange={(isOn) => {
          changeConsoleSettings({ keepsLog: isOn });
          preview.preserveLog(isOn);
        }}
      >
        Preserve log
      </MenuCheckboxItem>
      <MenuCheckboxItem
        isOn={showsTimes}
        onChange={(isOn) => changeConsoleSettings({ showsTimes: isOn })}
      >
        Show timestamps
      </MenuCheckboxItem>
      <MenuSeparator />
      <MenuItem onSelect={copy}>Copy log</MenuItem>
    </Menu>
  );
}
