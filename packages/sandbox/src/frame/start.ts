/**
 * First script of every preview document, before user code. It sends hello to the app's page, responds to pings,
 * reports logs and errors, and applies edits. User code shares this realm and can tamper with everything here,
 * so nobody else's safety may depend on it.
 */
import type { HotMessage, HotUpdate } from '../hot-messages.ts';
import type { FromFrame, InlinedFile, UpdateOutcome, ToFrame } from '../protocol.ts';
import { recordClickListeners } from './click-listeners.ts';
import { createComponentRefresh, type ComponentRefresh } from './hmr/component-refresh.ts';
import { connect, type Connection } from './connection.ts';
import { createConsoleRequestHandler } from './console/console-requests.ts';
import { watchConsole } from './console/console.ts';
import { explainTopNavigation, explainWindowOpen, watchDialogs } from './dialogs.ts';
import {
  readDocumentInfo,
  runInternalScript,
  scriptUrls,
  takeRunParameter,
  type DocumentInfo,
} from './environment.ts';
import { createObjectTable } from './console/object-table.ts';
import type { ModuleExports } from './hmr/hot-context.ts';
import { createHmrRuntime, type HmrRuntime } from './hmr/hmr-runtime.ts';
import { deferFocus } from './defer-focus.ts';
import { createFileLoads, type FileLoads } from './file-loads.ts';
import { serveEmbeddedFiles } from './srcdoc/embedded-files.ts';
import type { ProjectPreact } from './hmr/preact-options.ts';
import { createPositionMap } from './positions.ts';
import { watchErrors, withdrawOutdatedErrors, type ErrorReporting } from './errors.ts';
import { watchPermissions } from './permissions.ts';
import { watchProxies } from './console/proxies.ts';
import {
  createReportRelay,
  isRealmReport,
  registerWithParent,
  acceptChildren,
  watchFrames,
  watchWorkers,
} from './realms.ts';
import { withoutPrompt, removeCrossOriginFrames, restoreScroll, onUnload } from './navigation.ts';
import type { SerializationContext, LogUncaught } from './console/value-serializer.ts';
import { createStyleReplacer, type StyleReplacer } from './hmr/styles.ts';
import type { RuleFailures } from './tools/tool.ts';
import { createTools, type Tools } from './tools.ts';
import { watchInput } from './user-input.ts';
import { watchUsage } from './usage.ts';
import { instrumentBlobWorkers } from './workers/workers.ts';
import { instrumentWorkerBlob } from '../worker-prefix.ts';

/** The part of a document that depends on the transport: isolated-origin.ts and srcdoc.ts. */
export interface TransportPart {
  /** Whether requests of the page are answered with what the host has sent. */
  isCurrent(): Promise<boolean>;
  /** Whether a module that the page requests for the first time is the newest version. */
  readonly loadsNewest: boolean;
  /** URL of a new module. */
  urlOf(update: HotUpdate): string;
  /** Creates URLs for files of an update; returns a function that revokes earlier ones. */
  createFiles(files: readonly InlinedFile[]): () => void;
  /** Replaces file references in a stylesheet with URLs. */
  resolveFileReferences(css: string): string;
  /** Handles messages that only documents of this transport get. */
  onMessage(message: ToFrame, ports: readonly MessagePort[]): void;
}

/** Services of the document for its transport part. */
export interface StartedDocument {
  readonly documentInfo: DocumentInfo;
  /** Blob URLs of the srcdoc transport, with the files they stand for. */
  readonly aliases: Map<string, string>;
  readonly connection: Connection;
  readonly loads: FileLoads;
  readonly hot: HmrRuntime;
  readonly styles: StyleReplacer;
  readonly tools: Tools;
  sendApplied(version: number, outcome: UpdateOutcome): void;
  /** Whether the document may have requested one of these files. */
  mayUse(paths: readonly string[]): Promise<boolean>;
  watchProblems(isAgain: boolean): void;
  onPainted(): void;
}

/** Interface of compiled modules to their page: `globalThis.__vitrine`. */
interface PageInterface {
  /** Returns `import.meta.hot` of a module. */
  hot: HmrRuntime['context'];
  components: ComponentRefresh['scope'];
  acceptComponents: HmrRuntime['acceptComponents'];
  /** The project's own copy of Preact, for its refresh runtime. */
  preact: ProjectPreact | undefined;
  /** Called by a refresh runtime's script. */
  takeRefresher: ComponentRefresh['takeRefresher'];
}

declare global {
  interface Window {
    __vitrine?: PageInterface;
  }
}

