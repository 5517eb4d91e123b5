import type { StoredUpload } from '@vitrine/collaboration/local-assets';
import {
  createFreePath,
  findErrorCode,
  getPathKey,
  isSameFile,
  limits,
  normalizeFile,
  VitrineError,
  type AssetFile,
} from '@vitrine/project';
import * as Y from 'yjs';
import { isNearlyFull } from '../../assets/storage-usage.ts';
import type { Notices } from '../notices.ts';
import type { WorkspaceSession } from '../session.ts';
import type { OpenFiles } from '../tabs/open-files.ts';
import type { FileOperations } from '../tree/file-operations.ts';
import {
  joinPath,
  listTakenKeys,
  resolveCollisions,
  type AskCollision,
} from '../tree/file-paths.ts';
import type { FoundFile } from '../tree/uploaded-files.ts';
import type { ProjectAssets } from './project-assets.ts';
import { checkFoundFiles, readFile, type ReadFile, type RejectedFile } from './read-files.ts';
import { createReference } from './references.ts';
import { createUploadId } from './uploads.ts';

/** Where added files go. */
export interface AddTarget {
  readonly folder: string;
  /** Where to refer to a single added asset: an encoded Yjs relative position in a text. */
  readonly reference?: Uint8Array<ArrayBuffer>;
  /** Numbers the file if its name is taken, instead of asking: "image.png" → "image-2.png". */
  readonly isScreenshot?: boolean;
  /** Path of the file to replace. Otherwise the user is asked about paths that are taken. */
  readonly replaces?: string;
  /** Replaces files at the same paths without asking; `replace` also removes all others. */
  readonly import?: 'merge' | 'replace';
}

export interface AddContext {
  readonly session: WorkspaceSession;
  readonly assets: ProjectAssets;
  readonly changes: FileOperations;
  readonly openFiles: OpenFiles;
  readonly notices: Notices;
  readonly askCollision: AskCollision;
  /** Resolves before existing files are replaced. */
  readonly beforeReplacing: () => Promise<void>;
  /** Reports an action that can be undone. */
  readonly reportDone: (title: string, undo: () => void) => void;
}

/** A file at the path that it gets. */
interface PlannedFile extends ReadFile {
  readonly replaces: boolean;
}

/**
 * Adds files to the project: texts at once; assets at once if they stay on this device, otherwise
 * once they are uploaded. Files that can't be added are reported by name. Resolves when all are added
 * or canceled.
 */
export async function addFiles(
  found: readonly FoundFile[],
  target: AddTarget,
  context: AddContext,
): Promise<void> {
  const { notices, session } = context;
  if (found.length === 0) return;
  const named = nameFiles(found, target, context);
  // Only these are checked against the user's storage before they are read.
  const hasLarge = named.some(({ file }) => file.size > limits.fileMaxBytes);
  const usage = session.uploadTarget && hasLarge ? await context.assets.readUsage() : undefined;
  const existing = target.import === 'replace' ? new Map() : session.readFiles();
  const { accepted, rejected } = checkFoundFiles(named, existing, usage);
  const planned = await planFiles(accepted, target, context);
  const files = planned ? await readFiles(planned, rejected, context) : [];
  // Reported after the dialogs, which would cover the notices.
  for (const [code, those] of Map.groupBy(rejected, ({ code }) => code))
    notices.failed(code, those.map(({ path }) => path).join(', '));
  if (files.length > 0) await addReadFiles(files, target, context);
}

/** Continues uploads to the saved project that an earlier visit has left on this device. */
export async function resumeUploads(context: AddContext): Promise<void> {
  const { assets, notices, reportDone, session } = context;
  const { uploadTarget } = session;
  if (!uploadTarget) return assets.preload();
  const { owner, project } = uploadTarget;
  for (const upload of await assets.findUnfinishedUploads(owner, project))
    addUploadedFile(upload, undefined, context).then(
      (undo) => undo && reportDone(`Added ${upload.path}`, undo),
      (error: unknown) => notices.failed(findErrorCode(error), upload.path),
    );
}

