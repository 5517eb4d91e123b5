/** All actions of a walk. */
import type { Action } from './action.ts';
import { environmentActions } from './environment.ts';
import { editingActions } from './editing.ts';
import { faultActions } from './faults.ts';
import { assetActions } from './assets.ts';
import { checkEditors, checkTree } from './oracle.ts';
import { peopleActions } from './people.ts';
import { projectFileActions } from './project-files.ts';
import { transferActions } from './transfer.ts';
import { versionActions } from './versions.ts';

export const actions: readonly Action[] = [
  ...editingActions,
  ...projectFileActions,
  ...assetActions,
  ...versionActions,
  ...transferActions,
  ...peopleActions,
  ...environmentActions,
  ...faultActions,
  {
    name: 'look at all files',
    weight: 2,
    worksOffline: true,
    plan: () => async (world) => {
      await checkTree(world);
      await checkEditors(world);
    },
  },
];
