import { Source } from './source.ts';

/** How a person likes their console, on this device. */
export interface ConsoleSettings {
  readonly keepsLog: boolean;
  readonly showsTimes: boolean;
  /** What was run at the prompt, the newest last. */
  readonly history: readonly string[];
}

const initialSettings: ConsoleSettings = { keepsLog: false, showsTimes: false, history: [] };
const storageName = 'console';
const historyEntries = 100;
const historyCharacters = 2_000;

/** Read when first wanted: there is no storage where pages are rendered. */
let settings: Source<ConsoleSettings> | undefined;

export function getConsoleSettings(): Source<ConsoleSettings> {
  return (settings ??= new Source(readSettings()));
}

export function changeConsoleSettings(change: Partial<ConsoleSettings>): void {
  const source = getConsoleSettings();
  const changed = { ...source.get(), ...change };
  source.set(changed);
  try {
    localStorage.setItem(storageName, JSON.stringify(changed));
  } catch {
    // No storage, or no room in it: they hold until the page goes.
  }
}

/** Adds to the history; the same code twice in a row is there once. */
export function rememberCode(code: string): void {
  const { history } = getConsoleSettings().get();
  if (code.length > historyCharacters || history.at(-1) === code) return;
  changeConsoleSettings({ history: [...history, code].slice(-historyEntries) });
}

function readSettings(): ConsoleSettings {
  if (typeof localStorage === 'undefined') return initialSettings;
  try {
    const value: unknown = JSON.parse(localStorage.getItem(storageName) ?? '{}');
    return parseSettings(value);
  } catch {
    // Refused by the browser, or not written by us.
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
      ? history.filter((code) => typeof code === 'string').slice(-historyEntries)
      : [],
  };
}