export function startDocument(makePart: (document: StartedDocument) => TransportPart): void {
  const script = document.currentScript;
  if (!(script instanceof HTMLScriptElement)) return;
  const documentInfo = readDocumentInfo(script);
  // Removed, because the page's scripts may list its script elements.
  script.remove();
  if (parent !== window) start(documentInfo, script.src, makePart);
  // In a tab of its own, there is no host.
  else if (documentInfo.files.length > 0) serveEmbeddedFiles(documentInfo.files, () => undefined);
}

function start(
  documentInfo: DocumentInfo,
  /** URL of this script. */
  url: string,
  makePart: (document: StartedDocument) => TransportPart,
): void {
  const { scroll, tools: toolNames } = takeRunParameter() ?? {};
  if (scroll) restoreScroll(scroll);
  const aliases = new Map<string, string>();
  const positions = createPositionMap(documentInfo, aliases);
  const styles = createStyleReplacer(positions, (text) => part.resolveFileReferences(text));
  const opening = startLoadPhase();
  const usage = watchUsage(positions, () => answer(0, 'reload'));
  if (documentInfo.files.length > 0) serveEmbeddedFiles(documentInfo.files, usage.add);
  const parentAgent =
    parent === top
      ? undefined
      : registerWithParent(documentInfo.path, (handle) =>
          serializationContext.objects.find(handle),
        );
  const children = acceptChildren((report, realm) => relay(report, realm));
  const handles = createObjectTable(parentAgent?.firstHandle);
  const serializationContext: SerializationContext = {
    objects: { ...handles, find: (handle) => handles.find(handle) ?? children.find(handle) },
    cleanStack: (stack: string) => positions.cleanStack(stack),
  };
  const connection = parentAgent ? { send: sendToParent } : connect(documentInfo, onMessage);
  const respondToRequest = createConsoleRequestHandler(connection, serializationContext, url);
  const components = createComponentRefresh((name) => runInternalScript(name, url));
  const hot = createHmrRuntime({
    components,
    importModule: (update) => import(part.urlOf(update)) as Promise<ModuleExports>,
    invalidate: (id) => connection.send({ type: 'invalid', id }),
  });
  definePageInterface(hot, components);
  const loads = createFileLoads();
  const onPurpose: RuleFailures = { byError: new WeakMap(), findServedRule: () => undefined };
  const input = watchInput();
  const tools = createTools(
    {
      connection,
      positions,
      loads,
      clicks: recordClickListeners(),
      ruleFailures: onPurpose,
      hasInput: input.hasInput,
      markInternal: (node) => styles.own(node),
    },
    documentInfo.shown.kind === 'srcdoc',
  );
  let logUncaught: LogUncaught = () => undefined;
  const relay = createReportRelay(
    (message) => connection.send(message),
    (entry) => serializationContext.queueEntry?.(entry),
  );
  const watch: ErrorReporting = {
    connection,
    positions,
    page: () => documentInfo.path,
    ruleFailures: onPurpose,
    logUncaught: (...args) => logUncaught(...args),
  };
  const part = makePart({
    documentInfo,
    aliases,
    connection,
    loads,
    hot,
    styles,
    tools,
    sendApplied: answer,
    mayUse,
    watchProblems(isAgain) {
      watchErrors(watch, isAgain);
      explainTopNavigation(documentInfo.shown.kind === 'srcdoc');
      input.watch();
    },
    onPainted,
  });
  const update = createUpdater({ part, hot, styles, opening, mayUse, answer });
  watchErrors(watch);
  onUnload(() => {
    serializationContext.flush?.();
    connection.send({ type: 'unloading' });
  });
  if (documentInfo.shown.kind !== 'boot') {
    watchPage(documentInfo, watch);
    logUncaught = watchConsole(connection, positions, serializationContext);
    watchOtherRealms({ relay, watch, serializationContext, url });
  }
  if (toolNames) tools.loadSync(toolNames);

  function sendToParent(message: FromFrame): void {
    if (isRealmReport(message)) parentAgent?.take(message);
  }

  function answer(version: number, outcome: UpdateOutcome): void {
    connection.send({ type: 'applied', version, outcome });
    if (outcome === 'done') withdrawOutdatedErrors();
  }

  function onPainted(): void {
    opening.end();
    connection.send({ type: 'painted' });
    void components.load();
  }

  async function mayUse(paths: readonly string[]): Promise<boolean> {
    if (paths.length === 0) return false;
    if (!opening.isOver) await opening.wait();
    return !opening.isOver || usage.mayUse(paths);
  }

  function onMessage(message: ToFrame, ports: readonly MessagePort[]): void {
    const receivers = { connection, update, styles, answer, respondToRequest, tools, part };
    handleMessage(receivers, message, ports);
  }
}

