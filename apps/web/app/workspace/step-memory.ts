import type { KeptSteps } from '@vitrine/editor';

/** Of so many files, the latest, it is kept. */
const filesKept = 20;
const storageName = 'undo-steps';

type Kept = readonly (readonly [project: string, path: string, steps: KeptSteps])[];

/** What undo can take back in a project's files, while the tab is there: a page that is loaded again has it. */
export class StepMemory {
  readonly #project: () => string;

  constructor(project: () => string) {
    this.#project = project;
  }

  readonly find = (path: string): KeptSteps | undefined =>
    readKept().find((each) => each[0] === this.#project() && each[1] === path)?.[2];

  readonly keep = (files: ReadonlyMap<string, KeptSteps>): void => {
    const project = this.#project();
    const others = readKept().filter(([name, path]) => name !== project || !files.has(path));
    const now = [...others, ...[...files].map(([path, steps]) => [project, path, steps] as const)];
    try {
      sessionStorage.setItem(storageName, JSON.stringify(now.slice(-filesKept)));
    } catch {
      // No storage, or no room in it: undo begins anew with the page.
    }
  };
}

function readKept(): Kept {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(storageName) ?? '[]');
    return Array.isArray(value) ? value.filter(isFile) : [];
  } catch {
    // Refused by the browser, or not written by us.
    return [];
  }
}

function isFile(value: unknown): value is Kept[number] {
  return (
    Array.isArray(value) &&
    typeof value[0] === 'string' &&
    typeof value[1] === 'string' &&
    isSteps(value[2])
  );
}

function isSteps(value: unknown): value is KeptSteps {
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
