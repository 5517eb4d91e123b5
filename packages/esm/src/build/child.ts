/**
 * The program of the child process: reads requests from standard input, a line each, builds one after
 * the other, and says on standard output how each went. Nothing of a package is run here, only read.
 */
import { VitrineError } from '@vitrine/project/errors';
import { transform } from 'esbuild';
import { createInterface } from 'node:readline';
import { bundlePackage } from './bundle.ts';
import { parseChildRequest, type ChildAnswer, type ChildImports } from './child-protocol.ts';
import { joinModules } from './join-modules.ts';

// Its process takes a moment to start: while nothing is asked yet.
await transform('');
for await (const line of createInterface({ input: process.stdin })) {
  say(await answer(line));
}
// esbuild's own process would keep this one alive.
process.exit(0);

function announce(imports: readonly string[]): void {
  say({ imports });
}

function say(message: ChildAnswer | ChildImports): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

async function answer(line: string): Promise<ChildAnswer> {
  const asked = parseChildRequest(line);
  try {
    if (asked.kind === 'join') await joinModules(asked.output, asked.request);
    else await bundlePackage(asked.folder, asked.output, asked.request, announce);
    return { built: true };
  } catch (error) {
    const known = error instanceof VitrineError ? error : undefined;
    const reason = known?.details ?? (error instanceof Error ? error.message : String(error));
    return { built: false, code: known?.code ?? 'package_build_failed', reason };
  }
}
