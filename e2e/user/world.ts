/** The environment of a walk: server, user with browser, and database. */
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
  type Page,
} from '@playwright/test';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import {
  createDocumentFromFiles,
  getAssetObjectName,
  readFiles,
  toTextFiles,
  type AssetFile,
  type ProjectFile,
} from '@vitrine/project';
import { firefoxPath } from '@vitrine/testing/browser-paths';
import { getChromiumOptions } from '@vitrine/testing/chromium';
import * as Y from 'yjs';
import { startFakeRegistry } from '@vitrine/testing/registry';
import { getTestAccount, getEmail, type TestUser } from '../rig/test-user.ts';
import { startServer, type TestServer } from '@vitrine/testing/server';
import { confirmEmailAddress, setSession, signUpAccount } from '../rig/session.ts';
import {
  createModel,
  getContents,
  type Asset,
  type Model,
  type ModelFiles,
  type Template,
} from './model.ts';
import { buildNewerVersion } from './newer-build.ts';
import { createProfile, type Profile } from './user-page.ts';

/** Transport of previews: an isolated origin, or srcdoc. */
export type Transport = 'origin' | 'srcdoc';

export type BrowserName = 'chromium' | 'firefox';

/** Launches a browser with its default settings. */
interface Launcher {
  readonly type: BrowserType;
  readonly options: LaunchOptions;
}

const launchers: Readonly<Record<BrowserName, Launcher>> = {
  chromium: {
    type: chromium,
    options: getChromiumOptions(),
  },
  firefox: {
    type: firefox,
    options: {
      // With WebDriver BiDi, which Debian's Firefox supports. Playwright 1.65 sends commands that it
      // doesn't know.
      channel: 'moz-firefox',
      executablePath: firefoxPath,
      firefoxUserPrefs: { 'remote.prefs.recommended': false },
    },
  },
};

/** Shared by all walks of a run. */
export interface WalkRig {
  /** Replaced when an action restarts the server. */
  server: TestServer;
  readonly transport: Transport;
  /** Browser for fresh profiles. */
  readonly browser: Browser;
  readonly launcher: Launcher;
  /** API clients by account. */
  readonly clients: Map<string, SupabaseClient>;
  /** Restarts a stopped server with its data and port, optionally as the next version. */
  startAgain(server: TestServer, isNewer: boolean): Promise<TestServer>;
  close(): Promise<void>;
}

interface RigOptions {
  readonly transport: Transport;
  readonly browser: BrowserName;
  /** Folder of another build of this project. */
  readonly root?: string;
}

export async function startWalkRig({ transport, browser, ...build }: RigOptions): Promise<WalkRig> {
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
  /** The installed build. Browsers may have pages of it, so no older one follows. */
  let root = build.root;
  const rig: WalkRig = {
    server: await startServer({ ...build, env, hasOwnPackages: true }),
    transport,
    browser: await launcher.type.launch(launcher.options),
    launcher,
    clients: new Map(),
    async startAgain({ dataDir, address }, isNewer) {
      const port = Number(new URL(address).port);
      if (isNewer) root = await (newer ??= buildNewerVersion());
      return startServer({ ...(root !== undefined && { root }), env, dataDir, port });
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
  readonly rig: WalkRig;
  readonly model: Model;
  readonly profile: Profile;
  readonly username: string;
  /** The user with the open page. */
  readonly person: TestUser;
  /** Username of the other user, once there is one. */
  friend: string | undefined;
  /** Paths of reference projects, by their files. */
  readonly references: Map<string, string>;
  /** Versions whose files were compared with the model, by slug and number. They never change. */
  readonly seenVersions: Set<string>;
  /** Complaints that steps caused. The browser reports some of them again later. */
  readonly excused: Set<string>;
  /** Number of log lines that were checked. */
  seenLog: number;
}

/** Creates a user and opens their browser. */
export async function createWorld(rig: WalkRig, template: Template): Promise<World> {
  const username = `u${randomUUID().slice(0, 8)}`;
  const session = await makeUser(rig, username);
  const profile = await createProfile(rig.launcher, rig.server, (context) =>
    setSession(context, withAppAddress(rig), session),
  );
  return {
    rig,
    profile,
    username,
    model: createModel(template, readTemplateFiles(template)),
    get person() {
      return profile.person;
    },
    friend: undefined,
    references: new Map(),
    seenVersions: new Set(),
    excused: new Set(),
    seenLog: rig.server.log.length,
  };
}

/** Creates an account with a confirmed email, and its session. */
export async function makeUser({ server }: WalkRig, username: string) {
  const session = await signUpAccount(server, getTestAccount(username));
  await confirmEmailAddress(server, getEmail(username));
  return session;
}

/** The slug in the page's URL. */
export function getSlug({ page }: TestUser): string {
  return new URL(page.url()).pathname.split('/')[2] ?? '';
}

/** The server with the address for this transport. */
export function withAppAddress(rig: WalkRig): TestServer {
  return { ...rig.server, address: getAppAddress(rig) };
}

/** Opened by IP address, the app uses the srcdoc transport. */
export function getAppAddress({ server, transport }: WalkRig): string {
  if (transport === 'origin') return server.address;
  return `http://127.0.0.1:${new URL(server.address).port}`;
}

/** Reads the files of a template. */
export function readTemplateFiles(template: Template): Map<string, string> {
  const folder = fileURLToPath(new URL(`../../examples/${template}`, import.meta.url));
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'example.json')
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(folder.length + 1));
  return new Map(paths.map((path) => [path, readFileSync(`${folder}/${path}`, 'utf8')]));
}

