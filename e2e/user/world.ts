/** Everything around one walk: the server, the user at their browser, and what the database has. */
import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import {
  chromium,
  firefox,
  type Browser,
  type BrowserType,
  type LaunchOptions,
} from '@playwright/test';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { documentFromFiles, readFiles } from '@vitrine/project';
import { chromiumArgs } from '@vitrine/sandbox/test/chromium';
import * as Y from 'yjs';
import { startFakeRegistry } from '../../packages/esm/test/registry/fake-registry.ts';
import { accountOf, emailOf, type Person } from '../person.ts';
import { startServer, type TestServer } from '../server.ts';
import { confirmAddress, giveSession, makeAccount } from '../session.ts';
import { createModel, type Model, type Template } from './model.ts';
import { makeNewerBuild } from './newer-build.ts';
import { createProfile, type Profile } from './user-page.ts';

/** How previews are shown: each on an origin of its own, or in a document without one. */
export type Transport = 'origin' | 'srcdoc';

export type BrowserName = 'chromium' | 'firefox';

/** What starts a browser as people have it. */
export interface Launcher {
  readonly type: BrowserType;
  readonly options: LaunchOptions;
}

const launchers: Readonly<Record<BrowserName, Launcher>> = {
  chromium: {
    type: chromium,
    options: {
      executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
      args: [...chromiumArgs],
    },
  },
  firefox: {
    type: firefox,
    options: {
      // By WebDriver BiDi, which Debian's speaks.
      channel: 'moz-firefox',
      executablePath: '/usr/bin/firefox-esr',
      firefoxUserPrefs: { 'remote.prefs.recommended': false },
    },
  },
};

/** What all walks of a run share. */
export interface Rig {
  /** Another one after an action has restarted it. */
  server: TestServer;
  readonly transport: Transport;
  /** For profiles that nobody has used before. */
  readonly browser: Browser;
  readonly launcher: Launcher;
  /** Of each account that is signed in without a browser. */
  readonly clients: Map<string, SupabaseClient>;
  /** Starts a server on the data and the port of one that has ended, as the next version if that is wanted. */
  startAgain(server: TestServer, isNewer: boolean): Promise<TestServer>;
  close(): Promise<void>;
}

interface RigOptions {
  readonly transport: Transport;
  readonly browser: BrowserName;
  /** The folder of another build of this project. */
  readonly root?: string;
}

export async function startRig({ transport, browser, ...build }: RigOptions): Promise<Rig> {
  const launcher = launchers[browser];
  const registry = await startFakeRegistry({ search: true });
  for (const [version, words] of [
    ['1.0.0', 'Hello'],
    ['2.0.0', 'Good day'],
  ])
    registry.publish({
      name: 'greeting',
      version: version ?? '',
      files: { 'index.js': `export const greet = (name) => '${words}, ' + name;` },
      manifest: { type: 'module', main: 'index.js' },
    });
  const env = { npm_config_registry: registry.address };
  let newer: Promise<string> | undefined;
  const rig: Rig = {
    server: await startServer({ ...build, env, hasOwnPackages: true }),
    transport,
    browser: await launcher.type.launch(launcher.options),
    launcher,
    clients: new Map(),
    async startAgain({ dataDir, address }, isNewer) {
      const port = Number(new URL(address).port);
      if (!isNewer) return startServer({ ...build, env, dataDir, port });
      newer ??= makeNewerBuild();
      return startServer({ env, dataDir, port, root: await newer });
    },
    async close() {
      await rig.browser.close();
      await rig.server.remove();
      await registry.close();
      if (newer) await rm(await newer, { recursive: true });
    },
  };
  return rig;
}

export interface World {
  readonly rig: Rig;
  readonly model: Model;
  readonly profile: Profile;
  readonly username: string;
  /** At the page that is open now. */
  readonly person: Person;
  /** The other person who has edited here, if one has. */
  friend: string | undefined;
  /** Paths of projects that have been made of some files, by these files. */
  readonly references: Map<string, string>;
  /** Complaints that a step was the reason for. The browser tells some of them once more later. */
  readonly excused: Set<string>;
  /** Of the log's lines, those that have been looked at. */
  seenLog: number;
}

/** Signs up a user, who opens a browser. */
export async function createWorld(rig: Rig, template: Template): Promise<World> {
  const username = `u${randomUUID().slice(0, 8)}`;
  const session = await makeUser(rig, username);
  const profile = await createProfile(rig.launcher, rig.server, (context) =>
    giveSession(context, atAppAddress(rig), session),
  );
  return {
    rig,
    profile,
    username,
    model: createModel(template, readTemplate(template)),
    get person() {
      return profile.person;
    },
    friend: undefined,
    references: new Map(),
    excused: new Set(),
    seenLog: rig.server.log.length,
  };
}

/** Makes an account that may do everything, and its session. */
export async function makeUser({ server }: Rig, username: string) {
  const session = await makeAccount(server, accountOf(username));
  await confirmAddress(server, emailOf(username));
  return session;
}

