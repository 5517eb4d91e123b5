/**
 * Package servers with their own stores, using the registry of this machine's npm configuration.
 */
import { createPackageServer, readRegistrySettings, type PackageServer } from '@vitrine/esm';
import { parseErrorResponse, parseResolveResponse } from '@vitrine/esm/messages';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openExercisePlace, type ExercisePlace } from '@vitrine/testing/corpus/page';
import type { Exercise } from '@vitrine/testing/corpus/exercises';
import { BenchUnavailableError } from '../bench.ts';

/** The only origin that these servers accept changes from. Nothing listens there. */
export const appOrigin = 'http://127.0.0.1:1';

export const settings = await readRegistrySettings({
  folder: process.cwd(),
  env: process.env,
  tarballHosts: (process.env['TARBALL_HOSTS'] ?? '').split(/[\s,]+/).filter(Boolean),
});

export interface PackageServerRig extends ExercisePlace {
  readonly packages: PackageServer;
}

/**
 * Starts with an empty store, except for the build of Node's built-ins,
 * which a server creates on startup.
 */
export async function openPackageServerRig(origin = appOrigin): Promise<PackageServerRig> {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-bench-packages-'));
  const log = { info() {}, warn() {}, error() {} };
  const packages = await createPackageServer({
    folder,
    appOrigins: [origin],
    registry: settings,
    installed: [],
    log,
  });
  await packages.warmUp([]);
  const place = await openExercisePlace(packages, origin, 120_000);
  return {
    packages,
    run: (exercise, browser) => place.run(exercise, browser),
    async close() {
      await place.close();
      await packages.close();
      await rm(folder, { recursive: true });
    },
  };
}

export interface ProjectFiles {
  readonly packageJson: string;
  readonly lock: string;
}

/** Resolves package.json and the lockfile of a project with an exercise's packages. */
export async function resolvePackages(
  { packages }: PackageServerRig,
  exercise: Exercise,
  origin = appOrigin,
): Promise<ProjectFiles> {
  const dependencies = exercise.packages.map((spec) => {
    const at = spec.indexOf('@', 1);
    return at < 0 ? [spec, '*'] : [spec.slice(0, at), spec.slice(at + 1)];
  });
  const body = { packageJson: JSON.stringify({ dependencies: Object.fromEntries(dependencies) }) };
  const request = new Request(`${origin}/npm/-/resolve`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const response = await packages.fetch(request);
  const message: unknown = await response?.json();
  const code = parseErrorResponse(message)?.code;
  if (code === 'registry_unreachable' || code === 'registry_refused') throw noRegistry(code);
  if (code !== undefined) throw new Error(`${exercise.name} couldn’t be resolved: ${code}`);
  const { packageJson, lock } = parseResolveResponse(message);
  return { packageJson, lock };
}

function noRegistry(code: string): BenchUnavailableError {
  const what = code === 'registry_refused' ? 'requires sign-in' : 'isn’t responding';
  return new BenchUnavailableError(
    `The npm registry configured on this machine (npm config get registry) ${what}. These benchmarks need a registry with the public packages.`,
  );
}
