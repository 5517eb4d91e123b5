/**
 * First script of a document that runs one test file. It sends hello to the app's page, makes the project's files
 * available, and starts the runner, which is a module.
 */
import { encodePath } from '@vitrine/compiler';
import type { ToFrame } from '../../protocol.ts';
import type { TestRequest } from '../../test-messages.ts';
import { createBlobUrls } from '../srcdoc/blob-urls.ts';
import { connect, type Connection } from '../connection.ts';
import { watchConsole } from '../console/console.ts';
import { createObjectTable } from '../console/object-table.ts';
import { readDocumentInfo, takeRunParameter, type DocumentInfo } from '../environment.ts';
import { createPositionMap, type PositionMap } from '../positions.ts';
import { watchErrors } from '../errors.ts';
import { installServiceWorker, postToServiceWorker } from '../service-worker.ts';
import { provideMemoryStorage } from '../srcdoc/memory-storage.ts';
import { emulateFocus } from './focus.ts';
import type { RunnerModule } from './runner.ts';

/** Attributes of our script element: the runner's URL, and the import map for packages that we provide. */
interface Scripts {
  runner: string;
  imports: Record<string, string>;
}

async function start(
  documentInfo: DocumentInfo,
  scripts: Scripts,
  isServed: boolean,
): Promise<void> {
  const isReady = !isServed || (await becomeControlled());
  const aliases = new Map<string, string>();
  const positions = createPositionMap(documentInfo, aliases);
  const connection = connect(documentInfo, onMessage);
  if (!isReady) return connection.send({ type: 'service-worker-unavailable' });
  if (isServed) hideAddress();
  else provideMemoryStorage();
  // Uncaught errors are part of the test results.
  const logUncaught = () => undefined;
  watchErrors({ connection, positions, page: () => documentInfo.path, logUncaught });
  watchConsole(connection, positions, {
    objects: createObjectTable(),
    cleanStack: (stack) => positions.cleanStack(stack),
  });
  emulateFocus(document);

  function onMessage(message: ToFrame, ports: readonly MessagePort[]): void {
    switch (message.type) {
      case 'ping':
        connection.send({ type: 'pong', count: message.count });
        break;
      case 'relay':
        postToServiceWorker(message.message, ports).catch(() =>
          connection.send({ type: 'service-worker-unavailable' }),
        );
        break;
      case 'test':
        run(message.test, { connection, positions, aliases, scripts }).catch((error: unknown) =>
          reportFailure(connection, error),
        );
        break;
      default:
        break;
    }
  }
}

interface Surroundings {
  connection: Connection;
  positions: PositionMap;
  aliases: Map<string, string>;
  scripts: Scripts;
}

async function run(test: TestRequest, o: Surroundings): Promise<void> {
  const imports = { ...o.scripts.imports };
  if (test.files) Object.assign(imports, nameModules(test.files, o.aliases));
  addImportMap(imports);
  // Resolved against the page: a cross-origin script in an opaque-origin document has no base URL.
  const runner: RunnerModule = await import(new URL(o.scripts.runner, document.baseURI).href);
  const path = encodePath(test.path);
  await runner.runTestFile(test, {
    address: test.files ? `vitrine-module:${path}` : `/${path}`,
    file: nameInStacks(test.files ? (imports[`vitrine-module:${path}`] ?? '') : `/${test.path}`),
    cleanStack: (stack) => o.positions.cleanStack(stack),
    send: (event) => o.connection.send({ type: 'tests', event }),
  });
}

/** Reports that the runner failed to load or threw. Errors of tests are reported by the runner. */
function reportFailure(connection: Connection, error: unknown): void {
  const message = `Couldn’t run the tests: ${String(error).slice(0, 1_000)}`;
  connection.send({
    type: 'tests',
    event: {
      kind: 'done',
      durationMs: 0,
      errors: [{ message, diff: '', stack: '' }],
      added: 0,
      changed: 0,
      writes: [],
    },
  });
}

/** File name as Vitest reads it from stacks: it takes a blob URL in Chromium's stacks for a relative path. */
function nameInStacks(file: string): string {
  const isChromium = /^\s+at /m.test(new Error('a stack').stack ?? '');
  return isChromium && !file.startsWith('/') ? `/${file}` : file;
}

/** Import map for modules of the srcdoc transport. */
function nameModules(
  files: NonNullable<TestRequest['files']>,
  aliases: Map<string, string>,
): Record<string, string> {
  createBlobUrls(files, aliases);
  return Object.fromEntries(
    [...aliases].map(([blob, path]) => [`vitrine-module:${encodePath(path)}`, blob]),
  );
}

function addImportMap(imports: Record<string, string>): void {
  const script = document.createElement('script');
  script.type = 'importmap';
  script.textContent = JSON.stringify({ imports });
  document.head.append(script);
  script.remove();
}

/**
 * Makes the service worker control this page. The first page of an origin is loaded before there is one and has to
 * reload. False if the browser refuses.
 */
async function becomeControlled(): Promise<boolean> {
  try {
    await installServiceWorker();
  } catch {
    // Refused or failed to load; the host continues without it.
    return false;
  }
  if (navigator.serviceWorker.controller) return true;
  const [navigation] = performance.getEntriesByType('navigation');
  if (navigation instanceof PerformanceNavigationTiming && navigation.type === 'reload')
    return false;
  location.reload();
  return new Promise(() => undefined);
}

/** Sets the URL to the project's root, which tests expect. */
function hideAddress(): void {
  takeRunParameter();
  history.replaceState(null, '', '/');
}

function readScripts(script: HTMLScriptElement): Scripts {
  const { runner = '', imports = '{}' } = script.dataset;
  return { runner, imports: JSON.parse(imports) as Record<string, string> };
}

const script = document.currentScript;
if (script instanceof HTMLScriptElement && parent !== window)
  void start(readDocumentInfo(script), readScripts(script), 'served' in script.dataset);
