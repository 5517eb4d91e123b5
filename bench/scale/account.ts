/** Somebody with an account, in a browser and at the backend, and projects of any files. */
import { documentFromFiles } from '@vitrine/project';
import { createHash, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { BrowserContext } from 'playwright-core';
import * as Y from 'yjs';
import type { Workspace } from '../workspace/server.ts';

export interface Account {
  /** Saves a public project; gives its address. */
  save(files: ReadonlyMap<string, string>): Promise<string>;
}

const credentials = { email: 'bench@example.org', password: 'a password of some length' };
const username = 'bench';

/** Makes the account in this browser, which is signed in then. */
export async function signUp(context: BrowserContext, workspace: Workspace): Promise<Account> {
  const page = await context.newPage();
  await page.goto(`${workspace.address}/auth/sign-up`);
  await page.getByLabel('E-mail').fill(credentials.email);
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password').fill(credentials.password);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('button', { name: `Account of ${username}` }).waitFor();
  await page.close();
  const call = await openBackend(workspace);
  return {
    async save(files) {
      const { slug } = await call('/rest/v1/rpc/create_project', projectOf(files));
      return `${workspace.address}/@${username}/${slug}`;
    },
  };
}

type Call = (path: string, body: object) => Promise<Record<string, string>>;

/** By the listener's own address: names below `localhost` are known to browsers alone. */
async function openBackend({ address, dataDir }: Workspace): Promise<Call> {
  const { publishableKey } = JSON.parse(await readFile(`${dataDir}/secrets.json`, 'utf8'));
  const origin = `http://127.0.0.1:${new URL(address).port}`;
  const post = async (path: string, body: object, token: string) => {
    const headers = {
      apikey: publishableKey,
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
    };
    const sent = { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await fetch(`${origin}${path}`, sent);
    if (!response.ok)
      throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return response.json();
  };
  const session = await post('/auth/v1/token?grant_type=password', credentials, publishableKey);
  return (path, body) => post(path, body, session.access_token);
}

function projectOf(files: ReadonlyMap<string, string>) {
  const state = Y.encodeStateAsUpdate(documentFromFiles(files));
  return {
    id: randomUUID(),
    title: 'Bench',
    description: '',
    visibility: 'public',
    settings: {},
    files: Array.from(files, ([path, content]) => ({ path, content })),
    state: Buffer.from(state).toString('base64'),
    state_sha256: createHash('sha256').update(state).digest('hex'),
  };
}
