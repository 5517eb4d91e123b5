// @ts-check
/**
 * Shared by all npm scripts: installs the packages of the lockfile. Plain JavaScript, because on a
 * fresh clone it runs on the system's Node (20 or later); everything else runs on the Node in
 * `node_modules`.
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
/** Path of the project's Node, from the npm package `node`. */
export const node = `${root}node_modules/.bin/node`;
/** npm's hidden lockfile, written by each installation. */
const record = `${root}node_modules/.package-lock.json`;

/**
 * Installs the packages if the lockfile has changed.
 * @param {{ development: boolean }} options Whether to include development dependencies.
 */
export async function install({ development }) {
  if (isInstalled() && (!development || existsSync(`${root}node_modules/vitest`))) return;
  note('Installing packages…');
  const npm = [
    'ci',
    '--loglevel=error',
    '--no-fund',
    '--no-audit',
    ...(development ? [] : ['--omit=dev']),
  ];
  await run('npm', npm, { PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1', NODE_ENV: '' }, process.stderr);
  if (!development) removeUnusedFiles();
  if (!existsSync(node)) {
    throw new Failure(
      'npm didn’t install Node 24. Allow npm to run the “node” package’s install script, then try again.',
    );
  }
}

/**
 * Deletes Node's C headers and source maps, a fifth of the installation, which only compilers and
 * debuggers need.
 */
function removeUnusedFiles() {
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

/** An expected failure, whose message is shown without a stack. */
export class Failure extends Error {}

/** @param {string} line */
export function say(line) {
  process.stdout.write(`${line}\n`);
}

/** Prints progress to stderr, separate from the command's own output. @param {string} line */
export function note(line) {
  process.stderr.write(`${line}\n`);
}

/**
 * Runs a command and shows its output. Rejects with a `Failure` if it fails.
 * @param {string} command
 * @param {string[]} args
 * @param {Record<string, string>} [env]
 * @param {'inherit' | NodeJS.WriteStream} [output] Target of its standard output.
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
 * Runs a TypeScript program with this process's arguments. npm scripts are already on the project's
 * Node once it is installed, which runs the program in this process; an older Node starts the
 * project's, and exits with its exit code.
 * @param {URL} program
 */
export async function runProgram(program) {
  if (!existsSync(node)) throw new Failure('Vitrine isn’t installed yet. Run: npm start');
  if (Number(process.versions.node.split('.')[0]) >= 24) return void (await import(program.href));
  const args = [fileURLToPath(program), ...process.argv.slice(2)];
  const child = spawn(node, args, { stdio: 'inherit' });
  // A terminal sends Ctrl-C to both processes; a supervisor sends SIGTERM only to this one.
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => {
      if (signal !== 'SIGINT') child.kill(signal);
    });
  }
  child.once('exit', (code) => process.exit(code ?? 1));
}

/**
 * Prints an error and exits with code 1. A `Failure` is shown without its stack.
 * @param {unknown} error
 */
export function fail(error) {
  const text =
    error instanceof Failure ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`${text}\n`);
  process.exit(1);
}
