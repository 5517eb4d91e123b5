/** CPU time and memory of a process tree, from the Linux kernel's counters. */
import { readdir, readFile } from 'node:fs/promises';

interface Cost {
  /** CPU time since each process started, including processes that have exited. */
  readonly cpuMs: number;
  /** Memory, with shared pages divided among processes (`Pss`). */
  readonly megabytes: number;
}

/** Measures a process tree. `type` filters a browser's processes: `renderer` for those of pages. */
export async function measureCost(root: number, type?: string): Promise<Cost> {
  const tree = await findTree(root);
  const processes = type === undefined ? tree : await pick(tree, type);
  const memory = await Promise.all(processes.map(({ id }) => readMemory(id)));
  return {
    cpuMs: processes.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
    megabytes: memory.reduce((sum, megabytes) => sum + megabytes, 0),
  };
}

interface Process {
  readonly id: number;
  readonly parent: number;
  /** CPU time, including exited children. */
  readonly cpuMs: number;
}

async function findTree(root: number): Promise<Process[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const all = (await Promise.all(names.map((name) => readProcess(Number(name))))).flat();
  const tree = all.filter(({ id }) => id === root);
  // The list grows during the iteration.
  for (const { id } of tree) tree.push(...all.filter(({ parent }) => parent === id));
  return tree;
}

async function pick(processes: readonly Process[], type: string): Promise<Process[]> {
  const commands = await Promise.all(processes.map(({ id }) => tryRead(`/proc/${id}/cmdline`)));
  return processes.filter((_, index) => commands[index]?.includes(`--type=${type}`));
}

/** The kernel counts in 10 ms ticks. */
const tickMs = 10;

async function readProcess(id: number): Promise<Process[]> {
  const text = await tryRead(`/proc/${id}/stat`);
  // The second field is a name in parentheses, which may contain spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [, parent, user, system, userOfEnded, systemOfEnded] = [0, 1, 11, 12, 13, 14].map((at) =>
    Number(fields[at]),
  );
  if (text === '' || parent === undefined) return [];
  const ticks = (user ?? 0) + (system ?? 0) + (userOfEnded ?? 0) + (systemOfEnded ?? 0);
  return [{ id, parent, cpuMs: ticks * tickMs }];
}

async function readMemory(id: number): Promise<number> {
  const kilobytes = /^Pss:\s+(\d+) kB/m.exec(await tryRead(`/proc/${id}/smaps_rollup`))?.[1];
  return Number(kilobytes ?? 0) / 1024;
}

/** Reads a file of a process that may have exited. */
async function tryRead(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (
      error instanceof Error &&
      'code' in error &&
      ['ENOENT', 'ESRCH'].includes(String(error.code))
    )
      return '';
    throw error;
  }
}