/** Creates an API client that is signed in to an account. */
export async function signInToBackend(
  { server, clients }: WalkRig,
  username: string,
): Promise<SupabaseClient> {
  const known = clients.get(username);
  if (known) return known;
  const { publishableKey } = JSON.parse(readFileSync(`${server.dataDir}/secrets.json`, 'utf8'));
  const address = `http://127.0.0.1:${new URL(server.address).port}`;
  const client = createClient(address, publishableKey, { auth: { persistSession: false } });
  const { email, password } = getTestAccount(username);
  const { error } = await client.auth.signInWithPassword({ email, password });
  if (error) throw error;
  clients.set(username, client);
  return client;
}

/** Stays below the limit of 60 projects per hour and account. */
const projectsOfAnAccount = 50;

/** Creates an unlisted project with these files. Returns its path in the app. */
export async function makeReference(
  { rig, username, references }: World,
  state: ModelFiles,
): Promise<string> {
  const contents = JSON.stringify([...getContents(state)]);
  const known = references.get(contents);
  if (known !== undefined) return known;
  const owner = `${username}-${Math.floor(references.size / projectsOfAnAccount)}`;
  if (references.size % projectsOfAnAccount === 0) await makeUser(rig, owner);
  const client = await signInToBackend(rig, owner);
  for (const asset of state.assets.values()) await uploadAsset(client, asset);
  const files = new Map<string, ProjectFile>([
    ...toTextFiles(state.files),
    ...Array.from(state.assets, ([path, asset]): [string, ProjectFile] => [path, toFile(asset)]),
  ]);
  const update = Y.encodeStateAsUpdate(createDocumentFromFiles(files));
  const { data, error } = await client.rpc('create_project', {
    id: randomUUID(),
    title: 'Reference',
    description: '',
    visibility: 'unlisted',
    settings: {},
    files: Array.from(files, ([path, file]) =>
      file.kind === 'text'
        ? { path, content: file.text }
        : { path, hash: file.hash, size: file.size, media_type: file.mediaType },
    ),
    state: Buffer.from(update).toString('base64'),
    state_sha256: createHash('sha256').update(update).digest('hex'),
  });
  if (error) throw new Error(error.message);
  const path = `/@${owner}/${String(data.slug)}`;
  references.set(contents, path);
  return path;
}

const toFile = ({ hash, bytes }: Asset): AssetFile => ({
  kind: 'asset',
  hash,
  size: bytes.length,
  mediaType: 'image/png',
});

async function uploadAsset(client: SupabaseClient, { hash, bytes }: Asset): Promise<void> {
  const { data } = await client.auth.getUser();
  const name = getAssetObjectName(data.user?.id ?? '', hash);
  const { error } = await client.storage
    .from('assets')
    .upload(name, bytes, { contentType: 'application/octet-stream' });
  if (error && !/exists/.test(error.message)) throw error;
}

