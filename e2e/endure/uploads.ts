import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { SupabaseClient } from '@supabase/supabase-js';
import type { TestServer } from '@vitrine/testing/server';
import { startUnlimited, waitForCondition } from './kills.ts';

/** The server and folder with the files. */
interface UploadTarget {
  server: TestServer;
  readonly port: number;
  readonly dataDir: string;
}

/** A user who uploads pictures, one after another. */
export interface Uploader {
  readonly client: SupabaseClient;
  readonly person: string;
  /** SHA-256 of each uploaded file, by name. */
  readonly sent: Map<string, string>;
  /** Names of acknowledged uploads. */
  readonly kept: Set<string>;
  /** Number of failed uploads. */
  failedCount: number;
}

export async function openUploader(client: SupabaseClient): Promise<Uploader> {
  const { data, error } = await client.auth.getUser();
  if (error) throw error;
  return { client, person: data.user.id, sent: new Map(), kept: new Set(), failedCount: 0 };
}

/** Uploads until the signal aborts. Failed uploads aren't retried. */
export async function upload(uploader: Uploader, signal: AbortSignal): Promise<void> {
  const { client, kept, person, sent } = uploader;
  while (!signal.aborted) {
    const name = `${randomUUID()}.png`;
    const bytes = randomBytes(50_000 + Math.floor(Math.random() * 150_000));
    sent.set(name, hash(bytes));
    const { error } = await client.storage
      .from('avatars')
      .upload(`${person}/${name}`, bytes, { contentType: 'image/png' });
    if (error) uploader.failedCount += 1;
    else kept.add(name);
    await delay(50);
  }
}

/** Finds missing acknowledged objects, incomplete objects, and orphaned files. */
export async function findDamagedObjects(
  uploader: Uploader,
  site: UploadTarget,
): Promise<string[]> {
  const { client, kept, person, sent } = uploader;
  const listed = new Set<string>();
  for (let offset = 0; ; offset += 500) {
    const { data, error } = await client.storage
      .from('avatars')
      .list(person, { limit: 500, offset });
    if (error) throw error;
    for (const { name } of data) listed.add(name);
    if (data.length < 500) break;
  }
  const wrong = [...kept].filter((name) => !listed.has(name)).map((name) => `${name} is not there`);
  for (const name of listed) {
    const { data } = await client.storage.from('avatars').download(`${person}/${name}`);
    const bytes = data && Buffer.from(await data.arrayBuffer());
    if (!bytes || hash(bytes) !== sent.get(name)) wrong.push(`${name} is not what was sent`);
  }
  return [...wrong, ...(await findOrphans(site, listed.size))];
}

/** Makes files look hours old, so that the next start removes every file without a row. */
async function findOrphans(site: UploadTarget, rows: number): Promise<string[]> {
  await site.server.stop();
  const whole = join(site.dataDir, 'storage/whole');
  const list = async () =>
    (await readdir(whole, { recursive: true, withFileTypes: true })).filter((one) => one.isFile());
  const before = new Date(Date.now() - 2 * 3_600_000);
  for (const { name, parentPath } of await list())
    await utimes(join(parentPath, name), before, before);
  site.server = await startUnlimited({ dataDir: site.dataDir, port: site.port });
  let files = (await list()).length;
  const looking = setInterval(() => void list().then((found) => (files = found.length)), 100);
  try {
    await waitForCondition(() => files === rows);
    return [];
  } catch {
    // After the timeout, there are still as many.
    return [`${files} files for ${rows} rows`];
  } finally {
    clearInterval(looking);
  }
}

function hash(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
