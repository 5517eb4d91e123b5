import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A mail written to a directory because no mail server is configured. */
export interface OutboxMail {
  id: string;
  createdAt: string;
  from: string;
  to: string;
  subject: string;
  text: string;
  html: string;
}

const maxMails = 200;

/** Writes a mail, and deletes the oldest ones beyond 200. Only the file's owner can read it. */
export async function writeOutboxMail(
  outboxDir: string,
  mail: Omit<OutboxMail, 'id' | 'createdAt'>,
): Promise<void> {
  await mkdir(outboxDir, { recursive: true, mode: 0o700 });
  // The directory may already exist with other permissions.
  await chmod(outboxDir, 0o700);
  const createdAt = new Date().toISOString();
  const id = `${createdAt.replace(/\D/g, '')}-${randomBytes(6).toString('hex')}`;
  const unfinished = join(outboxDir, `.${id}`);
  await writeFile(unfinished, JSON.stringify({ id, createdAt, ...mail }), { mode: 0o600 });
  await rename(unfinished, getFile(outboxDir, id));
  const ids = await listIds(outboxDir);
  await Promise.all(ids.slice(maxMails).map((old) => rm(getFile(outboxDir, old), { force: true })));
}

/**
 * Lists the mails, newest first. They contain links and codes that sign users in: show them to
 * administrators only.
 */
export async function listOutboxMails(outboxDir: string): Promise<OutboxMail[]> {
  const mails = await Promise.all(
    (await listIds(outboxDir)).map((id) => readOutboxMail(outboxDir, id)),
  );
  return mails.filter((mail) => mail !== undefined);
}

export async function readOutboxMail(
  outboxDir: string,
  id: string,
): Promise<OutboxMail | undefined> {
  if (!/^\d{17}-[0-9a-f]{12}$/.test(id)) return undefined;
  try {
    return JSON.parse(await readFile(getFile(outboxDir, id), 'utf8')) as OutboxMail;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

async function listIds(outboxDir: string): Promise<string[]> {
  try {
    const files = await readdir(outboxDir);
    const ids = files.map((file) => /^(\d{17}-[0-9a-f]{12})\.json$/.exec(file)?.[1]);
    return ids
      .filter((id) => id !== undefined)
      .toSorted()
      .toReversed();
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}

function getFile(outboxDir: string, id: string): string {
  return join(outboxDir, `${id}.json`);
}

function isNotFound(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