/** Watches what a page of the project does besides logging, and explains what it can't do here. */
function watchPage({ shown }: DocumentInfo, { connection, positions }: ErrorReporting): void {
  deferFocus();
  watchProxies();
  watchDialogs(connection);
  watchPermissions((permission, stack) =>
    connection.send({
      type: 'problem',
      problem: { kind: 'permission', permission, ...positions.findInStack(stack) },
    }),
  );
  explainWindowOpen(shown.kind === 'srcdoc');
  explainTopNavigation(shown.kind === 'srcdoc');
}

function handleMessage(
  {
    connection,
    update,
    styles,
    answer,
    respondToRequest,
    tools,
    part,
  }: {
    connection: Connection;
    update: (message: HotMessage) => Promise<void>;
    styles: StyleReplacer;
    answer: StartedDocument['sendApplied'];
    respondToRequest: ReturnType<typeof createConsoleRequestHandler>;
    tools: Tools;
    part: TransportPart;
  },
  message: ToFrame,
  ports: readonly MessagePort[],
): void {
  switch (message.type) {
    case 'ping':
      connection.send({ type: 'pong', count: message.count });
      break;
    case 'closing':
      withoutPrompt(() => removeCrossOriginFrames(window));
      break;
    case 'hot':
      void update(message);
      break;
    case 'style':
      answer(message.version, styles.apply(message.styles, message.parts));
      break;
    case 'console-request':
      respondToRequest(message.id, message.request);
      break;
    case 'tool':
      tools.send(message.message, ports);
      break;
    default:
      part.onMessage(message, ports);
  }
}

/** Reports what workers and nested frames log, and their errors. */
function watchOtherRealms({
  relay,
  watch,
  serializationContext,
  url,
}: {
  relay: ReturnType<typeof createReportRelay>;
  watch: ErrorReporting;
  serializationContext: SerializationContext;
  /** URL of this script. */
  url: string;
}): void {
  const workerAgent = new URL(scriptUrls['worker-console'], url).href;
  instrumentBlobWorkers((blob) => instrumentWorkerBlob(blob, workerAgent));
  watchWorkers(relay);
  watchFrames((frame, realm) => {
    const log = serializationContext.observeConsole?.(frame.console, realm);
    if (log) watchErrors({ ...watch, logUncaught: log, target: frame });
  });
}

/** Creates the function that applies a hot update, or answers that the page has to reload. */
function createUpdater({
  part,
  hot,
  styles,
  opening,
  mayUse,
  answer,
}: {
  part: TransportPart;
  hot: HmrRuntime;
  styles: StyleReplacer;
  opening: LoadPhase;
  mayUse: StartedDocument['mayUse'];
  answer: StartedDocument['sendApplied'];
}): (message: HotMessage) => Promise<void> {
  async function update(message: HotMessage): Promise<void> {
    const { version } = message;
    if (!(await canUpdate(message))) return answer(version, 'reload');
    styles.apply(message.styles, []);
    const revokeOld = part.createFiles(message.files);
    answer(version, (await hot.apply(message)) ? 'done' : 'failed');
    revokeOld();
  }

  /** Whether the update is complete: the page uses nothing else of the changed files. */
  async function canUpdate({ updates, unlessUsed }: HotMessage): Promise<boolean> {
    if (!(await part.isCurrent())) return false;
    if (hot.findUnaccepted(updates).length > 0) await opening.wait();
    const unaccepted = hot.findUnaccepted(updates);
    if (unaccepted.length > 0 && !part.loadsNewest) return false;
    return !(await mayUse([...unlessUsed, ...unaccepted]));
  }

  return update;
}

/** Defines the interface, not enumerable so that a page that lists its globals doesn't see it. */
function definePageInterface(hot: HmrRuntime, components: ComponentRefresh): void {
  const offered: PageInterface = {
    hot: hot.context,
    components(id, preact) {
      offered.preact ??= preact;
      return components.scope(id, preact);
    },
    acceptComponents: hot.acceptComponents,
    preact: undefined,
    takeRefresher: components.takeRefresher,
  };
  Object.defineProperty(window, '__vitrine', { value: offered });
}

/** Time after the latest edit until a page that has not painted is no longer waited for. */
const maxWaitMs = 1_500;

/**
 * The load phase of a document. Until its first paint, its modules may wait for packages: nothing accepts new
 * versions yet, and it isn't known which files the page will request.
 */
interface LoadPhase {
  readonly isOver: boolean;
  end(): void;
  /** Resolves when the phase is over, or when no edit has come for long enough. */
  wait(): Promise<void>;
}

function startLoadPhase(): LoadPhase {
  const { promise, resolve } = Promise.withResolvers<void>();
  let isOver = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    get isOver() {
      return isOver;
    },
    end() {
      isOver = true;
      resolve();
    },
    wait() {
      clearTimeout(timer);
      timer = setTimeout(resolve, maxWaitMs);
      return promise;
    },
  };
}
