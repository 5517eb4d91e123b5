import type { Beginning } from '@vitrine/sandbox/begun-frame';
import { createPackageCalls } from '../packages/package-calls.ts';
import { createPreferenceCalls } from '../preferences/preference-calls.ts';
import type { Preferences } from '../preferences/preferences.ts';
import type { PageSettings } from '../request-context.ts';
import { loadClient } from '../session/load-client.ts';
import type { Arrangement } from './arrangement.ts';
import { createCalls } from './calls.ts';
import { createEntrance } from './entrance.ts';
import { addressOf, previewKey, type Identity, type Person } from './identity.ts';
import { openText } from './open-text.ts';
import { choosePagePlace } from './preview-place.ts';
import { Workspace } from './workspace.ts';

/** Data that a route provides to open a workspace. */
export interface Seed {
  readonly identity: Identity;
  readonly files: readonly (readonly [path: string, content: string])[];
  readonly arrangement: Arrangement;
  readonly preferences: Preferences;
  /** Result of `load_document`. Undefined for a draft, and for a user who can't save. */
  readonly document?: unknown;
  /** One-time URL that grants access to a private project's preview. */
  readonly entry?: string | null;
  /** Plan of the preview that the server's page prerenders. */
  readonly prerenderPlan?: Beginning | undefined;
}

/** The page and its user. */
export interface Surroundings {
  readonly page: PageSettings;
  readonly user: Person | null;
}

/** Creates the workspace of a route's data. It does nothing until it is started. */
export function makeWorkspace(seed: Seed, { page, user }: Surroundings): Workspace {
  const { identity, arrangement, preferences, document: loaded } = seed;
  const files = new Map(seed.files);
  const client = () => loadClient(page);
  const calls = () => createCalls(client);
  const enter = createAccess(seed, page);
  return new Workspace({
    identity,
    user,
    files,
    arrangement,
    preferences,
    preferenceCalls: (owner) => createPreferenceCalls(client, owner),
    calls,
    packageCalls: () => createPackageCalls(),
    openText: () => openText({ identity, user, files, calls, loaded }),
    place: () => choosePagePlace(page),
    ...(seed.prerenderPlan && { prerenderPlan: seed.prerenderPlan }),
    ...(enter && { enter }),
  });
}

/** Access to the preview of a private project. Undefined for other projects and drafts. */
function createAccess({ identity, entry = null, prerenderPlan }: Seed, page: PageSettings) {
  if (identity.kind === 'draft' || identity.visibility !== 'private') return undefined;
  let access: ReturnType<typeof createEntrance> | undefined;
  return (signal: AbortSignal): Promise<string> => {
    const place = choosePagePlace(page);
    const key = previewKey(identity);
    const origin = place.path === 'served' ? place.origin(key) : place.origin;
    access ??= createEntrance({
      address: addressOf(identity),
      origin,
      key,
      first: prerenderPlan ? null : entry,
    });
    return access(signal);
  };
}
