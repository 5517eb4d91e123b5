/**
 * A stylesheet of a public project while another user opens stylesheets with infinite loops, next
 * to the same without them. Every stylesheet is compiled for the first time.
 */
import { createHash, randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { createDocumentFromFiles } from '@vitrine/project';
import { encodeStateAsUpdate } from 'yjs';
import { countRounds, type Bench, type Measurement } from '../bench.ts';
import { startWorkspace, type BenchServer } from '../workspace/server.ts';

const rounds = countRounds(8);
const sheetsPerRound = 5;
const loopsPerRound = 4;

const visitor = '198.51.100.7';

/** Files `0.scss`, `1.scss`, … */
function sheets(count: number, text: (each: number) => string): Record<string, string> {
  const all = Array.from({ length: count }, (_, each) => [`${each}.scss`, text(each)]);
  return Object.fromEntries(all);
}

async function measure(): Promise<Measurement> {
  const workspace = await startWorkspace({ TRUSTED_PROXIES: '127.0.0.1' });
  try {
    const publish = await signUp(workspace);
    const styled = await publish(
      sheets(2 * rounds * sheetsPerRound + 1, (each) => `a { b${each} { color: red } }`),
    );
    const attacked = await publish(
      sheets(rounds * loopsPerRound, (each) => `/* ${each} */ @while true {}`),
    );
    let next = 0;
    const openSheets = async (): Promise<number[]> => {
      const samples: number[] = [];
      for (let count = 0; count < sheetsPerRound; count += 1) {
        const start = performance.now();
        const { status } = await get(workspace, styled, `/${(next += 1)}.scss`, visitor);
        if (status !== 200) throw new Error(`a stylesheet answered ${status}`);
        samples.push(performance.now() - start);
      }
      return samples;
    };
    await get(workspace, styled, '/0.scss', visitor);
    const measured = { sample: [] as number[], baseline: [] as number[] };
    for (let round = 0; round < rounds; round += 1) {
      measured.baseline.push(...(await openSheets()));
      const attacks = Array.from({ length: loopsPerRound }, (_, each) =>
        get(workspace, attacked, `/${round * loopsPerRound + each}.scss`, `192.0.2.${round}`),
      );
      measured.sample.push(...(await openSheets()));
      await Promise.all(attacks);
    }
    return { ...measured, unit: 'ms' };
  } finally {
    await workspace.close();
  }
}

type Publish = (files: Record<string, string>) => Promise<string>;

/**
 * Signs up a new account. Returns a function that creates a public project and resolves to its
 * host.
 */
async function signUp(workspace: BenchServer): Promise<Publish> {
  const { host } = new URL(workspace.address);
  const page = await get(workspace, host, '/', visitor);
  const apikey = /sb_publishable_[\w-]+/.exec(page.body)?.[0] ?? '';
  const account = await post(workspace, '/auth/v1/signup', apikey, {
    email: 'bench@example.org',
    password: 'a password of some length',
    data: { username: 'bench' },
  });
  return async (files) => {
    const state = encodeStateAsUpdate(createDocumentFromFiles(Object.entries(files)));
    const project = {
      id: randomUUID(),
      title: 'Styles',
      description: '',
      visibility: 'public',
      settings: {},
      files: Object.entries(files).map(([path, content]) => ({ path, content })),
      state: Buffer.from(state).toString('base64'),
      state_sha256: createHash('sha256').update(state).digest('hex'),
    };
    const path = '/rest/v1/rpc/create_project';
    const { slug } = await post(workspace, path, apikey, project, textIn(account, 'access_token'));
    return `${String(slug)}.${host.replace('vitrine.', 'vitrine-preview.')}`;
  };
}

function textIn(fields: Readonly<Record<string, unknown>>, name: string): string {
  const value = fields[name];
  if (typeof value !== 'string') throw new Error(`no ${name} among ${Object.keys(fields).join()}`);
  return value;
}

async function post(
  workspace: BenchServer,
  path: string,
  apikey: string,
  body: object,
  token?: string,
): Promise<Readonly<Record<string, unknown>>> {
  const headers = {
    apikey,
    'content-type': 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  const { host } = new URL(workspace.address);
  const answer = await send(workspace, { host, path, headers, body: JSON.stringify(body) });
  if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${answer.body}`);
  const fields: Readonly<Record<string, unknown>> = JSON.parse(answer.body);
  return fields;
}

/** Sends a GET request with `address` as the client address. */
function get(workspace: BenchServer, host: string, path: string, address: string): Promise<Answer> {
  const headers = { 'x-forwarded-for': address, 'sec-fetch-dest': 'style', accept: 'text/html' };
  return send(workspace, { host, path, headers });
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

interface Sent {
  readonly host: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends a request to the port, because Node can't resolve `*.localhost`. */
function send({ address }: BenchServer, { host, path, headers, body }: Sent): Promise<Answer> {
  const { port } = new URL(address);
  const method = body === undefined ? 'GET' : 'POST';
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, path, method, headers: { host, ...headers } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            body: Buffer.concat(chunks).toString('utf8'),
          }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

export const benches: readonly Bench[] = [{ name: 'previews/attacked', run: measure }];
