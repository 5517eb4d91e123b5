import { ValueStore } from '../value-store.ts';

/** Console settings of this device. */
interface ConsoleSettings {
  readonly keepsLog: boolean;
  readonly showsTimes: boolean;
  /** Code run in the console input, newest last. */
  readonly history: readonly string[];
}

const initialSettings: ConsoleSettings = { keepsLog: false, showsTimes: false, history: [] };
const storageKey = 'console';
const maxHistoryEntries = 100;
const maxEntryLength = 2_000;

/** Read on first use: there is no storage during server rendering. */
let settings: ValueStore<ConsoleSettings> | undefined;

export function getConsoleSettings(): ValueStore<ConsoleSettings> {
  return (settings ??= new ValueStore(readSettings()));
}

export function changeConsoleSettings(change: Partial<ConsoleSettings>): void {
  const source = getConsoleSettings();
  const changed = { ...source.get(), ...change };
  source.set(changed);
  try {
    localStorage.setItem(storageKey, JSON.stringify(changed));
  } catch {
    // Without storage, or room in it, the settings last until the page is closed.
  }
}

/** Adds code to the history, unless it repeats the latest entry. */
export function addToHistory(code: string): void {
  const { history } = getConsoleSettings().get();
  if (code.length > maxEntryLength || history.at(-1) === code) return;
  changeConsoleSettings({ history: [...history, code].slice(-maxHistoryEntries) });
}

function readSettings(): ConsoleSettings {
  if (typeof localStorage === 'undefined') return initialSettings;
  try {
    const value: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '{}');
    return parseSettings(value);
  } catch {
    // The browser denies storage, or the value isn't ours.
    return initialSettings;
  }
}

function parseSettings(value: unknown): ConsoleSettings {
  if (typeof value !== 'object' || value === null) return initialSettings;
  const at = (name: string): unknown => Reflect.get(value, name);
  const history: unknown = at('history');
  return {
    keepsLog: at('keepsLog') === true,
    showsTimes: at('showsTimes') === true,
    history: Array.isArray(history)
      ? history.filter((code) => typeof code === 'string').slice(-maxHistoryEntries)
      : [],
  };
}