/** The last part of a project's address. */
export function slugOf({ page }: Person): string {
  return new URL(page.url()).pathname.split('/')[2] ?? '';
}

/** The server, as whoever opens it as this transport needs. */
export function atAppAddress(rig: Rig): TestServer {
  return { ...rig.server, address: appAddress(rig) };
}

/** By its number the app shows previews without an origin, as it must wherever there is no name. */
export function appAddress({ server, transport }: Rig): string {
  if (transport === 'origin') return server.address;
  return `http://127.0.0.1:${new URL(server.address).port}`;
}

/** The files of a template, as the app copies them into a draft. */
export function readTemplate(template: Template): Map<string, string> {
  const folder = fileURLToPath(new URL(`../../examples/${template}`, import.meta.url));
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'example.json')
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(folder.length + 1));
  return new Map(paths.map((path) => [path, readFileSync(`${folder}/${path}`, 'utf8')]));
}

/** The backend as one account sees it, without a browser. */
export async function signInToBackend(
  { server, clients }: Rig,
  username: string,
): Promise<SupabaseClient> {
  const known = clients.get(username);
  if (known) return known;
  const { publishableKey } = JSON.parse(readFileSync(`${server.dataDir}/secrets.json`, 'utf8'));
  const address = `http://127.0.0.1:${new URL(server.address).port}`;
  const client = createClient(address, publishableKey, { auth: { persistSession: false } });
  const { email, password } = accountOf(username);
  const { error } = await client.auth.signInWithPassword({ email, password });
  if (error) throw error;
  clients.set(username, client);
  return client;
}

/** An account may make 60 an hour. */
const projectsOfAnAccount = 50;

/** Makes an unlisted project of the model's files, which nobody has opened yet; gives its path in the app. */
export async function makeReference({ rig, model, username, references }: World): Promise<string> {
  const texts = JSON.stringify([...model.files]);
  const known = references.get(texts);
  if (known !== undefined) return known;
  const owner = `${username}-${Math.floor(references.size / projectsOfAnAccount)}`;
  if (references.size % projectsOfAnAccount === 0) await makeUser(rig, owner);
  const client = await signInToBackend(rig, owner);
  const state = Y.encodeStateAsUpdate(documentFromFiles(new Map(model.files)));
  const { data, error } = await client.rpc('create_project', {
    id: randomUUID(),
    title: 'Reference',
    description: '',
    visibility: 'unlisted',
    settings: {},
    files: Array.from(model.files, ([path, content]) => ({ path, content })),
    state: Buffer.from(state).toString('base64'),
    state_sha256: createHash('sha256').update(state).digest('hex'),
  });
  if (error) throw new Error(error.message);
  const path = `/@${owner}/${String(data.slug)}`;
  references.set(texts, path);
  return path;
}

/** A project's files twice: as saved text, and as the document says that others merge into theirs. */
export async function readSaved(client: SupabaseClient, slug: string) {
  const found = await client.from('projects').select('id').eq('slug', slug).single();
  if (found.error) throw new Error(found.error.message);
  const { id } = found.data;
  const rows = await client.from('project_files').select('path, content').eq('project_id', id);
  const loaded = await client.rpc('load_document', { project: id, since: 0 });
  if (rows.error) throw new Error(rows.error.message);
  if (loaded.error) throw new Error(loaded.error.message);
  const updates: string[] = loaded.data.updates.map(({ update }: { update: string }) => update);
  const texts = rows.data.map(({ path, content }): [string, string] => [path, content]);
  return { rows: new Map(texts), document: mergeFiles([loaded.data.state, ...updates]) };
}

/** The draft that is open, as this device keeps it. */
export async function readDevice({ page }: Person): Promise<Map<string, string>> {
  const id = /\/draft\/([a-z0-9]+)/.exec(page.url())?.[1] ?? '';
  const updates = await page.evaluate(async (scope) => {
    const request = <T>(asked: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        asked.onsuccess = () => resolve(asked.result);
        asked.onerror = () => reject(new Error(String(asked.error)));
      });
    const database = await request(indexedDB.open('vitrine'));
    const stores = database.transaction(['copies', 'outbox']);
    const copy = await request(stores.objectStore('copies').get(scope));
    const rows = await request(stores.objectStore('outbox').index('scope').getAll(scope));
    database.close();
    const bytes: Uint8Array[] = [copy?.state, ...rows.map(({ update }) => update)];
    return bytes
      .filter(Boolean)
      .map((each) => btoa(Array.from(each, (byte) => String.fromCharCode(byte)).join('')));
  }, `draft ${id}`);
  return mergeFiles(updates);
}

function mergeFiles(updates: readonly (string | null)[]): Map<string, string> {
  const doc = new Y.Doc();
  for (const update of updates) if (update) Y.applyUpdate(doc, Buffer.from(update, 'base64'));
  return readFiles(doc);
}
