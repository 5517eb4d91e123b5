/** A build of the project's next version, in which every browser program differs. */
import { execFile } from 'node:child_process';
import { appendFile, chmod, cp, mkdir, mkdtemp, readdir, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));
const copied = ['apps', 'packages', 'examples', 'scripts', 'supabase'];
const copiedFiles = ['package.json', 'package-lock.json', 'tsconfig.base.json'];
/** Entry files of the browser programs. */
const programs = [
  'apps/web/app/entry.client.tsx',
  'packages/sandbox/src/service-worker/main.ts',
  'packages/sandbox/src/frame/main.ts',
  'packages/sandbox/src/frame/srcdoc-main.ts',
  'packages/sandbox/src/host/compile-worker.ts',
];

/** Builds a newer version in a temporary folder. Resolves to the folder. */
export async function buildNewerVersion(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-newer-'));
  // PostgreSQL runs as another user, who reads the migrations.
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

/** Links the installed packages, and the project's own packages from the copy. */
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
