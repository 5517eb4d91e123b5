// @ts-check
/** Builds the app for browser and server, if a source file has changed since the last build. */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { node, note, root, run } from './install.js';

const web = `${root}apps/web`;
const fingerprintFile = `${web}/build/.built`;
const sources = [
  'apps/web/app',
  'apps/web/public',
  'packages',
  'examples',
  'apps/web/chunks.ts',
  'apps/web/first-script.ts',
  'apps/web/vite.config.ts',
  'apps/web/react-router.config.ts',
  'package-lock.json',
];

const lockFile = `${root}.cache/build.lock`;

export async function build() {
  if (isBuilt(computeFingerprint())) return;
  await acquireLock();
  try {
    const fingerprint = computeFingerprint();
    // Another process may have built it meanwhile.
    if (!isBuilt(fingerprint)) await buildAs(fingerprint);
  } finally {
    rmSync(lockFile);
  }
}

/** @param {string} fingerprint */
function isBuilt(fingerprint) {
  return existsSync(fingerprintFile) && readFileSync(fingerprintFile, 'utf8') === fingerprint;
}

/** Waits until no other process builds. The lock of a process that has ended is removed. */
async function acquireLock() {
  mkdirSync(`${root}.cache`, { recursive: true });
  for (let waits = 0; ; waits += 1) {
    try {
      writeFileSync(lockFile, String(process.pid), { flag: 'wx' });
      return;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
    if (waits === 0) note('Waiting for another build…');
    if (!isLockHeld()) rmSync(lockFile, { force: true });
    await delay(200);
  }
}

function isLockHeld() {
  try {
    process.kill(Number(readFileSync(lockFile, 'utf8')), 0);
    return true;
  } catch {
    // The process, or the file, is gone.
    return false;
  }
}

/** @param {string} fingerprint */
async function buildAs(fingerprint) {
  note('Building the app…');
  await run(
    node,
    [`${root}node_modules/@react-router/dev/bin.cjs`, 'build', web, '--logLevel', 'warn'],
    { NODE_ENV: 'production' },
    process.stderr,
  );
  await compress(`${web}/build/client`);
  writeFileSync(fingerprintFile, fingerprint);
}

/** Hashes paths, sizes and modification times of all sources, which takes milliseconds. */
function computeFingerprint() {
  const hash = createHash('sha256');
  for (const source of sources) for (const line of walk(`${root}${source}`)) hash.update(line);
  return hash.digest('hex');
}

/** @param {string} path @returns {Generator<string>} */
function* walk(path) {
  if (!existsSync(path)) return;
  const entry = statSync(path);
  if (!entry.isDirectory()) yield `${path} ${entry.size} ${entry.mtimeMs}\n`;
  else
    for (const name of readdirSync(path).sort())
      if (!/^(node_modules|test)$|\.tsbuildinfo$/.test(name)) yield* walk(`${path}/${name}`);
}

/**
 * Writes a `.br` file next to each text file, so that requests need no compression.
 * @param {string} folder
 */
async function compress(folder) {
  const brotli = promisify(brotliCompress);
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!/\.(js|css|svg|txt|json|html|wasm)$/.test(name)) continue;
    const content = readFileSync(`${folder}/${name}`);
    if (content.length < 1024) continue;
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: 9,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    };
    writeFileSync(`${folder}/${name}.br`, await brotli(content, { params }));
  }
}
