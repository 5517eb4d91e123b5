/** A client of a running product's backend. */
import {
  createDocumentFromFiles,
  getAssetObjectName,
  type AssetFile,
  type FileContent,
} from '@vitrine/project';
import { createHash, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import * as Y from 'yjs';
import type { BenchServer } from './server.ts';

export interface Product {
  readonly origin: string;
  readonly key: string;
  /** Sends a request, without a token as a visitor. Throws with the response on failure. */
  post(path: string, body: object, token?: string): Promise<Record<string, string>>;
}

export const credentials = { email: 'bench@example.org', password: 'a password of some length' };
export const username = 'bench';

/** Uses the listener's IP address, because only browsers resolve names below `localhost`. */
export async function openProduct({
  address,
  dataDir,
}: Pick<BenchServer, 'address' | 'dataDir'>): Promise<Product> {
  const { publishableKey: key } = JSON.parse(await readFile(`${dataDir}/secrets.json`, 'utf8'));
  const origin = `http://127.0.0.1:${new URL(address).port}`;
  return {
    origin,
    key,
    async post(path, body, token = key) {
      const headers = {
        apikey: key,
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
      };
      const sent = { method: 'POST', headers, body: JSON.stringify(body) };
      const response = await fetch(`${origin}${path}`, sent);
      if (!response.ok)
        throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
      return response.json();
    },
  };
}

export async function signInToProduct({ post }: Product): Promise<string> {
  const { access_token: token } = await post('/auth/v1/token?grant_type=password', credentials);
  if (token === undefined) throw new Error('signing in gave no token');
  return token;
}

/** Uploads bytes as the token's user. Returns the asset. */
export async function uploadAsset(
  { origin, key }: Product,
  token: string,
  bytes: Uint8Array<ArrayBuffer>,
  mediaType: string,
): Promise<AssetFile> {
  const hash = createHash('sha256').update(bytes).digest('hex');
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  const name = getAssetObjectName(claims.sub, hash);
  const response = await fetch(`${origin}/storage/v1/object/assets/${name}`, {
    method: 'POST',
    headers: {
      apikey: key,
      authorization: `Bearer ${token}`,
      'content-type': 'application/octet-stream',
    },
    body: bytes,
  });
  if (!response.ok) throw new Error(`an upload answered ${response.status}`);
  return { kind: 'asset', hash, size: bytes.length, mediaType };
}

/** Arguments of `create_project` for a public project with these files. */
export function createProjectArguments(files: ReadonlyMap<string, FileContent>) {
  const state = Y.encodeStateAsUpdate(createDocumentFromFiles(files));
  return {
    id: randomUUID(),
    title: 'Bench',
    description: '',
    visibility: 'public',
    settings: {},
    files: Array.from(files, ([path, content]) => createRow(path, content)),
    state: Buffer.from(state).toString('base64'),
    state_sha256: createHash('sha256').update(state).digest('hex'),
  };
}

function createRow(path: string, content: FileContent) {
  if (typeof content === 'string') return { path, content };
  if (content.kind === 'text') return { path, content: content.text };
  return { path, hash: content.hash, size: content.size, media_type: content.mediaType };
}
