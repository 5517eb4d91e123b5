/** Building in a process of its own, within limits, and taking it away whole when it exceeds them. */
import { VitrineError } from '@vitrine/project';
import type { ChildProcess } from 'node:child_process';
import {
  parseChildAnswer,
  parseChildImports,
  type ChildAnswer,
  type ChildRequest,
} from './child-protocol.ts';
import { groupMemoryMb, killGroup, prepareChildren, returnChild, takeChild } from './children.ts';
import type { JoinRequest } from './join-modules.ts';
import { folderBytes } from './folder-bytes.ts';
import type { BuildRequest } from './manifest.ts';

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

export interface BuildOptions {
  readonly limits?: BuildLimits;
  /** Nobody waits for it: the machine does everything else first. */
  readonly isPatient?: boolean;
  /** Ends the build, which then throws the signal's reason. */
  readonly signal?: AbortSignal;
  /** Told once, early in the build of a package, what other packages it imports. */
  readonly onImports?: (names: readonly string[]) => void;
}

/**
 * Builds the unpacked package in `folder` into the empty folder `output`. Throws `package_build_failed`,
 * `package_node_only`, `package_subpath_not_found` or `package_too_large`; what `output` holds then is to be thrown away.
 */
export async function buildPackage(
  folder: string,
  output: string,
  request: BuildRequest,
  options: BuildOptions = {},
): Promise<void> {
  await runChild({ kind: 'build', folder, output, request }, options);
}

/** Joins modules into the empty folder `output`, within the same limits. Throws the same. */
export async function joinInChild(
  output: string,
  request: JoinRequest,
  options: BuildOptions = {},
): Promise<void> {
  await runChild({ kind: 'join', output, request }, options);
}

/** So many builds are about to be asked for: what it takes a while to start is started. */
export function prepareBuilds(
  count: number,
  { limits = defaultLimits, isPatient = false }: BuildOptions = {},
): void {
  prepareChildren({ heapMb: limits.heapMb, isPatient }, count);
}

async function runChild(
  request: ChildRequest,
  options: BuildOptions,
): Promise<void> {
  const { limits = defaultLimits, isPatient = false, signal } = options;
  signal?.throwIfAborted();
  const kind = { heapMb: limits.heapMb, isPatient };
  const child = takeChild(kind);
  const answer = await superviseChild(child, request, { ...options, limits });
  if (!answer.built) {
    killGroup(child);
    throw new VitrineError(answer.code, answer.reason);
  }
  returnChild(child, kind);
  if (folderBytes(request.output) > limits.outputMb * 2 ** 20) throw tooLarge(limits);
}

function tooLarge(limits: BuildLimits): VitrineError {
  return new VitrineError('package_too_large', `The build is larger than ${limits.outputMb} MB`);
}

function failed(reason: string): VitrineError {
  return new VitrineError('package_build_failed', reason);
}

const answerMaxLength = 65_536;

/** One request, from the child's beginning with it to its answer, or to the end of the whole group. */
function superviseChild(
  child: ChildProcess,
  request: ChildRequest,
  { limits, signal, onImports }: BuildOptions & { readonly limits: BuildLimits },
) {
  return new Promise<ChildAnswer>((settle, fail) => {
    let said = '';
    let hasAnnounced = false;
    const end = (finish: () => void) => {
      clearTimeout(late);
      clearInterval(watch);
      signal?.removeEventListener('abort', onAbort);
      child.off('error', stop).off('close', onClose);
      child.stdout?.off('data', onData);
      finish();
    };
    const stop = (reason: unknown) => {
      killGroup(child);
      end(() => fail(reason));
    };
    const onAbort = () => stop(signal?.reason);
    const onClose = () => end(() => settle(parseChildAnswer(said)));
    const onData = (chunk: Buffer) => {
      said += chunk.toString();
      const imports = hasAnnounced ? undefined : takeImports();
      if (imports !== undefined) onImports?.(imports);
      if (said.includes('\n')) end(() => settle(parseChildAnswer(said)));
      else if (said.length > answerMaxLength) stop(failed('The build gave no answer'));
    };
    /** What it says before its answer, if it has. */
    const takeImports = () => {
      const end = said.indexOf('\n') + 1;
      const found = end > 0 ? parseChildImports(said.slice(0, end)) : undefined;
      if (found === undefined) return undefined;
      said = said.slice(end);
      hasAnnounced = true;
      return found.imports;
    };
    const late = setTimeout(
      () => stop(failed(`The build took longer than ${limits.timeMs / 1000} s`)),
      limits.timeMs,
    );
    const watch = setInterval(() => {
      if (groupMemoryMb(child) > limits.memoryMb)
        stop(failed(`The build needed more than ${limits.memoryMb} MB of memory`));
      else if (folderBytes(request.output) > limits.outputMb * 2 ** 20) stop(tooLarge(limits));
    }, 250);
    signal?.addEventListener('abort', onAbort, { once: true });
    child.once('error', stop).once('close', onClose);
    child.stdout?.on('data', onData);
    child.stdin?.write(`${JSON.stringify(request)}\n`);
  });
}
