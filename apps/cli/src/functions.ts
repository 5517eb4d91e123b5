import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  createDenoConfigArguments,
  createDenoEnvironment,
  denoVersion,
  findDeno,
  getDenoDir,
} from '@vitrine/backend';
import { dataDir, root } from './instance.ts';
import { CommandError, printError, printLine } from './terminal.ts';

export async function installDeno(): Promise<void> {
  if (findDeno(root) !== undefined) return printLine('Deno is already installed.');
  printLine('Installing Deno (about 90 MB)…');
  const folder = getDenoDir(root);
  await mkdir(folder, { recursive: true });
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await run('npm', ['install', '--prefix', folder, ...options, `deno@${denoVersion}`], process.env);
  if (findDeno(root) === undefined)
    throw new CommandError('Deno isn’t available in the registry for this platform.');
}

/** Downloads the imports of all functions, so that they run offline. */
export async function fetchImports(): Promise<void> {
  const deno = findDeno(root);
  if (deno === undefined)
    throw new CommandError('Deno isn’t installed. Run: npm run functions -- install');
  const functionsDir = join(root, 'supabase/functions');
  const env = { ...process.env, ...createDenoEnvironment(join(dataDir, 'functions')) };
  for (const name of existsSync(functionsDir) ? await readdir(functionsDir) : []) {
    const file = join(functionsDir, name, 'index.ts');
    if (!existsSync(file)) continue;
    printLine(`functions/${name}`);
    await run(deno, ['cache', ...createDenoConfigArguments(functionsDir, name), file], env);
  }
}

/** Shows the program's output. Sets the exit code 1 if it fails. */
async function run(program: string, options: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn(program, options, { env, stdio: 'inherit' });
  const [code]: unknown[] = await once(child, 'exit');
  if (code === 0) return;
  printError(`${program} exited with ${String(code)}.`);
  process.exitCode = 1;
}