/** Full paths of found files. */
function nameFiles(
  found: readonly FoundFile[],
  { folder, isScreenshot, replaces }: AddTarget,
  { assets, session }: AddContext,
): FoundFile[] {
  if (replaces !== undefined)
    return found.slice(0, 1).map(({ file }) => ({ path: replaces, file }));
  const named = found.map(({ path, file }) => ({
    path: joinPath(folder, path.normalize('NFC')),
    file,
  }));
  if (!isScreenshot) return named;
  const uploading = assets.uploads.get().map(({ path }) => path);
  const taken = listTakenKeys([...session.paths.get(), ...uploading]);
  return named.map(({ path, file }) => ({ path: reserveName(path, taken), file }));
}

/** "image.png" → "image-2.png" if that is taken. Screenshots all have the same name. */
function reserveName(path: string, taken: Set<string>): string {
  const dot = path.lastIndexOf('.');
  const [stem, end] =
    dot > path.lastIndexOf('/') + 1 ? [path.slice(0, dot), path.slice(dot)] : [path, ''];
  let free = path;
  for (let number = 2; taken.has(getPathKey(free)); number++) free = `${stem}-${number}${end}`;
  taken.add(getPathKey(free));
  return free;
}

/** Asks about each file whose path is taken. Undefined if the user cancels. */
async function planFiles(
  files: readonly FoundFile[],
  { replaces, import: how }: AddTarget,
  { askCollision, session }: AddContext,
): Promise<(FoundFile & { readonly replaces: boolean })[] | undefined> {
  if (replaces !== undefined) return files.map((file) => ({ ...file, replaces: true }));
  const targets = files.map(({ path }) => path);
  const ask: AskCollision = how
    ? () => Promise.resolve({ choice: 'replace', isForAll: true })
    : askCollision;
  const plan = await resolveCollisions(targets, session.paths.get(), ask);
  return (
    plan &&
    files.map(({ path, file }, index) => {
      const to = plan.to[index] ?? path;
      return { path: to, file, replaces: plan.replaced.includes(to) };
    })
  );
}

async function readFiles(
  planned: readonly (FoundFile & { readonly replaces: boolean })[],
  rejected: RejectedFile[],
  { assets, session }: AddContext,
): Promise<PlannedFile[]> {
  const files: PlannedFile[] = [];
  for (const each of planned) {
    try {
      const read = await readFile(each, async (bytes, mediaType) => {
        const kept = await assets.keep(bytes, mediaType);
        if (kept.bytes && !session.uploadTarget) throw new VitrineError('device_full');
        return kept;
      });
      files.push({ ...read, replaces: each.replaces });
    } catch (error) {
      if (!(error instanceof VitrineError)) throw error;
      rejected.push({ path: each.path, code: error.code });
    }
  }
  return files;
}

async function addReadFiles(
  files: readonly PlannedFile[],
  target: AddTarget,
  context: AddContext,
): Promise<void> {
  const { changes, openFiles, reportDone, session } = context;
  const paths = new Set(files.map(({ path }) => path));
  const removed =
    target.import === 'replace' ? session.paths.get().filter((path) => !paths.has(path)) : [];
  const contents = files.map(({ path, content }) => [path, normalizeFile(content)] as const);
  changes.checkLimits(new Map(contents), removed);
  if (target.import || files.some(({ replaces }) => replaces)) await context.beforeReplacing();
  const { uploadTarget } = session;
  const [first] = files;
  const single = files.length === 1 ? first : undefined;
  const reference = single && target.reference;
  const now = files.filter(({ content }) => !uploadTarget || !isAsset(content));
  const undos = removed.length > 0 ? [changes.remove(removed)] : [];
  if (now.length > 0) undos.push(changes.add(now));
  if (single && now.length === 1 && !target.reference) openFiles.open(single.path);
  if (single && now.length === 1) undos.push(await insertReference(single, reference, context));
  const uploads = files.flatMap((file) =>
    uploadTarget && isAsset(file.content)
      ? [{ file, upload: createUpload(file, file.content, uploadTarget, reference) }]
      : [],
  );
  const uploaded = await Promise.all(
    uploads.map(({ file, upload }) => addUploadedFile(upload, file.bytes, context)),
  );
  if (uploads.length > 0) void checkUsage(context);
  const uploadUndos = uploaded.flatMap((undo) => undo ?? []);
  const count = now.length + uploadUndos.length;
  if (count + removed.length === 0) return;
  const verb = files.every(({ replaces }) => replaces) ? 'Replaced' : 'Added';
  const what = single ? single.path : `${count} items`;
  reportDone(target.import === 'replace' ? 'Replaced all files' : `${verb} ${what}`, () => {
    for (const undo of [...undos, ...uploadUndos].toReversed()) undo();
  });
}

