/**
 * Runs one test file with Vitest's own runner and reports its progress. Vitest reads its environment from a global;
 * it contains what the runner needs in a browser.
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
import { describeFailures, describeTasks, finalStateOf } from './describe.ts';
import { createSnapshotCollector } from './snapshots.ts';

interface TestEnvironment {
  /** URL that the file is imported from. */
  address: string;
  /** Name of the file in stack traces. */
  file: string;
  /** Converts a stack trace to project paths, without our own frames. */
  cleanStack(stack: string): string;
  send(event: TestEvent): void;
}

/** Exports that the page imports. */
export interface RunnerModule {
  runTestFile(test: TestRequest, environment: TestEnvironment): Promise<void>;
}

/** Vitest's defaults. */
const testTimeoutMs = 5_000;
const hookTimeoutMs = 10_000;

export async function runTestFile(test: TestRequest, o: TestEnvironment): Promise<void> {
  const startedAt = performance.now();
  const now = performance.now.bind(performance);
  const snapshots = createSnapshotCollector(test);
  const config = makeConfig(test, snapshots.options);
  provideState(config, o.file, snapshots.onSummary);
  await setupCommonEnv(config);
  const [file] = await startTests(
    [{ filepath: o.file, ...(test.only && { testNamePattern: namePattern(test.only) }) }],
    new Runner(config, o, snapshots.collectInline),
  );
  o.send({
    kind: 'done',
    durationMs: Math.round(now() - startedAt),
    errors: describeFailures(file?.result?.errors, o.cleanStack),
    ...snapshots.found(),
  });
}

class Runner extends TestRunner {
  readonly #o: TestEnvironment;
  readonly #watch: (runner: object, filepath: string) => void;
  /** Ids of tasks whose end was reported. */
  readonly #reported = new Set<string>();

  constructor(
    config: SerializedConfig,
    o: TestEnvironment,
    watch: (runner: object, filepath: string) => void,
  ) {
    super(config);
    this.#o = o;
    this.#watch = watch;
    // Tracing is disabled; the callback is called directly.
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
    this.#o.send({ kind: 'collected', tasks: describeTasks(file?.tasks ?? []) });
  }

  override async onBeforeRunTask(test: RunnerTask): Promise<void> {
    await super.onBeforeRunTask(test);
    if (test.mode === 'run' || test.mode === 'queued')
      this.#o.send({ kind: 'started', id: test.id });
  }

  /** Reports the result at once, because the next test may never end. */
  override onAfterRunTask(test: RunnerTask): void {
    super.onAfterRunTask(test);
    this.#reportEnd(test.id, test.result);
  }

  override async onAfterRunSuite(
    suite: Parameters<TestRunner['onAfterRunSuite']>[0],
  ): Promise<void> {
    if ('filepath' in suite) this.#watch(this, String(suite.filepath));
    await super.onAfterRunSuite(suite);
  }

  async onTaskUpdate(packs: readonly RunnerTaskResultPack[]): Promise<void> {
    for (const [id, result] of packs) this.#reportEnd(id, result);
  }

  #reportEnd(id: string, result: RunnerTask['result']): void {
    const state = finalStateOf(result);
    if (!result || !state || this.#reported.has(id)) return;
    this.#reported.add(id);
    this.#o.send({
      kind: 'ended',
      id,
      state,
      durationMs: Math.round(result.duration ?? 0),
      // A test that passed on a retry keeps the errors of earlier tries.
      errors: state === 'failed' ? describeFailures(result.errors, this.#o.cleanStack) : [],
    });
  }
}

/** Pattern for a full name, which joins suite and test names with ` > `. */
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
  // Vitest's server reads the other settings, and isn't used.
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
        get: (_, name) => async (message: unknown) =>
          name === 'snapshotSaved' ? onSnapshots(message) : undefined,
      },
    ),
  };
  Object.defineProperty(globalThis, '__vitest_worker__', { value: state, configurable: true });
}
