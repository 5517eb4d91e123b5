/**
 * First script of every preview document, before user code. It sends hello to the app's page, answers pings,
 * reports logs and errors, and applies edits. User code shares this realm and can tamper with everything here,
 * so nobody else's safety may depend on it.
 */
import type { HotMessage, HotUpdate } from '../hot-messages.ts';
import type { FromFrame, InlinedFile, Outcome, ToFrame } from '../protocol.ts';
import { watchClicks } from './clicks.ts';
import { createComponents } from './components.ts';
import { connect, type Connection } from './connection.ts';
import { createAnswers } from './console-asks.ts';
import { watchConsole, type LogUncaught } from './console.ts';
import { watchDialogs } from './dialogs.ts';
import {
  readDocumentFacts,
  scriptAddresses,
  takeRunParameter,
  type DocumentFacts,
} from './environment.ts';
import { createHandles } from './handles.ts';
import type { Exports } from './hot-context.ts';
import { createHot, type Hot } from './hot.ts';
import { leaveKeyboard } from './keyboard.ts';
import { beginOpening } from './opening.ts';
import { createLoads, type Loads } from './loads.ts';
import { runOwnScript } from './own-scripts.ts';
import { answerFromFiles } from './own-files.ts';
import { offerPageInterface } from './page-interface.ts';
import { createPositions } from './positions.ts';
import { watchProblems, type ProblemWatch } from './problems.ts';
import { watchProxies } from './proxies.ts';
import {
  createRelay,
  isRealmReport,
  joinParent,
  takeChildren,
  watchFrames,
  watchWorkers,
} from './realms.ts';
import { beQuiet, removeForeignFrames, restoreScroll, tellWhenLeaving } from './reload.ts';
import type { Surroundings } from './serialise.ts';
import { createStyles, type Styles } from './styles.ts';
import type { FailedOnPurpose } from './tool.ts';
import { createTools, type Tools } from './tools.ts';
import { watchUsage } from './usage.ts';
import { explainWindows } from './windows.ts';
import { instrumentBlobs } from './workers.ts';
import { instrumentBlob } from '../worker-prefix.ts';

/** The part of a document that depends on the transport: served.ts and portable.ts. */
export interface PathPart {
  /** Whether requests of the page are answered with what the host has sent. */
  isCurrent(): Promise<boolean>;
  /** Whether a module that the page requests for the first time is the newest version. */
  readonly asksForNewest: boolean;
  /** URL of a new module. */
  addressOf(update: HotUpdate): string;
  /** Creates URLs for files of an update; returns a function that revokes earlier ones. */
  takeFiles(files: readonly InlinedFile[]): () => void;
  /** Replaces file references in a stylesheet with URLs. */
  nameFiles(css: string): string;
  /** Handles messages that only documents of this transport get. */
  onMessage(message: ToFrame, ports: readonly MessagePort[]): void;
}

/** Services of the document for its transport part. */
export interface Started {
  readonly facts: DocumentFacts;
  /** Blob URLs of the srcdoc transport, with the files they stand for. */
  readonly aliases: Map<string, string>;
  readonly connection: Connection;
  readonly loads: Loads;
  readonly hot: Hot;
  readonly styles: Styles;
  readonly tools: Tools;
  answer(version: number, outcome: Outcome): void;
  /** Whether the document may have requested one of these files. */
  mayUse(paths: readonly string[]): Promise<boolean>;
  watchProblems(isAgain: boolean): void;
  onPainted(): void;
}

export function startDocument(makePart: (document: Started) => PathPart): void {
  const script = document.currentScript;
  if (!(script instanceof HTMLScriptElement)) return;
  const facts = readDocumentFacts(script);
  // Removed, because the page's scripts may list its script elements.
  script.remove();
  if (parent !== window) start(facts, script.src, makePart);
  // In a tab of its own, there is no host.
  else if (facts.files.length > 0) answerFromFiles(facts.files, () => undefined);
}