function createUpload(
  { path, replaces }: PlannedFile,
  { hash, size, mediaType }: AssetFile,
  uploadTarget: NonNullable<WorkspaceSession['uploadTarget']>,
  reference: Uint8Array<ArrayBuffer> | undefined,
): StoredUpload {
  return {
    id: createUploadId(),
    ...uploadTarget,
    path,
    hash,
    size,
    mediaType,
    replaces,
    reference: reference ?? null,
  };
}

/** Uploads an asset, then adds it to the document. Resolves to an undo function; undefined if it was canceled. */
async function addUploadedFile(
  upload: StoredUpload,
  bytes: Blob | undefined,
  context: AddContext,
): Promise<(() => void) | undefined> {
  const { session } = context;
  let undo: (() => void) | undefined;
  await context.assets.upload(upload, bytes, async () => {
    undo = await addUploadedAsset(upload, context);
    try {
      await session.flush();
    } catch (error) {
      // Unless the device can't store it, the document has the file after a reload too.
      if (findErrorCode(error) === 'not_kept') throw error;
    }
  });
  return undo;
}

async function addUploadedAsset(
  { path: wanted, replaces, hash, size, mediaType, reference }: StoredUpload,
  context: AddContext,
): Promise<() => void> {
  const { changes, session } = context;
  const asset: AssetFile = { kind: 'asset', hash, size, mediaType };
  // An earlier visit ended after it had added the file.
  if (isSameFile(session.readFiles().get(wanted), asset)) return () => undefined;
  // Others may have added a file at this path meanwhile.
  const path = replaces ? wanted : findFreePath(wanted, session.paths.get());
  const added = { path, content: asset };
  const undoAdd = changes.add([added]);
  const undoReference = await insertReference(added, reference ?? undefined, context);
  return () => {
    undoReference();
    undoAdd();
  };
}

function findFreePath(path: string, paths: readonly string[]): string {
  const taken = listTakenKeys(paths);
  return taken.has(getPathKey(path)) ? createFreePath(path, taken) : path;
}

/** Inserts a reference to an added asset. Returns an undo function. */
async function insertReference(
  { path: target, content }: Pick<ReadFile, 'path' | 'content'>,
  position: Uint8Array | undefined,
  { changes, openFiles, session }: AddContext,
): Promise<() => void> {
  const nothing = () => undefined;
  if (!position || !isAsset(content)) return nothing;
  const { text } = await session.whenOpened();
  const place = Y.createAbsolutePositionFromRelativePosition(
    Y.decodeRelativePosition(position),
    text.doc,
  );
  const path = place ? text.findPath(place.type) : undefined;
  if (!place || path === undefined) return nothing;
  const from = place.index;
  const insert = createReference(
    { path, text: text.files.get().get(path) ?? '', offset: from },
    { path: target, mediaType: content.mediaType },
  );
  if (insert === undefined) return nothing;
  const { undo } = changes.writeEdits([{ path, edits: [{ from, to: from, insert }] }]);
  openFiles.moveCursor(path, from, from + insert.length);
  return undo;
}

/** Warns if the user's storage is nearly full. */
async function checkUsage({ assets, notices }: AddContext): Promise<void> {
  const usage = await assets.readUsage();
  if (usage && isNearlyFull(usage)) notices.storageNearlyFull(usage);
}

function isAsset(content: ReadFile['content']): content is AssetFile {
  return typeof content !== 'string' && content.kind === 'asset';
}
