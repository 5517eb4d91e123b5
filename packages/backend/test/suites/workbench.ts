import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SuiteServer } from './server.ts';
import { tools, type Suite } from './suites.ts';

/** Where the tools are installed and a suite is copied to; the clone is only read. */
const workbench = fileURLToPath(new URL('../../../../.cache/suites', import.meta.url));
const setUp = fileURLToPath(new URL('reached.cjs', import.meta.url));
const transform = fileURLToPath(new URL('transform.cjs', import.meta.url));

/** Installs the tools with npm, once per list. */
export async function installTools(): Promise<void> {
  const wanted = JSON.stringify({ private: true, dependencies: tools });
  const file = join(workbench, 'package.json');
  const installed = join(workbench, 'installed');
  if ((await readIfThere(installed)) === wanted) return;
  await mkdir(workbench, { recursive: true });
  await writeFile(file, wanted);
  const options = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
  await run('npm', options, workbench);
  await writeFile(installed, wanted);
}

/** Result of a test, and whether it sent a request to the server. */
export interface SuiteTestResult {
  name: string;
  passed: boolean;
  reached: boolean;
  /** Reason of a failure. */
  reason: string;
}

/** Runs the suite's own tests, with requests to the CLI's URL redirected to `origin`. */
export async function runSuite(
  checkout: string,
  suite: Suite,
  server: Pick<SuiteServer, 'origin' | 'publishableKey' | 'secretKey'>,
): Promise<SuiteTestResult[]> {
  const folder = join(workbench, suite.name);
  await copyPackage(join(checkout, suite.folder), folder);
  for (const [name, from] of Object.entries(suite.beside ?? {})) {
    await copyPackage(join(checkout, from), besideFolder(name));
  }
  if (suite.prepare) await run(process.execPath, [suite.prepare], folder);
  const files = {
    config: join(folder, 'suite.config.json'),
    results: join(folder, 'suite.results.json'),
    reached: join(folder, 'suite.reached.txt'),
  };
  await writeFile(files.config, JSON.stringify(configure(folder, suite)));
  await writeFile(files.reached, '');
  const jest = join(workbench, 'node_modules/jest/bin/jest.js');
  const options = ['--ci', '--runInBand', '--silent', '--config', files.config];
  await runJest([jest, ...options, '--json', '--outputFile', files.results], folder, {
    SUITE_ORIGIN: server.origin,
    SUITE_KEY: server.publishableKey,
    SUITE_SECRET_KEY: server.secretKey,
    SUITE_REACHED: files.reached,
    ...(suite.hasGuessedPassword ? { SUITE_PASSWORDS: 'replaced' } : {}),
  });
  const reached = new Set((await readFile(files.reached, 'utf8')).split('\n'));
  return readOutcomes(JSON.parse(await readFile(files.results, 'utf8')), reached);
}

async function copyPackage(from: string, to: string): Promise<void> {
  await rm(to, { recursive: true, force: true });
  const filter = (path: string) => !path.includes('node_modules');
  await cp(from, to, { recursive: true, filter });
}

function besideFolder(name: string): string {
  return join(workbench, 'beside', name);
}

function configure(folder: string, { testFiles, sequencer, beside = {} }: Suite): object {
  const names = Object.keys(beside);
  return {
    rootDir: folder,
    testEnvironment: 'node',
    testMatch: testFiles,
    ...(sequencer ? { testSequencer: join(folder, sequencer) } : {}),
    testTimeout: 30_000,
    prettierPath: null,
    moduleNameMapper: Object.fromEntries(
      names.map((name) => [`^${name}$`, join(besideFolder(name), 'src/index.ts')]),
    ),
    setupFilesAfterEnv: [setUp],
    transform: { '\\.ts$': transform },
  };
}

interface JestResults {
  testResults: {
    message: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
  }[];
}

function readOutcomes(results: JestResults, reached: ReadonlySet<string>): SuiteTestResult[] {
  return results.testResults.flatMap(({ message, assertionResults }) => {
    if (assertionResults.length === 0)
      throw new Error(`a file of the suite did not run: ${message}`);
    return assertionResults
      .filter(({ status }) => status === 'passed' || status === 'failed')
      .map(({ fullName, status, failureMessages }) => ({
        name: fullName,
        passed: status === 'passed',
        reached: reached.has(fullName),
        reason: failureMessages.join('\n'),
      }));
  });
}

/** Jest exits with 1 when a test failed, which is handled by the caller. */
async function runJest(
  options: string[],
  cwd: string,
  environment: Record<string, string>,
): Promise<void> {
  const child = spawn(process.execPath, options, {
    cwd,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  const [code] = await once(child, 'exit');
  if (code !== 0 && code !== 1) throw new Error(`jest ended with ${String(code)}`);
}

async function run(command: string, options: string[], cwd: string): Promise<void> {
  const child = spawn(command, options, { cwd, stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${command} ended with ${String(code)}`);
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