function start(
  facts: DocumentFacts,
  /** URL of this script. */
  address: string,
  makePart: (document: Started) => PathPart,
): void {
  const { scroll, tools: toolNames } = takeRunParameter() ?? {};
  if (scroll) restoreScroll(scroll);
  const aliases = new Map<string, string>();
  const positions = createPositions(facts, aliases);
  const styles = createStyles(positions, (text) => part.nameFiles(text));
  const opening = beginOpening();
  const usage = watchUsage(positions, () => answer(0, 'reload'));
  if (facts.files.length > 0) answerFromFiles(facts.files, usage.add);
  const parentAgent =
    parent === top
      ? undefined
      : joinParent(facts.path, (handle) => surroundings.handles.find(handle));
  const children = takeChildren((report, realm) => relay(report, realm));
  const handles = createHandles(parentAgent?.firstHandle);
  const surroundings: Surroundings = {
    handles: { ...handles, find: (handle) => handles.find(handle) ?? children.find(handle) },
    cleanStack: (stack: string) => positions.clean(stack),
  };
  const connection = parentAgent ? { send: sendToParent } : connect(facts, onMessage);
  const answerAsk = createAnswers(connection, surroundings, address);
  const components = createComponents((name) => runOwnScript(name, address));
  const hot = createHot({
    components,
    importModule: (update) => import(part.addressOf(update)) as Promise<Exports>,
    invalidate: (id) => connection.send({ type: 'invalid', id }),
  });
  offerPageInterface(hot, components);
  const loads = createLoads();
  const onPurpose: FailedOnPurpose = { calls: new WeakMap(), ofServed: () => undefined };
  const tools = createTools(
    {
      connection,
      positions,
      loads,
      clicks: watchClicks(),
      onPurpose,
      own: (node) => styles.own(node),
    },
    facts.shown.kind === 'portable',
  );
  let logUncaught: LogUncaught = () => undefined;
  const relay = createRelay(
    (message) => connection.send(message),
    (entry) => surroundings.pass?.(entry),
  );
  const watch: ProblemWatch = {
    connection,
    positions,
    page: () => facts.path,
    onPurpose,
    logUncaught: (...said) => logUncaught(...said),
  };
  const part = makePart({
    facts,
    aliases,
    connection,
    loads,
    hot,
    styles,
    tools,
    answer,
    mayUse,
    watchProblems: (isAgain) => watchProblems(watch, isAgain),
    onPainted,
  });
  watchDocument();
  if (toolNames) tools.beginWith(toolNames);

  function watchDocument(): void {
    watchProblems(watch);
    tellWhenLeaving(() => {
      surroundings.flush?.();
      connection.send({ type: 'leaving' });
    });
    if (facts.shown.kind === 'boot') return;
    leaveKeyboard();
    watchProxies();
    logUncaught = watchConsole(connection, positions, surroundings);
    watchDialogs(connection);
    explainWindows(facts.shown.kind === 'portable');
    const workerAgent = new URL(scriptAddresses['worker-console'], address).href;
    instrumentBlobs((blob) => instrumentBlob(blob, workerAgent));
    watchWorkers(relay);
    watchFrames((frame, realm) => {
      const log = surroundings.adopt?.(frame.console, realm);
      if (log) watchProblems({ ...watch, logUncaught: log, target: frame });
    });
  }

  function sendToParent(message: FromFrame): void {
    if (isRealmReport(message)) parentAgent?.take(message);
  }

  function answer(version: number, outcome: Outcome): void {
    connection.send({ type: 'applied', version, outcome });
  }

  function onPainted(): void {
    opening.end();
    connection.send({ type: 'painted' });
    void components.load();
  }

  async function update(message: HotMessage): Promise<void> {
    const { version } = message;
    if (!(await canUpdate(message))) return answer(version, 'reload');
    styles.apply(message.styles, []);
    const revokeOld = part.takeFiles(message.files);
    answer(version, (await hot.apply(message)) ? 'done' : 'failed');
    revokeOld();
  }

  /** Whether the update is complete: the page uses nothing else of the changed files. */
  async function canUpdate({ updates, unlessUsed }: HotMessage): Promise<boolean> {
    if (!(await part.isCurrent())) return false;
    if (hot.findUnheard(updates).length > 0) await opening.wait();
    const unaccepted = hot.findUnheard(updates);
    if (unaccepted.length > 0 && !part.asksForNewest) return false;
    return !(await mayUse([...unlessUsed, ...unaccepted]));
  }

  async function mayUse(paths: readonly string[]): Promise<boolean> {
    if (paths.length === 0) return false;
    if (!opening.isOver) await opening.wait();
    return !opening.isOver || usage.mayUse(paths);
  }

  function onMessage(message: ToFrame, ports: readonly MessagePort[]): void {
    switch (message.type) {
      case 'ping':
        connection.send({ type: 'pong', count: message.count });
        break;
      case 'closing':
        beQuiet(() => removeForeignFrames(window));
        break;
      case 'hot':
        void update(message);
        break;
      case 'style':
        answer(message.version, styles.apply(message.styles, message.parts));
        break;
      case 'console-ask':
        answerAsk(message.id, message.ask);
        break;
      case 'tool':
        tools.tell(message.message, ports);
        break;
      default:
        part.onMessage(message, ports);
    }
  }
}
