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

/** What a route gives to open a workspace with. */
export interface Seed {
  readonly identity: Identity;
  readonly files: readonly (readonly [path: string, content: string])[];
  readonly arrangement: Arrangement;
  readonly preferences: Preferences;
  /** What `load_document` answered; undefined for a draft, and for who may not save. */
  readonly document?: unknown;
  /** The address for one use that lets a private project's preview in. */
  readonly entry?: string | null;
  /** How its result begins in the page that the server renders. */
  readonly beginning?: Beginning | undefined;
}

/** What the page is, for whom. */
export interface Surroundings {
  readonly page: PageSettings;
  readonly person: Person | null;
}

/** The workspace of a seed; nothing happens in it before it is started. */
export function makeWorkspace(seed: Seed, { page, person }: Surroundings): Workspace {
  const { identity, arrangement, preferences, document: loaded } = seed;
  const files = new Map(seed.files);
  const client = () => loadClient(page);
  const calls = () => createCalls(client);
  return new Workspace({
    identity,
    person,
    files,
    arrangement,
    preferences,
    preferenceCalls: (owner) => createPreferenceCalls(client, owner),
    calls,
    packageCalls: () => createPackageCalls(),
    openText: () => openText({ identity, person, files, calls, loaded }),
    place: () => choosePagePlace(page),
    ...(seed.beginning && { beginning: seed.beginning }),
    ...findEntrance(seed, page),
  });
}

function findEntrance({ identity, entry = null, beginning }: Seed, page: PageSettings) {
  if (identity.kind === 'draft' || identity.visibility !== 'private') return {};
  let entrance: ReturnType<typeof createEntrance> | undefined;
  const enter = (signal: AbortSignal) => {
    const place = choosePagePlace(page);
    const key = previewKey(identity);
    const origin = place.path === 'served' ? place.origin(key) : place.origin;
    entrance ??= createEntrance({
      address: addressOf(identity),
      origin,
      key,
      first: beginning ? null : entry,
    });
    return entrance(signal);
  };
  return { enter };
}
