import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { appOrigin, openTestBackend, signUpConfirmed } from '@vitrine/testing/backend';
import type { TestBackend } from '@vitrine/testing/backend';

export interface StorageWorld {
  readonly test: TestBackend;
  /** Bypasses row-level security. */
  readonly service: SupabaseClient;
  readonly visitor: SupabaseClient;
  readonly ada: StorageUser;
  readonly bob: StorageUser;
  /** Sends a raw request; the path is below `/storage/v1`. */
  request(path: string, init?: RequestInit): Promise<Response>;
  /** Number of files, complete or not, except those in `lost`. */
  countFiles(): Promise<number>;
  close(): Promise<void>;
}

export interface StorageUser {
  readonly client: SupabaseClient;
  readonly id: string;
  readonly token: string;
}

/**
 * Creates a backend with two users and the buckets `open` (public) and `closed`. In both, each user
 * may do everything in the folder of their id; in `dropbox` anyone may insert and nobody may read.
 */
export async function openStorageWorld(): Promise<StorageWorld> {
  const test = await openTestBackend();
  await test.database.sql.unsafe(`
    insert into storage.buckets (id, name, public) values
      ('open', 'open', true), ('closed', 'closed', false), ('dropbox', 'dropbox', false);
    create policy own on storage.objects for all to authenticated using (
      bucket_id in ('open', 'closed') and (storage.foldername(name))[1] = auth.uid()::text);
    create policy drop on storage.objects for insert to anon, authenticated
      with check (bucket_id = 'dropbox');
  `);
  const { backend } = test;
  const ask = (path: string, init?: RequestInit) =>
    backend.fetch(new Request(`${appOrigin}/storage/v1${path}`, init), { address: '192.0.2.1' });
  const connect = (key: string) =>
    createClient(appOrigin, key, {
      auth: { persistSession: false, autoRefreshToken: false },
      global: { fetch: (input, init) => backend.fetch(new Request(input, init)) },
    });
  return {
    test,
    service: connect(backend.secretKey),
    visitor: connect(backend.publishableKey),
    ada: await signUp(test, 'ada@example.com'),
    bob: await signUp(test, 'bob@example.com'),
    request: ask,
    async countFiles() {
      const found = await readdir(test.storageDir, { recursive: true, withFileTypes: true });
      const lost = join(test.storageDir, 'lost');
      return found.filter((entry) => entry.isFile() && entry.parentPath !== lost).length;
    },
    close: () => test.close(),
  };
}

async function signUp(test: TestBackend, email: string): Promise<StorageUser> {
  const { client } = await signUpConfirmed(test, email);
  const { session } = (await client.auth.getSession()).data;
  if (!session) throw new Error(`${email} has no session`);
  return { client, id: session.user.id, token: session.access_token };
}

/** Awaits a client's result and throws its error. */
export async function expectData<T>(
  answer: PromiseLike<{ data: T; error: null } | { data: unknown; error: Error }>,
): Promise<NonNullable<T>> {
  const { data, error } = await answer;
  if (error) throw error;
  if (data === null || data === undefined) throw new Error('There is no error and no data.');
  return data;
}
