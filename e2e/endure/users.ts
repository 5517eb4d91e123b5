/**
 * Simulated users, one per seed. Finished seeds are recorded, so that a run resumes where it
 * stopped.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { planWalk, shrink, walk, type Step, type Walk } from '../user/walk.ts';
import { startWalkRig, type BrowserName, type WalkRig, type Transport } from '../user/world.ts';

interface UserOptions {
  /** Number of walks, each with its own seed. */
  readonly seeds: number;
  readonly steps: number;
  /** Runs only this seed, and records nothing. */
  readonly seed: number | undefined;
  readonly transport: Transport;
  readonly browser: BrowserName;
  readonly say: (line: string) => void;
}

/** Maximum number of shorter walks to shrink a failure. */
const shrinkTries = 30;

/** Runs walks and prints failures with their shrunk steps. Resolves to whether all passed. */
export async function walkUsers(options: UserOptions): Promise<boolean> {
  const { seed, steps, say } = options;
  const log = seed === undefined ? new SeedLog(options) : undefined;
  const seeds = log?.unwalked() ?? (seed === undefined ? [] : [seed]);
  if (log) say(`user: ${log.describe()}`);
  const rig = await startWalkRig(options);
  const failing: { readonly reached: Walk; readonly kind: string }[] = [];
  try {
    for (const each of seeds) {
      const planned = planWalk(each, steps, options.browser);
      const found = await walk(rig, planned, seed === undefined ? undefined : say);
      say(`user: seed ${each} (${planned.template}): ${found ? 'failed' : 'passed'}`);
      log?.note(each, !found);
      if (!found) continue;
      const { kind, message } = found.finding;
      say(`user: step ${found.at}, ${kind}: ${message}`);
      failing.push({ reached: { ...planned, steps: planned.steps.slice(0, found.at) }, kind });
    }
    // Shrinking takes many walks.
    for (const { reached, kind } of failing)
      say(`user: shrunk to ${JSON.stringify(await shrinkWalk(rig, reached, kind))}`);
  } finally {
    await rig.close();
  }
  return failing.length === 0;
}

async function shrinkWalk(rig: WalkRig, { template, steps }: Walk, kind: string): Promise<Walk> {
  let tries = shrinkTries;
  const fails = async (fewer: readonly Step[]) => {
    if (tries-- <= 0) return false;
    return (await walk(rig, { template, steps: fewer }))?.finding.kind === kind;
  };
  return { template, steps: await shrink(steps, fails) };
}

/** Records the finished seeds in `.cache/endure`. Failed seeds run again. */
class SeedLog {
  readonly #file: string;
  readonly #count: number;
  /** The first seed of this series, and its passed seeds. */
  #series: { readonly first: number; readonly clean: readonly number[] };

  constructor({ seeds, steps, transport, browser }: UserOptions) {
    const folder = fileURLToPath(new URL('../../.cache/endure', import.meta.url));
    mkdirSync(folder, { recursive: true });
    this.#file = `${folder}/user-${browser}-${transport}-${steps}.json`;
    this.#count = seeds;
    this.#series = this.#read();
    if (this.unwalked().length === 0)
      this.#series = { first: this.#series.first + seeds, clean: [] };
  }

  unwalked(): number[] {
    const { first, clean } = this.#series;
    const all = Array.from({ length: this.#count }, (_, at) => first + at);
    return all.filter((seed) => !clean.includes(seed));
  }

  note(seed: number, isClean: boolean): void {
    const { first, clean } = this.#series;
    if (isClean) this.#series = { first, clean: [...clean, seed] };
    writeFileSync(this.#file, JSON.stringify(this.#series));
  }

  describe(): string {
    const { first, clean } = this.#series;
    const last = first + this.#count - 1;
    return `seeds ${first} to ${last}, of which ${clean.length} have found nothing before: ${clean.join(', ') || 'none'}`;
  }

  #read() {
    try {
      return JSON.parse(readFileSync(this.#file, 'utf8'));
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
        return { first: 1, clean: [] };
      throw error;
    }
  }
}
