/** A copy of this project as its next version would be: every program that browsers run is another one. */
import { execFile } from 'node:child_process';
import { appendFile, chmod, cp, mkdir, mkdtemp, readdir, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));
const copied = ['apps', 'packages', 'examples', 'scripts', 'supabase'];
const copiedFiles = ['package.json', 'package-lock.json', 'tsconfig.base.json'];
/** Where browsers' programs begin. */
const programs = [
  'apps/web/app/entry.client.tsx',
  'packages/sandbox/src/service-worker/main.ts',
  'packages/sandbox/src/frame/main.ts',
  'packages/sandbox/src/frame/portable-main.ts',
  'packages/sandbox/src/host/compile-worker.ts',
];

/** Builds it in a temporary folder, and gives that; takes as long as a build does. */
export async function makeNewerBuild(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-newer-'));
  // PostgreSQL runs as another user, and reads its migrations.
  await chmod(folder, 0o755);
  for (const each of [...copied, ...copiedFiles])
    await cp(join(root, each), join(folder, each), { recursive: true, verbatimSymlinks: true });
  await linkPackages(folder);
  for (const program of programs)
    await appendFile(join(folder, program), `\nperformance.mark('of the newer build');\n`);
  const build = "import('./scripts/build.js').then(({ build }) => build())";
  await promisify(execFile)(process.execPath, ['-e', build], { cwd: folder });
  return folder;
}

/** Packages of others are those that are installed; the project's own are the copies. */
async function linkPackages(folder: string): Promise<void> {
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, '@vitrine'), { recursive: true });
  for (const name of await readdir(join(root, 'node_modules')))
    if (name !== '@vitrine') await symlink(join(root, 'node_modules', name), join(modules, name));
  for (const name of await readdir(join(root, 'node_modules/@vitrine'))) {
    const place = (await readdir(join(root, 'packages'))).includes(name) ? 'packages/' : '';
    await symlink(join(folder, `${place}${name}`), join(modules, '@vitrine', name));
  }
}
