/** All actions of a walk. */
import type { Action } from './action.ts';
import { around } from './around.ts';
import { editing } from './editing.ts';
import { faults } from './faults.ts';
import { checkEditors } from './oracle.ts';
import { projectFiles } from './project-files.ts';

export const actions: readonly Action[] = [
  ...editing,
  ...projectFiles,
  ...around,
  ...faults,
  { name: 'look at all files', weight: 2, worksOffline: true, plan: () => checkEditors },
];
