import type { FoldedLine } from '@vitrine/editor';

/** Number of projects whose folds are stored, latest first to stay. */
const maxProjects = 30;
const storageKey = 'folds';

type StoredFolds = readonly (readonly [
  project: string,
  files: Record<string, readonly FoldedLine[]>,
])[];

/** Folded lines of a project's files, stored on this device. */
export class FoldState {
  readonly #project: () => string;

  constructor(project: () => string) {
    this.#project = project;
  }

  readonly read = (path: string): readonly FoldedLine[] => {
    const files = readStored().find(([project]) => project === this.#project())?.[1];
    return files && Object.hasOwn(files, path) ? (files[path] ?? []) : [];
  };

  readonly write = (path: string, folds: readonly FoldedLine[]): void => {
    const stored = readStored();
    const project = this.#project();
    const files = { ...stored.find(([name]) => name === project)?.[1] };
    if (folds.length > 0) files[path] = folds;
    else delete files[path];
    const others = stored.filter(([name]) => name !== project);
    const now = Object.keys(files).length > 0 ? [...others, [project, files]] : others;
    try {
      localStorage.setItem(storageKey, JSON.stringify(now.slice(-maxProjects)));
    } catch {
      // Without storage, or room in it, folds last until the page is closed.
    }
  };
}

function readStored(): StoredFolds {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]');
    return Array.isArray(value) ? value.filter(isProject) : [];
  } catch {
    // The browser denies storage, or the value isn't ours.
    return [];
  }
}

function isProject(value: unknown): value is StoredFolds[number] {
  if (!Array.isArray(value) || typeof value[0] !== 'string') return false;
  const files: unknown = value[1];
  return typeof files === 'object' && files !== null && Object.values(files).every(isFolds);
}

function isFolds(value: unknown): boolean {
  return Array.isArray(value) && value.every(isFold);
}

function isFold(value: unknown): value is FoldedLine {
  return (
    typeof value === 'object' &&
    value !== null &&
    'line' in value &&
    Number.isInteger(value.line) &&
    'text' in value &&
    typeof value.text === 'string'
  );
}
