import type { Extension } from '@codemirror/state';
import { fixList, fixSource, type FixSource } from '../language-service/fix-list.ts';
import type { LintClient } from './lint-client.ts';

export interface RuleFixesOptions extends Omit<FixSource, 'find'> {
  readonly client: LintClient;
}

/** Adds the fixes of lint rules to the quick fix menu. */
export function ruleFixes({ client, files, write }: RuleFixesOptions): Extension {
  const find: FixSource['find'] = async (at) => {
    const found = (await client.ask('fixes', at)) ?? [];
    return found.map(({ label, edits }) => ({ label, files: [{ path: at.path, edits }] }));
  };
  return [fixList, fixSource.of({ files, write, find })];
}
