/*
 * `npm run functions -- install` installs Deno; `npm run functions -- fetch` downloads the imports
 * of all functions, so that they run offline.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import {
  createDenoConfigArguments,
  createDenoEnvironment,
  getDenoDir,
  denoVersion,
  findDeno,
} from '@vitrine/backend';

const root = resolve(import.meta.dirname, '../../..');
const dataDir = resolve(process.env['DATA_DIR'] ?? join(root, 'data'));
const functionsDir = join(root, 'supabase/functions');
const [command] = process.argv.slice(2);

if (command === 'install') await install();
else if (command === 'fetch') await fetchImports();
else fail('Usage: npm run functions -- install|fetch', 2);

async function install(): Promise<void> {
  if (findDeno(root) !== undefined) return print('Deno is already installed.');
  print('Installing Deno (about 90 MB)…');
  const folder = getDenoDir(root);
  await mkdir(folder, { recursive: true });
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await run('npm', ['install', '--prefix', folder, ...options, `deno@${denoVersion}`], process.env);
  if (findDeno(root) === undefined)
    fail('Deno isn’t available in the registry for this platform.', 1);
}

async function fetchImports(): Promise<void> {
  const deno = findDeno(root);
  if (deno === undefined) return fail('Deno isn’t installed. Run: npm run functions -- install', 1);
  const folders = existsSync(functionsDir) ? await readdir(functionsDir) : [];
  for (const name of folders) {
    const file = join(functionsDir, name, 'index.ts');
    if (!existsSync(file)) continue;
    print(`functions/${name}`);
    const env = { ...process.env, ...createDenoEnvironment(join(dataDir, 'functions')) };
    await run(deno, ['cache', ...createDenoConfigArguments(functionsDir, name), file], env);
  }
}

async function run(program: string, options: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn(program, options, { env, stdio: 'inherit' });
  const [code]: unknown[] = await once(child, 'exit');
  if (code !== 0) fail(`${program} exited with ${String(code)}.`, 1);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function fail(line: string, code: number): void {
  process.stderr.write(`${line}\n`);
  process.exitCode = code;
}
