/** Licenses of the packages of a lockfile, for copies of a project that have its packages in them. */
import { isRecord } from '@vitrine/project';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadLockfile, type Context } from './context.ts';
import type { PackageLicense } from './messages.ts';

const licenseName = /^(?:licen[cs]e|copying|notice|unlicense)(?:[.-][\w.-]+)?$/i;
/** Number of characters of a package's licenses. The longest in use have 40,000. */
const maxLength = 100_000;

/**
 * Reads the licenses of a lockfile's packages, as far as they are built: a module that a page has
 * loaded is.
 *
 * @throws VitrineError
 */
export async function readLicenses(
  context: Context,
  lockfile: string,
  signal: AbortSignal,
): Promise<PackageLicense[]> {
  const { resolutions } = await loadLockfile(context, lockfile);
  const licenses = new Map<string, PackageLicense>();
  for (const resolution of resolutions.values()) {
    signal.throwIfAborted();
    const { name, version } = resolution;
    const key = `${name}@${version}`;
    if (licenses.has(key)) continue;
    if ((await context.packageBuilder.findBuilt(resolution)) === undefined) continue;
    const folder = await context.packageBuilder.unpack(resolution, signal);
    licenses.set(key, { name, version, ...(await readFolder(folder)) });
  }
  return [...licenses.values()].sort((a, b) => a.name.localeCompare(b.name, 'en'));
}

async function readFolder(folder: string): Promise<Pick<PackageLicense, 'license' | 'text'>> {
  const manifest: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const license = isRecord(manifest) ? manifest['license'] : undefined;
  const names = (await readdir(folder, { withFileTypes: true }))
    .filter((entry) => entry.isFile() && licenseName.test(entry.name))
    .map((entry) => entry.name)
    .sort();
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  const text = texts.join('\n\n');
  return {
    license: typeof license === 'string' ? license : '',
    text:
      text.length > maxLength
        ? `${text.slice(0, maxLength)}\n\n[Shortened. The package on npm has the whole text.]`
        : text,
  };
}
