import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createPackageServer,
  type PackageServer,
  type PackageServerOptions,
} from '../src/index.ts';
import { parseResolveResponse, type ResolveResponse } from '../src/messages.ts';
import { startFakeRegistry, type FakeRegistry } from '@vitrine/testing/registry';

/** What a test needs: a registry, a store, a server, and a client. */
export interface PackageServerFixture {
  readonly registry: FakeRegistry;
  readonly server: PackageServer;
  readonly folder: string;
  /** Every logged message with its fields. */
  readonly logged: string[];
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  /** Sends a POST to `/npm/-/…` like a page of the app. */
  post(action: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  /** Adds packages to a project, and returns its files and the URLs of the packages. */
  add(packages: readonly string[], project?: Partial<ProjectFiles>): Promise<AddedPackages>;
  /** Starts another server on the same store. */
  again(options?: Partial<PackageServerOptions>): Promise<PackageServer>;
}

interface ProjectFiles {
  readonly packageJson: string;
  readonly lock: string;
}

export interface AddedPackages extends ResolveResponse {
  baseOf(name: string): string;
}

export const appOrigin = 'http://vitrine.localhost:4000';

/** Runs `test` with a temporary server, and cleans up after it. */
export async function withPackageServer(
  options: { token?: string; search?: boolean; server?: Partial<PackageServerOptions> },
  test: (place: PackageServerFixture) => Promise<void>,
): Promise<void> {
  const registry = await startFakeRegistry(options);
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-packages-'));
  const logged: string[] = [];
  const servers: PackageServer[] = [];
  const note = (message: string, fields?: unknown) =>
    void logged.push(`${message} ${JSON.stringify(fields)}`);
  const again = async (changes: Partial<PackageServerOptions> = {}) => {
    const key = `//${new URL(registry.origin).host}/:_authToken`;
    const npm = { registry: registry.address, ...(options.token && { [key]: options.token }) };
    const server = await createPackageServer({
      folder,
      appOrigins: [appOrigin],
      registry: { npm, tarballHosts: [] },
      installed: [],
      log: { info: note, warn: note, error: note },
      ...options.server,
      ...changes,
    });
    servers.push(server);
    return server;
  };
  try {
    const server = await again();
    await test({ registry, server, folder, logged, again, ...clientOf(server) });
  } finally {
    await Promise.all(servers.map((server) => server.close()));
    await registry.close();
    // Compressed files of the last response may still be being written.
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Client of a server, without a network in between. */
export function clientOf(
  server: PackageServer,
): Pick<PackageServerFixture, 'get' | 'post' | 'add'> {
  const send = async (request: Request): Promise<Response> => {
    const response = await server.fetch(request, { address: '192.0.2.1' });
    if (response === undefined) throw new Error(`${request.url} is not answered`);
    return response;
  };
  const post = (action: string, body: unknown, headers: Record<string, string> = {}) =>
    send(
      new Request(`${appOrigin}/npm/-/${action}`, {
        method: 'POST',
        headers: { origin: appOrigin, ...headers },
        body: JSON.stringify(body),
      }),
    );
  return {
    get: (path, headers = {}) => send(new Request(`${appOrigin}${path}`, { headers })),
    post,
    async add(names, project = {}) {
      const add = names.map((text) => {
        const [, name = '', range] = /^(@?[^@]+)(?:@(.*))?$/.exec(text) ?? [];
        return { name, range };
      });
      const response = await post('resolve', { packageJson: '{}', ...project, add });
      const body: unknown = await response.json();
      if (!response.ok) throw new Error(JSON.stringify(body));
      const added = parseResolveResponse(body);
      return {
        ...added,
        baseOf: (name) => added.packages.find((item) => item.name === name)?.base ?? '',
      };
    },
  };
}

/** Error code of a response, or its status when it has none. */
export async function codeOf(response: Response): Promise<string> {
  const body: unknown = response.ok ? undefined : await response.json();
  return typeof body === 'object' && body !== null && 'code' in body
    ? String(body.code)
    : String(response.status);
}

/** CPU time of this thread so far, which other programs don't influence. */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
