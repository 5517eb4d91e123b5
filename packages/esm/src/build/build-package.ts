/**
 * Runs builds in child processes within limits, and kills the whole process group when it exceeds
 * one.
 */
import { VitrineError } from '@vitrine/project';
import type { ChildProcess } from 'node:child_process';
import {
  parseChildResponse,
  parseChildImports,
  type ChildResponse,
  type ChildRequest,
} from './child-protocol.ts';
import {
  measureGroupMemoryMb,
  killProcessGroup,
  prewarmBuildProcesses,
  releaseBuildProcess,
  acquireBuildProcess,
  type BuildProcessOptions,
} from './build-process-pool.ts';
import type { BundleRequest } from './bundle-modules.ts';
import { folderBytes } from './folder-bytes.ts';
import type { BuildRequest } from './manifest.ts';

export interface BuildLimits {
  readonly timeMs: number;
  readonly heapMb: number;
  /** Limit for all processes of the build together. Only enforced on Linux. */
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
  /** Runs at low priority, because no client is waiting. */
  readonly isBackground?: boolean;
  /** Aborts the build, which then throws the signal's reason. */
  readonly signal?: AbortSignal;
  /**
   * Called once, early in the build of a package, with the names of other packages that it imports.
   */
  readonly onImports?: (names: readonly string[]) => void;
}

/**
 * Builds an unpacked package. When it throws, discard the content of `output`.
 *
 * @param folder Path of the unpacked package.
 * @param output Path of an empty folder.
 * @throws VitrineError `package_build_failed`, `package_node_only`, `package_subpath_not_found` or
 * `package_too_large`.
 */
export async function buildPackage(
  folder: string,
  output: string,
  request: BuildRequest,
  options: BuildOptions = {},
): Promise<void> {
  await runChild({ kind: 'build', folder, output, request }, options);
}

/**
 * Bundles modules into the empty folder `output`, within the same limits and with the same errors.
 */
export async function bundleInChild(
  output: string,
  request: BundleRequest,
  options: BuildOptions = {},
): Promise<void> {
  await runChild({ kind: 'join', output, request }, options);
}

/**
 * Starts processes for a number of builds that are about to be requested, because starting takes a
 * while.
 */
export function prewarmBuilds(
  count: number,
  { limits = defaultLimits, isBackground = false }: BuildOptions = {},
): void {
  prewarmBuildProcesses({ heapMb: limits.heapMb, isBackground }, count);
}

async function runChild(request: ChildRequest, options: BuildOptions): Promise<void> {
  const { limits = defaultLimits, isBackground = false, signal } = options;
  signal?.throwIfAborted();
  const processOptions: BuildProcessOptions = { heapMb: limits.heapMb, isBackground };
  const child = acquireBuildProcess(processOptions);
  const response = await superviseChild(child, request, { ...options, limits });
  if (!response.built) {
    killProcessGroup(child);
    throw new VitrineError(response.code, response.reason);
  }
  releaseBuildProcess(child, processOptions);
  if (folderBytes(request.output) > limits.outputMb * 2 ** 20) throw tooLarge(limits);
}

function tooLarge(limits: BuildLimits): VitrineError {
  return new VitrineError('package_too_large', `The build is larger than ${limits.outputMb} MB`);
}

function failed(reason: string): VitrineError {
  return new VitrineError('package_build_failed', reason);
}

const maxResponseLength = 65_536;

/**
 * Runs one request in a child process, until its response arrives or the process group is killed.
 */
function superviseChild(
  child: ChildProcess,
  request: ChildRequest,
  { limits, signal, onImports }: BuildOptions & { readonly limits: BuildLimits },
) {
  return new Promise<ChildResponse>((resolve, reject) => {
    let received = '';
    let hasImports = false;
    const settle = (finish: () => void) => {
      clearTimeout(timeout);
      clearInterval(limitCheck);
      signal?.removeEventListener('abort', onAbort);
      child.off('error', stop).off('close', onClose);
      child.stdout?.off('data', onData);
      finish();
    };
    const stop = (reason: unknown) => {
      killProcessGroup(child);
      settle(() => reject(reason));
    };
    const onAbort = () => stop(signal?.reason);
    const onClose = () => settle(() => resolve(parseChildResponse(received)));
    const onData = (chunk: Buffer) => {
      received += chunk.toString();
      const imports = hasImports ? undefined : parseImports();
      if (imports !== undefined) onImports?.(imports);
      if (received.includes('\n')) settle(() => resolve(parseChildResponse(received)));
      else if (received.length > maxResponseLength)
        stop(failed('The build process sent no result'));
    };
    /**
     * Takes the message about imports, which a child may send before its response, off the received
     * text.
     */
    const parseImports = () => {
      const lineEnd = received.indexOf('\n') + 1;
      const found = lineEnd > 0 ? parseChildImports(received.slice(0, lineEnd)) : undefined;
      if (found === undefined) return undefined;
      received = received.slice(lineEnd);
      hasImports = true;
      return found.imports;
    };
    const timeout = setTimeout(
      () => stop(failed(`The build took longer than ${limits.timeMs / 1000} s`)),
      limits.timeMs,
    );
    const limitCheck = setInterval(() => {
      if (measureGroupMemoryMb(child) > limits.memoryMb)
        stop(failed(`The build needed more than ${limits.memoryMb} MB of memory`));
      else if (folderBytes(request.output) > limits.outputMb * 2 ** 20) stop(tooLarge(limits));
    }, 250);
    signal?.addEventListener('abort', onAbort, { once: true });
    child.once('error', stop).once('close', onClose);
    child.stdout?.on('data', onData);
    child.stdin?.write(`${JSON.stringify(request)}\n`);
  });
}