/** Reads a project's files twice, as saved and from its Yjs document, and its published version. */
export async function readSaved(client: SupabaseClient, slug: string) {
  const found = await client
    .from('projects')
    .select('id, published_version')
    .eq('slug', slug)
    .single();
  if (found.error) throw new Error(found.error.message);
  const { id } = found.data;
  const rows = await client
    .from('project_files')
    .select('path, content, hash, uploader')
    .eq('project_id', id);
  const loaded = await client.rpc('load_document', { project: id, since: 0 });
  if (rows.error) throw new Error(rows.error.message);
  if (loaded.error) throw new Error(loaded.error.message);
  const updates: string[] = loaded.data.updates.map(({ update }: { update: string }) => update);
  return {
    rows: await describeRows(client, rows.data),
    document: describeFiles([loaded.data.state, ...updates]),
    published: found.data.published_version ?? undefined,
  };
}

/** A file in the database: a text, or an asset with its hash. */
interface FileRow {
  readonly path: string;
  readonly content: string | null;
  readonly hash: string | null;
  readonly uploader: string | null;
}

/** Names of the objects whose bytes were compared with their hash. Objects never change. */
const downloaded = new Set<string>();

/** The content of each file, as in the model. Says if the bytes of an asset aren't in the storage. */
async function describeRows(
  client: SupabaseClient,
  rows: readonly Partial<FileRow>[],
): Promise<Map<string, string>> {
  const contents = new Map<string, string>();
  for (const { path = '', content, hash, uploader } of rows) {
    const text = hash ? await describeObject(client, getAssetObjectName(uploader ?? '', hash)) : '';
    contents.set(path, content ?? text);
  }
  return contents;
}

async function describeObject(client: SupabaseClient, name: string): Promise<string> {
  const hash = name.slice(-64);
  if (!downloaded.has(name)) {
    const { data } = await client.storage.from('assets').download(name);
    const bytes = data ? Buffer.from(await data.arrayBuffer()) : Buffer.alloc(0);
    if (createHash('sha256').update(bytes).digest('hex') !== hash)
      return `asset ${hash} of no bytes`;
    downloaded.add(name);
  }
  return `asset ${hash}`;
}

/** Reads the details of a project's versions, from the first. */
export async function listVersions(
  client: SupabaseClient,
  slug: string,
): Promise<{ number: number; reason: string; message: string }[]> {
  const { data, error } = await client.rpc('list_versions', { slug, count: 100 });
  if (error) throw new Error(error.message);
  return data.toReversed();
}

/** Reads the content of each file of a version. */
export async function readVersion(
  client: SupabaseClient,
  slug: string,
  number: number,
): Promise<Map<string, string>> {
  const { data, error } = await client.rpc('read_version', { slug, number });
  if (error) throw new Error(error.message);
  return describeRows(client, [...data.files, ...data.assets]);
}

/** Reads the content of each file of the open draft from the browser's storage. */
export async function readDevice({ page }: TestUser): Promise<Map<string, string>> {
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
  const contents = describeFiles(updates);
  for (const [path, content] of contents) {
    const [, hash] = /^asset ([0-9a-f]{64})$/.exec(content) ?? [];
    if (hash !== undefined && (await hashLocalAsset(page, hash)) !== hash)
      contents.set(path, `${content} of no bytes`);
  }
  return contents;
}

/** Hashes the bytes of an asset in the browser's storage. */
function hashLocalAsset(page: Page, asset: string): Promise<string> {
  return page.evaluate(async (key) => {
    const request = <T>(asked: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        asked.onsuccess = () => resolve(asked.result);
        asked.onerror = () => reject(new Error(String(asked.error)));
      });
    const database = await request(indexedDB.open('vitrine-assets'));
    const bytes = await request(database.transaction('bytes').objectStore('bytes').get(key));
    database.close();
    const hash = bytes ? await crypto.subtle.digest('SHA-256', bytes) : new ArrayBuffer();
    return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('');
  }, asset);
}

/** The content of each file of a document, as in the model. */
function describeFiles(updates: readonly (string | null)[]): Map<string, string> {
  const doc = new Y.Doc();
  for (const update of updates) if (update) Y.applyUpdate(doc, Buffer.from(update, 'base64'));
  return new Map(
    Array.from(readFiles(doc), ([path, file]) => [
      path,
      file.kind === 'text' ? file.text : `asset ${file.hash}`,
    ]),
  );
}
