// @ts-check
/**
 * What `npm start` and `npm test` share: packages as the lockfile says, installed once. Plain
 * JavaScript, since on a fresh clone it runs on the machine's own Node (20 or later); all else
 * runs on the Node of `node_modules`.
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
/** The Node that the project runs on, from the npm package `node`. */
export const node = `${root}node_modules/.bin/node`;
/** npm’s own record of what is installed; as old as the installation. */
const record = `${root}node_modules/.package-lock.json`;

/**
 * Installs the packages where the lockfile has changed since; development tools only when asked.
 * @param {{ development: boolean }} wanted
 */
export async function install({ development }) {
  if (isInstalled() && (!development || existsSync(`${root}node_modules/vitest`))) return;
  note('Installing packages (once, about half a minute)…');
  const npm = [
    'ci',
    '--loglevel=error',
    '--no-fund',
    '--no-audit',
    ...(development ? [] : ['--omit=dev']),
  ];
  await run('npm', npm, { PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1', NODE_ENV: '' }, process.stderr);
  if (!development) leaveOut();
  if (!existsSync(node)) {
    throw new Failure(
      'Node 24 was not installed with the packages. Allow npm to run the install script of the package “node”, then try again.',
    );
  }
}

/**
 * What only compilers and debuggers read, a fifth of the whole: the C headers of Node, and source
 * maps. An installation for development keeps them.
 */
function leaveOut() {
  const packages = `${root}node_modules`;
  for (const name of readdirSync(packages, { recursive: true, encoding: 'utf8' })) {
    if (/^node\/.*\/include$|\.[cm]?[jt]s\.map$/.test(name))
      rmSync(`${packages}/${name}`, { recursive: true, force: true });
  }
}

function isInstalled() {
  return (
    existsSync(record) && statSync(record).mtimeMs >= statSync(`${root}package-lock.json`).mtimeMs
  );
}

/** A reason to stop, as one sentence. */
export class Failure extends Error {}

/** @param {string} line */
export function say(line) {
  process.stdout.write(`${line}\n`);
}

/** Says what is being prepared, apart from what the command itself prints. @param {string} line */
export function note(line) {
  process.stderr.write(`${line}\n`);
}

/**
 * Runs a command with its output shown; throws when it fails.
 * @param {string} command
 * @param {string[]} args
 * @param {Record<string, string>} [env]
 * @param {'inherit' | NodeJS.WriteStream} [output] Where its standard output goes.
 */
export function run(command, args, env = {}, output = 'inherit') {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: root,
      stdio: ['ignore', output, 'inherit'],
      env: { ...process.env, ...env },
    });
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      if (code === 0) resolve(undefined);
      else
        reject(
          new Failure(
            `“${command} ${args.join(' ')}” failed with ${signal ?? `exit code ${code}`}.`,
          ),
        );
    });
  });
}

/**
 * Ends the process as a command-line program should: one sentence for what was foreseen.
 * @param {unknown} error
 */
export function fail(error) {
  const text =
    error instanceof Failure ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`${text}\n`);
  process.exit(1);
}
