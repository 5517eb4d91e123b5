import { Timer } from '../../schedule.ts';
import type { WorkspaceIdentity } from '../sharing/identity.ts';
import type { ProjectApi } from './project-api.ts';
import { ValueStore } from '../value-store.ts';

/** Shortest time between two checks, so that typing doesn't cause one per save. */
const checkIntervalMs = 5_000;

/**
 * Whether the open project has been moved to the trash, in another tab or on another device. Its
 * owner can go on editing and saving it there. Checked when they save or return to the page.
 */
export class ProjectTrash {
  readonly isInTrash = new ValueStore(false);
  readonly #identity: ValueStore<WorkspaceIdentity>;
  readonly #api: ProjectApi;
  #checkedAt = -Infinity;
  readonly #timer = new Timer();

  constructor(identity: ValueStore<WorkspaceIdentity>, api: ProjectApi) {
    this.#identity = identity;
    this.#api = api;
  }

  /** Checks at once, or as soon as the interval since the last check is over. */
  check(): void {
    const remainingMs = this.#checkedAt + checkIntervalMs - performance.now();
    if (!this.#timer.isRunning)
      this.#timer.start(Math.max(0, remainingMs), () => void this.#check());
  }

  /** Restores the project from the trash. Rejects with a `VitrineError`. */
  async restore(): Promise<void> {
    await this.#api.restore(this.#identity.get().id);
    this.isInTrash.set(false);
  }

  close(): void {
    this.#timer.stop();
  }

  async #check(): Promise<void> {
    const identity = this.#identity.get();
    if (identity.kind !== 'project' || identity.role !== 'owner') return;
    this.#checkedAt = performance.now();
    // The save state reports an unreachable server. The next save checks again.
    const isInTrash = await this.#api.isInTrash(identity.id).catch(() => undefined);
    if (isInTrash !== undefined) this.isInTrash.set(isInTrash);
  }
}
