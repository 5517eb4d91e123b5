import type { Extension } from '@codemirror/state';
import { fixList, fixSource, type FixSource } from '../language-service/fix-list.ts';
import type { LintClient } from './lint-client.ts';

export interface RuleFixesOptions extends Omit<FixSource, 'find'> {
  readonly client: LintClient;
}

/** What rules would change, among the fixes of the file that is shown. */
export function ruleFixes({ client, files, write }: RuleFixesOptions): Extension {
  const find: FixSource['find'] = async (at) => {
    const found = (await client.ask('fixes', at)) ?? [];
    return found.map(({ label, edits }) => ({ label, files: [{ path: at.path, edits }] }));
  };
  return [fixList, fixSource.of({ files, write, find })];
}
