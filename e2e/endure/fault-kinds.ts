import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { rm, statfs, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connectDatabase, type DatabaseAddress } from '@vitrine/backend/postgres';
import type { FaultTarget } from './fault-target.ts';

/** Duration of each fault. */
const faultMs = 2_000;

/** F-08, F-09: fills the disk for two seconds. Nothing may be acknowledged that isn't stored. */
export async function fillDisk(site: FaultTarget): Promise<string[]> {
  const { dataDir, uploader } = site;
  const file = join(dataDir, 'filling');
  const { bavail, bsize } = await statfs(dataDir);
  try {
    await writeFile(file, Buffer.alloc(bavail * bsize));
  } catch (error) {
    // The server used the remaining space first.
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  }
  const refused = uploader.failedCount;
  await delay(faultMs);
  const answer = await readProjects(site);
  await rm(file, { force: true });
  return [
    ...(uploader.failedCount > refused ? [] : ['a full disk refused no upload']),
    ...findUnexpected([answer], 'on a full disk'),
  ];
}

/** F-31: without a database connection, requests fail quickly and with Retry-After. */
export async function exhaustConnections(site: FaultTarget): Promise<string[]> {
  const address = findDatabase(site, 'authenticator');
  const held = [];
  let isExhausted = false;
  try {
    // All connections except those reserved for the superuser.
    for (let index = 0; index < 100; index++) {
      const sql = connectDatabase(address, { max: 1, idle_timeout: 60 });
      held.push(sql);
      await sql`select 1`;
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === '53300')) throw error;
    isExhausted = true;
  }
  const answers = await Promise.all(Array.from({ length: 40 }, () => readProjects(site)));
  await delay(faultMs);
  await Promise.all(held.map((sql) => sql.end({ timeout: 1 })));
  return [
    ...(isExhausted ? [] : ['there were connections left']),
    ...findUnexpected(answers, 'without a connection'),
  ];
}

/** F-32: saves wait for a database lock. */
export async function slowDatabase(site: FaultTarget): Promise<string[]> {
  const sql = connectDatabase(findDatabase(site, 'authenticator'), { max: 1 });
  await sql.begin(async (tx) => {
    await tx`set local role service_role`;
    await tx`lock table public.documents in access exclusive mode`;
    await delay(faultMs);
  });
  await sql.end();
  const { status } = await readProjects(site);
  return status === 200 ? [] : [`after a slow database: ${status}`];
}

/** F-14: twenty clients request pictures without reading them; others are served meanwhile. */
export async function stopReading(site: FaultTarget): Promise<string[]> {
  const { person, kept } = site.uploader;
  const request = [...kept].slice(0, 20).map((name) => {
    const path = `/storage/v1/object/public/avatars/${person}/${name}`;
    return `GET ${path} HTTP/1.1\r\nhost: localhost:${site.port}\r\n\r\n`;
  });
  const clients = await Promise.all(Array.from({ length: 20 }, () => openSocket(site.port)));
  for (const client of clients) {
    client.pause();
    client.write(request.join(''));
  }
  await delay(faultMs);
  const startedAt = Date.now();
  const answer = await readProjects(site);
  const tookMs = Date.now() - startedAt;
  for (const client of clients) client.destroy();
  if (tookMs > 5_000) return [`beside who does not read: ${tookMs} ms`];
  return answer.status === 200 ? [] : [`beside who does not read: ${answer.status}`];
}

/**
 * RT-11: hundreds of WebSockets join a channel; those over the limit get an error or are closed.
 */
export async function floodJoins(site: FaultTarget): Promise<string[]> {
  const { key, token } = await readKeys(site);
  const sockets = Array.from(
    { length: 300 },
    () =>
      new WebSocket(`ws://127.0.0.1:${site.port}/realtime/v1/websocket?apikey=${key}&vsn=1.0.0`),
  );
  for (const [index, socket] of sockets.entries()) {
    socket.onopen = () => {
      for (let ref = 1; ref <= 10; ref++) {
        const payload = { config: { private: true }, access_token: token };
        const topic = `realtime:flood-${index}-${ref}`;
        socket.send(JSON.stringify({ topic, event: 'phx_join', payload, ref: `${ref}` }));
      }
    };
  }
  await delay(faultMs);
  const { status } = await readProjects(site);
  for (const socket of sockets) socket.close();
  return status === 200 ? [] : [`beside a flood of joins: ${status}`];
}

interface ResponseSummary {
  status: number;
  retryAfter: string | null;
}

/** Returns the responses that are neither successful nor ask to retry. */
function findUnexpected(answers: readonly ResponseSummary[], when: string): string[] {
  return answers
    .filter(({ status, retryAfter }) => status !== 200 && !(status === 503 && retryAfter))
    .map(({ status }) => `${when}: ${status}`);
}

/** Opens a socket that may be closed without an error. */
async function openSocket(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

async function readProjects(site: FaultTarget): Promise<ResponseSummary> {
  const { key, token } = await readKeys(site);
  const answer = await fetch(`http://127.0.0.1:${site.port}/rest/v1/projects?select=id&limit=1`, {
    headers: { apikey: key, authorization: `Bearer ${token}` },
  });
  await answer.arrayBuffer();
  return { status: answer.status, retryAfter: answer.headers.get('retry-after') };
}

async function readKeys({ dataDir, writer }: FaultTarget): Promise<{ key: string; token: string }> {
  const { data } = await writer.client.auth.getSession();
  if (!data.session) throw new Error('the writer is not signed in');
  return { key: readSecrets(dataDir).publishableKey, token: data.session.access_token };
}

/** The address of the embedded database, from its pid file. */
function findDatabase({ dataDir }: FaultTarget, user: string): DatabaseAddress {
  const lines = readFileSync(`${dataDir}/postgres/postmaster.pid`, 'utf8').split('\n');
  const [, , , port = '', host = ''] = lines;
  const password = readSecrets(dataDir).databasePassword;
  return { host, port: Number(port), database: 'postgres', user, password };
}

function readSecrets(dataDir: string): { publishableKey: string; databasePassword: string } {
  return JSON.parse(readFileSync(`${dataDir}/secrets.json`, 'utf8'));
}
