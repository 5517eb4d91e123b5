import type { Extension } from '@codemirror/state';
import {
  quickFixMenu,
  quickFixProvider,
  type QuickFixProvider,
} from '../language-service/quick-fix-menu.ts';
import { WorkerClient } from '../language-service/worker-client.ts';
import { listGlobalNames } from '../lint/global-names.ts';
import type { LintResults, LintParams, LintRequest } from '../lint/messages.ts';

export interface LintClientOptions {
  /**
   * The project's texts. Returns the same map while nothing has changed, and the same string for an
   * unchanged file.
   */
  readonly files: () => ReadonlyMap<string, string>;
  /** The worker was restarted, and diagnostics may have changed. */
  readonly onChange: () => void;
}

/** Client of the lint worker. */
export type LintClient = WorkerClient<LintParams, LintResults>;

/** Files that the worker reads. The lockfile is not sent. */
const isNeeded = (path: string) =>
  /(?:\.(?:[cm]?[jt]s|[jt]sx|vue|svelte|css|html?|json)|^\.eslintrc)$/.test(path) &&
  !path.endsWith('package-lock.json');

/** Creates a client of the lint worker. */
export function createLintClient(options: LintClientOptions): LintClient {
  return new WorkerClient<LintParams, LintResults>({
    ...options,
    openWorker: () =>
      new Worker(new URL('../lint/lint-worker.ts', import.meta.url), { type: 'module' }),
    initialize: (worker) => {
      worker.postMessage({ type: 'names', names: listGlobalNames() } satisfies LintRequest);
    },
    selectText: (path, text) => (isNeeded(path) ? text : undefined),
    priority: ['fixes', 'problems'],
  });
}

export interface LintQuickFixesOptions extends Omit<QuickFixProvider, 'findQuickFixes'> {
  readonly client: LintClient;
}

/** Adds the fixes of lint rules to the quick fix menu. */
export function lintQuickFixes({ client, files, write }: LintQuickFixesOptions): Extension {
  const find: QuickFixProvider['findQuickFixes'] = async (at) => {
    const found = (await client.request('fixes', at)) ?? [];
    return found.map(({ label, edits }) => ({ label, files: [{ path: at.path, edits }] }));
  };
  return [quickFixMenu, quickFixProvider.of({ files, write, findQuickFixes: find })];
}
