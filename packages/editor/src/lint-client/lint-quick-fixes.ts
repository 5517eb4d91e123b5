import type { Extension } from '@codemirror/state';
import {
  quickFixMenu,
  quickFixProvider,
  type QuickFixProvider,
} from '../language-service/quick-fix-menu.ts';
import type { LintClient } from './lint-client.ts';

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
