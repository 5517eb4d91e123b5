/**
 * Runs builds in child processes within limits, and kills the whole process group when it exceeds
 * one.
 */
import { ProcessPool, ProgramError } from '@vitrine/processes';
import { VitrineError } from '@vitrine/project';
import { parseChildResponse, parseChildImports, type ChildRequest } from './child-protocol.ts';
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
  getPool(limits.heapMb, isBackground).prewarm(count);
}

/** Kills the idle processes. */
export function killIdleBuildProcesses(): void {
  for (const pool of pools.values()) pool.endIdle();
}

/** Time after which an idle process is killed: esbuild holds much memory. */
const idleMs = 10_000;
/** A process whose group uses more memory is killed after its request, not reused. */
const maxReusableMb = 400;

/** Pools by the options of their processes. */
const pools = new Map<string, ProcessPool>();

function getPool(heapMb: number, isBackground: boolean): ProcessPool {
  const key = `${heapMb} ${isBackground}`;
  const known = pools.get(key);
  if (known) return known;
  const program = new URL('child.ts', import.meta.url);
  const pool = new ProcessPool({ program, heapMb, isBackground, idleMs, maxReusableMb });
  pools.set(key, pool);
  return pool;
}

async function runChild(
  request: ChildRequest,
  { limits = defaultLimits, isBackground = false, signal, onImports }: BuildOptions,
): Promise<void> {
  const { timeMs, heapMb, memoryMb, outputMb } = limits;
  const checkOutput = () => {
    if (folderBytes(request.output) > outputMb * 2 ** 20) throw tooLarge(limits);
  };
  const result = await getPool(heapMb, isBackground)
    .run(request, {
      timeMs,
      memoryMb,
      signal,
      check: checkOutput,
      onNotice(notice) {
        const imports = parseChildImports(notice)?.imports;
        if (imports) onImports?.(imports);
      },
    })
    .catch((error: unknown) => {
      throw error instanceof ProgramError ? describeFailure(error, limits) : error;
    });
  const response = parseChildResponse(result);
  if (!response.built) throw new VitrineError(response.code, response.reason);
  checkOutput();
}

function describeFailure({ code, message }: ProgramError, limits: BuildLimits): VitrineError {
  switch (code) {
    case 'time':
      return failed(`The build took longer than ${limits.timeMs / 1000} s`);
    case 'out_of_memory':
      return failed(`The build needed more than ${limits.memoryMb} MB of memory`);
    case 'threw':
      return failed(message);
    default:
      return failed(`The build process ended without a result (${message})`);
  }
}

function tooLarge(limits: BuildLimits): VitrineError {
  return new VitrineError('package_too_large', `The build is larger than ${limits.outputMb} MB`);
}

function failed(reason: string): VitrineError {
  return new VitrineError('package_build_failed', reason);
}
