/*
 * Entry of the build process. Code of packages is only read here, never run.
 */
import { answerRequests } from '@vitrine/processes/child';
import { VitrineError } from '@vitrine/project/errors';
import { transform } from 'esbuild';
import { bundlePackage } from './bundle.ts';
import type { ChildRequest, ChildResponse, ChildImports } from './child-protocol.ts';
import { bundleModules } from './bundle-modules.ts';

// Starts esbuild's own process, which takes a moment, before the first request arrives.
const started = transform('');

answerRequests(async (request, tools) => {
  await started;
  tools.start();
  // Sent by `build-package.ts`.
  return runRequest(request as ChildRequest, (imports) => {
    const notice: ChildImports = { imports };
    tools.notify(notice);
  });
});

async function runRequest(
  request: ChildRequest,
  sendImports: (imports: readonly string[]) => void,
): Promise<ChildResponse> {
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
