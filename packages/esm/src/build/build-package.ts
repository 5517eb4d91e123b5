/** Building in a process of its own, within limits, and taking it away whole when it exceeds them. */
import { VitrineError } from '@vitrine/project';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseChildAnswer, type ChildAnswer, type ChildRequest } from './child-protocol.ts';
import type { JoinRequest } from './join-modules.ts';
import type { BuildRequest } from './manifest.ts';
import { folderBytes } from './folder-bytes.ts';

export interface BuildLimits {
  readonly timeMs: number;
  readonly heapMb: number;
  /** Of all processes of the build together, where the system tells (Linux). */
  readonly memoryMb: number;
  readonly outputMb: number;
}

export const defaultLimits: BuildLimits = {
  timeMs: 60_000,
  heapMb: 768,
  memoryMb: 2048,
  outputMb: 256,
};

/**
 * Builds the unpacked package in `folder` into the empty folder `output`. Throws `package_build_failed`,
 * `package_node_only`, `package_subpath_not_found` or `package_too_large`; what `output` holds then is to be thrown away.
 */
export async function buildPackage(
  folder: string,
  output: string,
  request: BuildRequest,
  limits: BuildLimits = defaultLimits,
): Promise<void> {
  await runChild(folder, { kind: 'build', folder, output, request }, limits);
}

/** Joins modules into the empty folder `output`, within the same limits. Throws the same. */
export async function joinInChild(
  output: string,
  request: JoinRequest,
  limits: BuildLimits = defaultLimits,
): Promise<void> {
  await runChild(output, { kind: 'join', output, request }, limits);
}

async function runChild(
  folder: string,
  request: ChildRequest,
  limits: BuildLimits,
): Promise<void> {
  const child = startChild(folder, limits);
  const { output } = request;
  const answer = await superviseChild(child, output, limits, JSON.stringify(request));
  if (!answer.built) throw new VitrineError(answer.code, answer.reason);
  if (folderBytes(output) > limits.outputMb * 2 ** 20) throw tooLarge(limits);
}

function tooLarge(limits: BuildLimits): VitrineError {
  return new VitrineError('package_too_large', `The build is larger than ${limits.outputMb} MB`);
}

/** A group of its own, an empty environment, no network where the system can take it away. */
function startChild(folder: string, limits: BuildLimits): ChildProcess {
  const program = fileURLToPath(new URL('child.ts', import.meta.url));
  const command = [
    process.execPath,
    `--max-old-space-size=${limits.heapMb}`,
    '--disable-warning=ExperimentalWarning',
    program,
  ];
  const [file = '', ...rest] = [...networkCut(), ...command];
  return spawn(file, rest, {
    cwd: folder,
    env: {},
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

let cut: string[] | undefined;

/** How to start a program without a network: `unshare` where this system allows it, else nothing. */
export function networkCut(): readonly string[] {
  cut ??=
    [
      ['unshare', '-n', '--'],
      ['unshare', '-rn', '--'],
    ].find(
      ([file = '', ...rest]) =>
        spawnSync(file, [...rest, 'true'], { stdio: 'ignore' }).status === 0,
    ) ?? [];
  return cut;
}

function superviseChild(child: ChildProcess, output: string, limits: BuildLimits, input: string) {
  return new Promise<ChildAnswer>((settle, fail) => {
    let said = '';
    let reason: VitrineError | undefined;
    const stop = (error: VitrineError) => {
      reason ??= error;
      killGroup(child);
    };
    const late = setTimeout(
      () =>
        stop(
          new VitrineError(
            'package_build_failed',
            `The build took longer than ${limits.timeMs / 1000} s`,
          ),
        ),
      limits.timeMs,
    );
    const watch = setInterval(() => {
      if (groupMemoryMb(child) > limits.memoryMb)
        stop(
          new VitrineError(
            'package_build_failed',
            `The build needed more than ${limits.memoryMb} MB of memory`,
          ),
        );
      if (folderBytes(output) > limits.outputMb * 2 ** 20) stop(tooLarge(limits));
    }, 250);
    child.stdout?.on(
      'data',
      (chunk: Buffer) => (said += said.length < 65_536 ? chunk.toString() : ''),
    );
    child.stderr?.resume();
    child.stdin?.on('error', () => undefined).end(input);
    child.once('error', fail);
    child.once('close', () => {
      clearTimeout(late);
      clearInterval(watch);
      killGroup(child);
      if (reason) fail(reason);
      else settle(parseChildAnswer(said));
    });
  });
}

/** esbuild runs as a child of the child: the whole group goes. */
function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** Resident memory of the child's process group; 0 where /proc does not tell. */
function groupMemoryMb(child: ChildProcess): number {
  if (process.platform !== 'linux' || child.pid === undefined) return 0;
  let pages = 0;
  for (const id of readdirSync('/proc')) {
    if (!/^\d+$/.test(id)) continue;
    try {
      const stat = readFileSync(`/proc/${id}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ');
      if (stat[2] === String(child.pid)) pages += Number(stat[21]);
    } catch {
      // The process ended between the two looks.
    }
  }
  return (pages * 4096) / 2 ** 20;
}
