/*
 * Entry of the build process: reads requests from standard input, one per line, builds one after the
 * other, and writes the results to standard output. Code of packages is only read here, never run.
 */
import { VitrineError } from '@vitrine/project/errors';
import { transform } from 'esbuild';
import { createInterface } from 'node:readline';
import { bundlePackage } from './bundle.ts';
import { parseChildRequest, type ChildResponse, type ChildImports } from './child-protocol.ts';
import { bundleModules } from './bundle-modules.ts';

// Starts esbuild's own process, which takes a moment, before the first request arrives.
await transform('');
for await (const line of createInterface({ input: process.stdin })) {
  send(await runRequest(line));
}
// esbuild's own process would keep this process alive.
process.exit(0);

function sendImports(imports: readonly string[]): void {
  send({ imports });
}

function send(message: ChildResponse | ChildImports): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

async function runRequest(line: string): Promise<ChildResponse> {
  const request = parseChildRequest(line);
  try {
    if (request.kind === 'join') await bundleModules(request.output, request.request);
    else await bundlePackage(request.folder, request.output, request.request, sendImports);
    return { built: true };
  } catch (error) {
    const known = error instanceof VitrineError ? error : undefined;
    const reason = known?.details ?? (error instanceof Error ? error.message : String(error));
    return { built: false, code: known?.code ?? 'package_build_failed', reason };
  }
}
