import {
  getAssetObjectName,
  parseAssetRows,
  toTextFiles,
  type ProjectFile,
} from '@vitrine/project';
import { createClient } from '@supabase/supabase-js';
import type { Log } from '@vitrine/backend';
import {
  createPreviewServer,
  type PreviewServer,
  type ProjectRequest,
  type ServedProject,
} from '@vitrine/sandbox/server';
import { fileURLToPath } from 'node:url';
import type { Hosts } from './hosts.ts';
import type { PackageService } from './package-service.ts';
import type { BackendAccess } from './session.ts';

/** Outside the build folder: a bundle is valid until one of its sources changes. */
const scriptsFolder = fileURLToPath(new URL('../../../.cache/previews', import.meta.url));

/** Creates the preview hosts' server, which loads saved projects with the viewer's rights. */
export function createProjectPreviewServer(options: {
  hosts: Hosts;
  secret: Uint8Array;
  backend: BackendAccess;
  packages: Pick<PackageService, 'registerLockfile'>;
  log: Log;
}): PreviewServer {
  return createPreviewServer({
    appOrigins: [...options.hosts.appOrigins],
    hosts: [...options.hosts.previewHosts],
    secret: options.secret,
    scriptsFolder,
    log: options.log,
    async readProject(request) {
      const project = await readProject(options.backend, request);
      const lockfile = project?.files.get('package-lock.json');
      if (!project || lockfile?.kind !== 'text') return project;
      const key = `${project.id} ${project.revision}`;
      return {
        ...project,
        fullExportUrls: await options.packages.registerLockfile(key, lockfile.text),
      };
    },
    async readAsset({ accessToken }, { uploader, hash }, range) {
      if (uploader === undefined) return undefined;
      const name = getAssetObjectName(uploader, hash);
      return readObject(options.backend, { name, accessToken, range });
    },
  });
}

/**
 * Reads an object of the bucket `assets` with the viewer's rights, as a stream. Undefined if there is
 * none for them.
 */
async function readObject(
  { url, publishableKey, fetchFrom }: BackendAccess,
  object: {
    name: string;
    accessToken: string | undefined;
    range: { from: number; to: number } | undefined;
  },
): Promise<ReadableStream<Uint8Array<ArrayBuffer>> | undefined> {
  const { name, accessToken = publishableKey, range } = object;
  const fetchObject = fetchFrom?.('') ?? fetch;
  const response = await fetchObject(`${url}/storage/v1/object/authenticated/assets/${name}`, {
    headers: {
      apikey: publishableKey,
      authorization: `Bearer ${accessToken}`,
      // The response has the length of the stored bytes.
      'accept-encoding': 'identity',
      ...(range && { range: `bytes=${range.from}-${range.to}` }),
    },
  });
  if (response.status === (range ? 206 : 200)) return response.body ?? undefined;
  await response.body?.cancel();
  // The storage service has status 400 for nearly every refusal.
  if ([400, 401, 403, 404].includes(response.status)) return undefined;
  throw new Error(`reading an asset failed with status ${response.status}`);
}

async function readProject(
  backend: BackendAccess,
  { slug, version, accessToken }: ProjectRequest,
): Promise<ServedProject | undefined> {
  const supabase = createClient(backend.url, backend.publishableKey, {
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
    global: {
      ...(backend.fetchFrom ? { fetch: backend.fetchFrom('') } : {}),
      ...(accessToken ? { headers: { Authorization: `Bearer ${accessToken}` } } : {}),
    },
  });
  const { data, error } = await (version === undefined
    ? supabase.rpc('read_project', { slug })
    : supabase.rpc('read_version', { slug, number: version }));
  if (error) throw new Error(`Reading a project failed with ${error.code}: ${error.message}`);
  if (data === null) return undefined;
  if (version === undefined) return parseProject(data);
  return { ...parseProject({ ...data.project, ...data }), version };
}

interface SavedProjectRow {
  readonly id: string;
  readonly slug: string;
  readonly revision: number;
  readonly visibility: string;
  readonly title: string;
  readonly owner: { readonly username: string };
  readonly files: readonly { readonly path: string; readonly content: string }[];
  readonly assets: unknown;
}

function parseProject(row: SavedProjectRow): ServedProject {
  const { id, slug, revision, visibility, title, owner, files, assets } = row;
  return {
    id,
    slug,
    revision,
    isPrivate: visibility === 'private',
    credit: { title, author: owner.username },
    files: new Map<string, ProjectFile>([
      ...toTextFiles(files.map(({ path, content }) => [path, content])),
      ...parseAssetRows(assets),
    ]),
  };
}
