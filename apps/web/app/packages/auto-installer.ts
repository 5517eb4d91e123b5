import { Timer } from '../schedule.ts';
import type { ProjectPackages } from './project-packages.ts';

/** Debounce, because a name that is still being typed may be another package: "re" of "react". */
const debounceMs = 1_500;

/** Installs missing imported packages once typing pauses, for users who enabled it. */
export class AutoInstaller {
  readonly #packages: ProjectPackages;
  /** Names that were tried once, so that a package that can't be installed isn't retried. */
  readonly #attempted = new Set<string>();
  readonly #timer = new Timer();

  constructor(packages: ProjectPackages) {
    this.#packages = packages;
  }

  /** Schedules the installation of the packages missing now, instead of an earlier list. */
  schedule(missing: readonly string[]): void {
    this.#timer.stop();
    const names = missing.filter((name) => !this.#attempted.has(name));
    if (names.length > 0) this.#timer.start(debounceMs, () => this.#install(names));
  }

  close(): void {
    this.#timer.stop();
  }

  #install(names: readonly string[]): void {
    for (const name of names) this.#attempted.add(name);
    void this.#packages.add(names.map((name) => ({ name })));
  }
}
