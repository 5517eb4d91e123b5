import type { FoldedLine } from '@vitrine/editor';

/** Number of projects whose folds are stored, latest first to stay. */
const projectsKept = 30;
const storageName = 'folds';

type Kept = readonly (readonly [project: string, files: Record<string, readonly FoldedLine[]>])[];

/** Folded lines of a project's files, stored on this device. */
export class FoldMemory {
  readonly #project: () => string;

  constructor(project: () => string) {
    this.#project = project;
  }

  readonly find = (path: string): readonly FoldedLine[] => {
    const files = readKept().find(([project]) => project === this.#project())?.[1];
    return files && Object.hasOwn(files, path) ? (files[path] ?? []) : [];
  };

  readonly keep = (path: string, folds: readonly FoldedLine[]): void => {
    const kept = readKept();
    const project = this.#project();
    const files = { ...kept.find(([name]) => name === project)?.[1] };
    if (folds.length > 0) files[path] = folds;
    else delete files[path];
    const others = kept.filter(([name]) => name !== project);
    const now = Object.keys(files).length > 0 ? [...others, [project, files]] : others;
    try {
      localStorage.setItem(storageName, JSON.stringify(now.slice(-projectsKept)));
    } catch {
      // Without storage, or room in it, folds last until the page is closed.
    }
  };
}

function readKept(): Kept {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(storageName) ?? '[]');
    return Array.isArray(value) ? value.filter(isProject) : [];
  } catch {
    // The browser denies storage, or the value isn't ours.
    return [];
  }
}

function isProject(value: unknown): value is Kept[number] {
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
