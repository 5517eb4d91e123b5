/** The oracle: checks that the app shows what the model expects. */
import { newVisitor, type TestUser } from '../rig/test-user.ts';
import type { Action } from './action.ts';
import { findDifferences, getContents, manifests, type Model, type ModelFiles } from './model.ts';
import {
  openFile,
  poll,
  readEditor,
  readSaveState,
  readPreview,
  showPanel,
  treeRow,
  type PreviewContent,
} from './user-page.ts';
import {
  getAppAddress,
  listVersions,
  makeReference,
  readDevice,
  readSaved,
  readVersion,
  signInToBackend,
  getSlug,
  type World,
} from './world.ts';

type FindingKind =
  | 'action'
  | 'save state'
  | 'editor'
  | 'tree'
  | 'device'
  | 'database'
  | 'versions'
  | 'preview'
  | 'access'
  | 'console'
  | 'server log';

/** A difference between the app and the model. */
export class Finding extends Error {
  readonly kind: FindingKind;

  constructor(kind: FindingKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** The cheap checks, after every step. */
export async function checkStep(world: World, allowed: readonly Allowed[]): Promise<void> {
  await checkSaveState(world);
  await readManifests(world);
  await checkStored(world);
  await checkVersions(world);
  await checkOpenEditor(world);
  // Offline, srcdoc previews can't open a document.
  if (world.rig.transport === 'origin' || world.model.connection === 'online') {
    await checkMarks(world.person, world.model);
    await checkAlerts(world);
  }
  checkComplaints(world, allowed);
}

/** Complaints that a step causes. */
type Allowed = Pick<Action, 'allows' | 'allowsInLog'>;

function getExpectedSaveState({ kind, connection, hasUnsent }: Model): string {
  if (kind === 'draft') return 'draft-saved-locally';
  return connection === 'offline' && hasUnsent ? 'offline' : 'saved';
}

async function checkSaveState({ model, person }: World): Promise<void> {
  const expected = getExpectedSaveState(model);
  const isRight = async () => (await readSaveState(person)) === expected || undefined;
  if (await poll(isRight)) return;
  throw new Finding('save state', `${await readSaveState(person)} instead of ${expected}`);
}

async function checkOpenEditor(world: World): Promise<void> {
  for (const path of world.model.files.keys()) {
    if ((await readEditor(world.person, path)) === undefined) continue;
    const expected = world.model.files.get(path);
    const isRight = async () => {
      const text = await readEditor(world.person, path);
      // The app has opened the tab of another file since.
      return text === undefined || text === expected || undefined;
    };
    if (await poll(isRight, 5_000)) continue;
    const text = await readEditor(world.person, path);
    throw new Finding('editor', `${path} is\n${text}\ninstead of\n${expected}`);
  }
}

/** Checks every file in the editor, one after the other. */
export async function checkEditors(world: World): Promise<void> {
  for (const path of world.model.files.keys()) {
    // Too long for the editor to render completely.
    if (path === 'package-lock.json') continue;
    await openFile(world.person, path);
    await checkOpenEditor(world);
  }
}

/** Opens every asset, and checks that all files are in the tree. */
export async function checkTree({ model, person }: World): Promise<void> {
  await showPanel(person, 'Files');
  const expected = [...getContents(model).keys()].toSorted();
  let paths: string[] = [];
  const isRight = async () => {
    const rows = person.page.getByRole('tree', { name: 'Files' }).getByRole('treeitem');
    paths = await rows.evaluateAll((all) =>
      all.flatMap((row) =>
        row.hasAttribute('aria-expanded') ? [] : (row.getAttribute('aria-label') ?? []),
      ),
    );
    return paths.toSorted().join('\n') === expected.join('\n') || undefined;
  };
  if (!(await poll(isRight)))
    throw new Finding('tree', `it has ${paths.join(', ')} instead of ${expected.join(', ')}`);
  // Bytes that the page hasn't shown need a connection.
  if (model.connection === 'offline' && model.kind === 'project') return;
  for (const [path, { width }] of model.assets) {
    await treeRow(person, path).click();
    await person.page.getByText(`image/png · ${width} × 8 · `).first().waitFor();
  }
}

/** Checks that a preview shows what these files show. */
export async function checkMarks(
  person: TestUser,
  state: ModelFiles,
  title = 'Result',
): Promise<void> {
  const isRight = async () => {
    const shown = await readPreview(person, title);
    return (shown && findMissing(state, shown).length === 0) || undefined;
  };
  if (await poll(isRight)) return;
  const shown = await readPreview(person, title).catch(() => undefined);
  if (!shown) throw new Finding('preview', await describeMissingPreview(person));
  const wrong = findMissing(state, shown).map(({ value }) => value);
  const now = JSON.stringify(shown);
  throw new Finding('preview', `${title} does not show ${wrong.join(', ')}, but ${now}`);
}

function findMissing({ assets, marks }: ModelFiles, shown: PreviewContent) {
  const headings = shown.elements.filter((line) => line.startsWith('h1'));
  return marks.filter(({ kind, value }) => {
    const width = assets.get(value)?.width ?? 0;
    switch (kind) {
      case 'text':
        return !shown.text.includes(value);
      case 'word':
        return shown.data['word'] !== value;
      case 'image':
        return !shown.images.includes(width);
      case 'background':
        return shown.background !== width;
      case 'color':
        return headings.length > 0 && !headings.some((line) => line.includes(` ${value} `));
    }
  });
}

/** Describes what is shown instead of a preview. */
async function describeMissingPreview({ page }: TestUser): Promise<string> {
  const frames = await page
    .locator('iframe[title="Result"]')
    .evaluateAll((all) => all.map((frame) => frame.outerHTML.slice(0, 300)));
  const said = await page.getByRole('region', { name: 'Result' }).innerText();
  return `no preview can be read: ${frames.length} frames ${frames.join(' ')}; the app says ${said}`;
}

/** Checks that no error is shown. */
async function checkAlerts({ person }: World): Promise<void> {
  const alerts = person.page.getByRole('region', { name: 'Result' }).getByRole('alert');
  if (await poll(async () => ((await alerts.count()) === 0 ? true : undefined))) return;
  throw new Finding('preview', `it says: ${(await alerts.allTextContents()).join(' / ')}`);
}

/** Complaints of a page that Firefox leaves, about the imports and connections it ends. */
const leaving =
  /Failed to fetch manifest patches|download failed \(font-family|error loading dynamically imported module|can’t establish a connection to the server at ws:|^console error: (?:React Router caught the following error during render )?Error \(/;

/** Removes and returns a browser's complaints, without those that don't tell of a fault. */
export function takeComplaints({ rig }: World, { complaints }: TestUser): string[] {
  const taken = complaints.splice(0);
  const isFirefox = rig.launcher.type.name() === 'firefox';
  const isUsual = (line: string) =>
    // Every srcdoc preview causes it.
    (rig.transport === 'srcdoc' && /could not be origin-keyed/.test(line)) ||
    (isFirefox && leaving.test(line));
  return taken.filter((line) => !isUsual(line));
}

function checkComplaints(world: World, allowed: readonly Allowed[]): void {
  const complaints = takeComplaints(world, world.person);
  for (const line of complaints)
    if (allowed.some(({ allows }) => allows?.test(line))) world.excused.add(line);
  const unexpected = complaints.filter((line) => !world.excused.has(line));
  if (unexpected.length > 0) throw new Finding('console', unexpected.join('\n'));
  const { log } = world.rig.server;
  const lines = log.slice(world.seenLog);
  world.seenLog = log.length;
  const bad = lines.filter(
    (line) =>
      / (?:error|warn) /.test(line) && !allowed.some(({ allowsInLog }) => allowsInLog?.test(line)),
  );
  if (bad.length > 0) throw new Finding('server log', bad.join('\n'));
}

/** Reads the manifests that the package server wrote into the model. */
async function readManifests(world: World): Promise<void> {
  const { model } = world;
  if (!model.hasUnreadManifests) return;
  let version: string | undefined;
  const isRight = async () => {
    const files = await readStored(world);
    const manifest: { dependencies?: Record<string, string> } = JSON.parse(
      files.get('package.json') ?? '{}',
    );
    version = manifest.dependencies?.['greeting']?.replace(/^[~^]/, '');
    if (version !== model.greeting) return undefined;
    for (const path of manifests) {
      const text = files.get(path);
      if (text === undefined) model.files.delete(path);
      else model.files.set(path, text);
    }
    return true;
  };
  if (!(await poll(isRight)))
    throw new Finding(
      'device',
      `package.json has greeting ${version} instead of ${model.greeting}`,
    );
  model.hasUnreadManifests = false;
}

/** Reads a draft's files from the device, or a project's from its document in the database. */
export async function readStored({
  model,
  person,
  rig,
  username,
}: World): Promise<Map<string, string>> {
  if (model.kind === 'draft') return readDevice(person);
  return (await readSaved(await signInToBackend(rig, username), getSlug(person))).document;
}

/** Checks that what the save state claims is stored. */
async function checkStored(world: World): Promise<void> {
  if (world.model.connection === 'offline') return;
  const expected = getExpectedSaveState(world.model);
  const isSaid = async () => (await readSaveState(world.person)) === expected;
  let wrong = '';
  const isRight = async () => {
    const isSaidBefore = await isSaid();
    wrong = await findStoredDifference(world);
    if (wrong !== '' && isSaidBefore && (await isSaid())) return false;
    return wrong === '' || undefined;
  };
  if (await poll(isRight)) return;
  throw new Finding(world.model.kind === 'draft' ? 'device' : 'database', wrong);
}

async function findStoredDifference({ model, person, rig, username }: World): Promise<string> {
  if (model.kind === 'draft') return describeDifference(await readDevice(person), model);
  const client = await signInToBackend(rig, username);
  const { rows, document, published } = await readSaved(client, getSlug(person));
  const isPublished = published === model.published;
  return [
    describeDifference(rows, model),
    describeDifference(document, model),
    isPublished ? '' : `version ${published} is published instead of ${model.published}`,
  ]
    .filter(Boolean)
    .join('\n');
}

function describeDifference(contents: ReadonlyMap<string, string>, state: ModelFiles): string {
  const expected = getContents(state);
  return findDifferences(contents, expected)
    .map((path) => `${path} is\n${contents.get(path)}\ninstead of\n${expected.get(path)}`)
    .join('\n');
}

/** Checks the list of versions in the database, and the files of those that are new. */
async function checkVersions({ model, person, rig, username, seenVersions }: World): Promise<void> {
  if (model.kind === 'draft' || model.connection === 'offline') return;
  const client = await signInToBackend(rig, username);
  const slug = getSlug(person);
  const describe = ({ reason, message }: { reason: string; message: string }) =>
    `${reason} ${message}`.trim();
  const found = (await listVersions(client, slug)).map(describe).join(', ');
  const expected = model.versions.map(describe).join(', ');
  if (found !== expected) throw new Finding('versions', `${found} instead of ${expected}`);
  for (const [index, version] of model.versions.entries()) {
    const name = `${slug} ${index + 1}`;
    if (seenVersions.has(name)) continue;
    const wrong = describeDifference(await readVersion(client, slug, index + 1), version);
    if (wrong) throw new Finding('versions', `in version ${index + 1}, ${wrong}`);
    seenVersions.add(name);
  }
}

/**
 * The expensive check: compares the user's preview, or that of another person who sees `state`, to
 * that of a fresh profile.
 */
export async function checkPreview(
  world: World,
  person: TestUser = world.person,
  state: ModelFiles = world.model,
): Promise<void> {
  const { model } = world;
  if (model.connection === 'offline') return;
  const size = await poll(() => readPreview(person));
  if (!size) throw new Finding('preview', await describeMissingPreview(person));
  const fresh = await openFresh(world, state, size);
  try {
    let shown = '';
    let expected = '';
    const isRight = async () => {
      const [here, there] = await Promise.all([readPreview(person), readPreview(fresh)]);
      [shown, expected] = [JSON.stringify(here), JSON.stringify(there)];
      return shown === expected || undefined;
    };
    if (await poll(isRight)) return;
    throw new Finding('preview', `it shows\n${shown}\nwhere a fresh profile shows\n${expected}`);
  } finally {
    await fresh.context.close();
  }
}

/** Opens a preview of these files, of the same size, in a fresh profile. */
async function openFresh(
  world: World,
  state: ModelFiles,
  { width, height }: PreviewContent,
): Promise<TestUser> {
  const { rig } = world;
  const path = await makeReference(world, state);
  const fresh = await newVisitor(rig.browser, rig.server, { viewport: { width, height } });
  await fresh.page.goto(`${getAppAddress(rig)}${path}/full`);
  await poll(async () => {
    const shown = await readPreview(fresh);
    if (!shown) return undefined;
    if (shown.width === width && shown.height === height) return true;
    // The page has a toolbar above its preview.
    const viewport = fresh.page.viewportSize() ?? shown;
    await fresh.page.setViewportSize({
      width: viewport.width + width - shown.width,
      height: viewport.height + height - shown.height,
    });
    return undefined;
  });
  return fresh;
}
