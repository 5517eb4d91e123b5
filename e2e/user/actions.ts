/** All actions of a walk. */
import type { Action } from './action.ts';
import { environmentActions } from './environment.ts';
import { editingActions } from './editing.ts';
import { faultActions } from './faults.ts';
import { checkEditors } from './oracle.ts';
import { projectFileActions } from './project-files.ts';

export const actions: readonly Action[] = [
  ...editingActions,
  ...projectFileActions,
  ...environmentActions,
  ...faultActions,
  { name: 'look at all files', weight: 2, worksOffline: true, plan: () => checkEditors },
];
