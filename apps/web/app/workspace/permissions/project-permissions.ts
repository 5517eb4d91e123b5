import { findPermission, type PermissionName } from '@vitrine/sandbox/permissions';
import { ValueStore } from '../value-store.ts';

const maxProjects = 100;

/**
 * Permissions that the user has allowed a project on this device (SB-31). They are stored by project
 * and user, and only changed by the app's own buttons: never by what a project contains or sends.
 */
export class ProjectPermissions {
  /** Empty until `load`. */
  readonly allowed = new ValueStore<ReadonlySet<PermissionName>>(new Set());
  /** Permission that the dialog asks about. Null while it lists all of them. */
  readonly requested = new ValueStore<PermissionName | null>(null);
  readonly #storageKey: string;
  #project: string;

  /**
   * @param userId Null for a visitor.
   * @param project Id of the project or draft.
   */
  constructor(userId: string | null, project: string) {
    this.#storageKey = getPermissionsStorageKey(userId);
    this.#project = getStoredProject(project);
  }

  /** Reads what is stored, and follows changes in other tabs until the signal aborts. */
  load(signal: AbortSignal): void {
    this.#read();
    const onStorage = ({ key }: StorageEvent) => {
      if (key === this.#storageKey || key === null) this.#read();
    };
    addEventListener('storage', onStorage, { signal });
  }

  /** Allows or revokes a permission. Without storage, it lasts until the page is closed. */
  set(name: PermissionName, isAllowed: boolean): void {
    const others = [...this.allowed.get()].filter((each) => each !== name);
    this.allowed.set(new Set(isAllowed ? [...others, name] : others));
    this.#store();
  }

  /** Keeps the permissions of a draft that was saved as a project, which has another id. */
  moveTo(project: string): void {
    const from = this.#project;
    this.#project = getStoredProject(project);
    if (this.#project !== from && this.allowed.get().size > 0) this.#store(from);
  }

  /** Stores the permissions instead of those under `replaced`. */
  #store(replaced = this.#project): void {
    const isOther = ([id]: [string, unknown]) => id !== replaced && id !== this.#project;
    const stored = readStored(this.#storageKey).filter(isOther);
    const names = [...this.allowed.get()];
    if (names.length > 0) stored.push([this.#project, names]);
    try {
      localStorage.setItem(this.#storageKey, JSON.stringify(stored.slice(-maxProjects)));
    } catch {
      // The browser denies storage, or it is full.
    }
  }

  #read(): void {
    const [, names] = readStored(this.#storageKey).find(([id]) => id === this.#project) ?? [];
    const known = (names ?? []).flatMap((name) => findPermission(name)?.name ?? []);
    const current = this.allowed.get();
    if (known.length !== current.size || known.some((name) => !current.has(name)))
      this.allowed.set(new Set(known));
  }
}

/** Storage key of a user's permissions, by project. */
export function getPermissionsStorageKey(userId: string | null): string {
  return `permissions-${userId ?? 'guest'}`;
}

/** A project's id as it is stored. */
export function getStoredProject(id: string): string {
  return id.replaceAll('-', '').toLowerCase();
}

function readStored(storageKey: string): [project: string, names: unknown[]][] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isEntry) : [];
  } catch {
    // The browser denies storage, or the value isn't ours.
    return [];
  }
}

function isEntry(entry: unknown): entry is [string, unknown[]] {
  return Array.isArray(entry) && typeof entry[0] === 'string' && Array.isArray(entry[1]);
}

/** Label of the button that allows a permission: "Allow camera for this project". */
export function describePermissionFix(name: PermissionName): string {
  return `Allow ${findPermission(name)?.noun ?? name} for this project`;
}
