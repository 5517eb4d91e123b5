import type { SavedUndoSteps } from '@vitrine/editor';

/** Number of files whose history is stored, latest first to stay. */
const maxFiles = 20;
const storageKey = 'undo-steps';

type StoredHistories = readonly (readonly [project: string, path: string, steps: SavedUndoSteps])[];

/** Undo history of a project's files in sessionStorage, so that it survives a reload of the tab. */
export class UndoHistory {
  readonly #project: () => string;

  constructor(project: () => string) {
    this.#project = project;
  }

  readonly read = (path: string): SavedUndoSteps | undefined =>
    readStored().find((each) => each[0] === this.#project() && each[1] === path)?.[2];

  readonly write = (files: ReadonlyMap<string, SavedUndoSteps>): void => {
    const project = this.#project();
    const others = readStored().filter(([name, path]) => name !== project || !files.has(path));
    const now = [...others, ...[...files].map(([path, steps]) => [project, path, steps] as const)];
    try {
      sessionStorage.setItem(storageKey, JSON.stringify(now.slice(-maxFiles)));
    } catch {
      // Without storage, or room in it, undo starts empty after a reload.
    }
  };
}

function readStored(): StoredHistories {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(storageKey) ?? '[]');
    return Array.isArray(value) ? value.filter(isFile) : [];
  } catch {
    // The browser denies storage, or the value isn't ours.
    return [];
  }
}

function isFile(value: unknown): value is StoredHistories[number] {
  return (
    Array.isArray(value) &&
    typeof value[0] === 'string' &&
    typeof value[1] === 'string' &&
    isHistory(value[2])
  );
}

function isHistory(value: unknown): value is SavedUndoSteps {
  return (
    typeof value === 'object' &&
    value !== null &&
    'text' in value &&
    typeof value.text === 'string' &&
    'undo' in value &&
    Array.isArray(value.undo) &&
    'redo' in value &&
    Array.isArray(value.redo)
  );
}
