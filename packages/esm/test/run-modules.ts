/** Runs modules of a package server as a browser would: each URL is one module, fetched once. */
import { parse } from 'es-module-lexer';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

export interface Run {
  /** Default export of the script, as JSON would represent it. */
  readonly value: unknown;
  /** Requested URLs, in order. */
  readonly requests: readonly string[];
}

/** Runs a module whose imports are URL paths. Dynamic imports are fetched beforehand. */
export async function runModules(
  get: (address: string) => Promise<Response>,
  script: string,
): Promise<Run> {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-modules-'));
  const requests: string[] = [];
  const fileOf = (address: string) =>
    join(folder, `${createHash('sha256').update(address).digest('hex')}.mjs`);

  const place = async (file: string, text: string): Promise<void> => {
    let placed = '';
    let last = 0;
    for (const { specifier, start, end, type } of parse(text)[0]) {
      if (specifier?.startsWith('/npm/') !== true) continue;
      await load(specifier);
      const target = pathToFileURL(fileOf(specifier)).href;
      placed += text.slice(last, start) + (type === 'dynamic' ? JSON.stringify(target) : target);
      last = end;
    }
    await writeFile(file, placed + text.slice(last));
  };

  const load = async (address: string): Promise<void> => {
    if (requests.includes(address)) return;
    requests.push(address);
    const answer = await get(address);
    const text = await answer.text();
    await place(fileOf(address), answer.ok ? text : `throw new Error(${JSON.stringify(text)});`);
  };

  try {
    const main = join(folder, 'main.mjs');
    await place(main, script);
    const program = `import(${JSON.stringify(pathToFileURL(main).href)}).then((main) => console.log(JSON.stringify(main.default ?? null)))`;
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', program]);
    return { value: JSON.parse(stdout), requests };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
