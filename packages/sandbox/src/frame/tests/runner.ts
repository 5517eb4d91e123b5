/**
 * Runs one test file with vitest's own runner and tells how it goes. vitest finds what it knows of
 * its surroundings in one global; what stands in it here is what its runner reads in a browser.
 */
import { startTests, setupCommonEnv } from 'vitest/internal/browser';
import {
  TestRunner,
  type RunnerTask,
  type RunnerTaskResultPack,
  type SerializedConfig,
} from 'vitest';
import type { TestEvent, TestRequest } from '../../test-messages.ts';
import './vitest.ts';
import { describeFailures, describeTasks, endStateOf } from './describe.ts';
import { createSnapshots } from './snapshots.ts';

export interface TestSurroundings {
  /** Where the file is imported from. */
  address: string;
  /** How stacks name it. */
  file: string;
  /** A stack with the project's paths, without frames of ours. */
  clean(stack: string): string;
  tell(event: TestEvent): void;
}

/** What the page imports of this module. */
export interface RunnerModule {
  runTestFile(test: TestRequest, surroundings: TestSurroundings): Promise<void>;
}

/** As vitest has it; an asynchronous test that takes longer has failed. */
const testTimeoutMs = 5_000;
const hookTimeoutMs = 10_000;

export async function runTestFile(test: TestRequest, o: TestSurroundings): Promise<void> {
  const startedAt = performance.now();
  const now = performance.now.bind(performance);
  const snapshots = createSnapshots(test);
  const config = makeConfig(test, snapshots.options);
  provideState(config, o.file, snapshots.hear);
  await setupCommonEnv(config);
  const [file] = await startTests(
    [{ filepath: o.file, ...(test.only && { testNamePattern: namePattern(test.only) }) }],
    new Runner(config, o, snapshots.watch),
  );
  o.tell({
    kind: 'done',
    durationMs: Math.round(now() - startedAt),
    errors: describeFailures(file?.result?.errors, o.clean),
    ...snapshots.found(),
  });
}

class Runner extends TestRunner {
  readonly #o: TestSurroundings;
  readonly #watch: (runner: object, filepath: string) => void;
  /** Ids of tasks whose end has been told. */
  readonly #ended = new Set<string>();

  constructor(
    config: SerializedConfig,
    o: TestSurroundings,
    watch: (runner: object, filepath: string) => void,
  ) {
    super(config);
    this.#o = o;
    this.#watch = watch;
    // Nobody measures here.
    this.trace = (_name, attributes, callback) => {
      const work = callback ?? attributes;
      if (typeof work !== 'function')
        throw new Error('vitest traces something that is no function');
      return work();
    };
  }

  override importFile(): Promise<unknown> {
    return import(this.#o.address);
  }

  onCollected([file]: readonly { tasks: RunnerTask[]; result?: unknown }[]): void {
    this.#o.tell({ kind: 'collected', tasks: describeTasks(file?.tasks ?? []) });
  }

  override async onBeforeRunTask(test: RunnerTask): Promise<void> {
    await super.onBeforeRunTask(test);
    if (test.mode === 'run' || test.mode === 'queued')
      this.#o.tell({ kind: 'started', id: test.id });
  }

  /** At once, so that it is known before the next test begins, which may never end. */
  override onAfterRunTask(test: RunnerTask): void {
    super.onAfterRunTask(test);
    this.#tellEnd(test.id, test.result);
  }

  override async onAfterRunSuite(
    suite: Parameters<TestRunner['onAfterRunSuite']>[0],
  ): Promise<void> {
    if ('filepath' in suite) this.#watch(this, String(suite.filepath));
    await super.onAfterRunSuite(suite);
  }

  async onTaskUpdate(packs: readonly RunnerTaskResultPack[]): Promise<void> {
    for (const [id, result] of packs) this.#tellEnd(id, result);
  }

  #tellEnd(id: string, result: RunnerTask['result']): void {
    const state = endStateOf(result);
    if (!result || !state || this.#ended.has(id)) return;
    this.#ended.add(id);
    this.#o.tell({
      kind: 'ended',
      id,
      state,
      durationMs: Math.round(result.duration ?? 0),
      // Of one that passed in the end, they are those of earlier tries.
      errors: state === 'failed' ? describeFailures(result.errors, this.#o.clean) : [],
    });
  }
}

/** Full names are those of suites and test, with ` > ` between them. */
function namePattern({ name, isSuite }: NonNullable<TestRequest['only']>): RegExp {
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped}${isSuite ? '(?: > |$)' : '$'}`);
}

function makeConfig(test: TestRequest, snapshotOptions: object): SerializedConfig {
  const config = {
    name: '',
    root: '/',
    globals: true,
    allowOnly: true,
    passWithNoTests: false,
    includeTaskLocation: true,
    testTimeout: testTimeoutMs,
    hookTimeout: hookTimeoutMs,
    maxConcurrency: 5,
    retry: 0,
    repeats: 0,
    setupFiles: [],
    tags: [],
    strictTags: true,
    defines: {},
    sequence: {
      hooks: 'stack',
      setupFiles: 'parallel',
      shuffle: false,
      concurrent: false,
      seed: 0,
    },
    expect: {},
    chaiConfig: {},
    fakeTimers: { loopLimit: 10_000, shouldClearNativeTimers: true },
    snapshotOptions: { ...snapshotOptions, updateSnapshot: test.updates ? 'all' : 'new' },
    benchmark: { enabled: false },
    experimental: { viteModuleRunner: true, importDurations: { limit: 0 }, traceTimeline: false },
  };
  // The other settings are read by vitest's server, which is not here.
  return config as unknown as SerializedConfig;
}

function provideState(
  config: SerializedConfig,
  filepath: string,
  onSnapshots: (result: unknown) => void,
): void {
  const state = {
    ctx: { pool: 'browser' },
    config,
    filepath,
    environment: { name: 'browser', viteEnvironment: 'client' },
    providedContext: {},
    metaEnv: {},
    durations: { fetch: 0 },
    resolvingModules: new Set(),
    evaluatedModules: { idToModuleMap: new Map() },
    onCleanup: () => undefined,
    rpc: new Proxy(
      {},
      {
        get: (_, name) => async (said: unknown) =>
          name === 'snapshotSaved' ? onSnapshots(said) : undefined,
      },
    ),
  };
  Object.defineProperty(globalThis, '__vitest_worker__', { value: state, configurable: true });
}
