import { findPermission, type PermissionName } from '../permissions.ts';
import type { FrameProblem, RefusedPermission, RuntimeError } from '../runtime-error-messages.ts';
import type { ConsoleResponse } from '../console-messages.ts';
import type { ConsoleMember, ConsoleValue } from '../console-values.ts';
import type { SourceLocation, ConsoleEntry, FromFrame } from '../protocol.ts';
import type { describeRuntimeError } from './error-messages/describe-runtime-error.ts';
import type { HostConsole } from './preview-console.ts';
import type { CompileQueue } from './compile-queue.ts';
import { findSyntaxError, type SourceDiagnostic, type PreviewDiagnostic } from './diagnostics.ts';
import type { ProjectView } from './project-view.ts';

/** Maximum number of diagnostics kept. */
const maxDiagnostics = 100;

/** Time after the latest edit before load errors are shown: names are typed letter by letter. */
const typingPauseMs = 500;

/** What the user has allowed the project, and whether the transport lets the page have it. */
interface PreviewPermissions {
  isAllowed(name: PermissionName): boolean;
  canAllow(): boolean;
}

interface RuntimeDiagnosticsOptions {
  compileQueue: CompileQueue;
  console: HostConsole;
  project: ProjectView;
  permissions: PreviewPermissions;
  onDiagnostics(): void;
}

/** Collects what the running document reports, with locations mapped to the user's files. */
export class RuntimeDiagnostics {
  readonly #options: RuntimeDiagnosticsOptions;
  #diagnostics: readonly PreviewDiagnostic[] = [];
  /** Rejection numbers that a diagnostic stands for. */
  readonly #rejections = new WeakMap<PreviewDiagnostic, Set<number>>();
  /** Load errors that wait for a pause in typing. */
  #delayed: readonly PreviewDiagnostic[] = [];
  #pauseTimer: ReturnType<typeof setTimeout> | undefined;
  #hasScriptFailure = false;
  #documentCount = 0;
  /** Counts new documents and HMR updates; a message from before the latest one is outdated. */
  #updateCount = 0;
  /** Messages that wait for a source map, and for each other so that their order stays. */
  #pendingMessages = 0;
  #lastMessage: Promise<unknown> = Promise.resolve();

  constructor(options: RuntimeDiagnosticsOptions) {
    this.#options = options;
  }

  /** Runtime diagnostics, oldest first. */
  get diagnostics(): readonly PreviewDiagnostic[] {
    const { compileQueue, project } = this.#options;
    const causes = compileQueue.diagnostics;
    return this.#diagnostics.filter((diagnostic) => !isConsequence(diagnostic, causes, project));
  }

  /** A script of the document failed to load. The browser may cache that failure until the next document. */
  get hasScriptFailure(): boolean {
    return this.#hasScriptFailure;
  }

  onMessage(message: FromFrame): void {
    const { compileQueue } = this.#options;
    if (message.type === 'problem' && isScriptFailure(message.problem))
      this.#hasScriptFailure = true;
    const location = locationOf(message);
    const maps =
      location && compileQueue.lacksSourceMap(location.path) ? compileQueue.prepare() : undefined;
    if (this.#pendingMessages === 0 && !maps && message.type !== 'problem')
      return this.#handleMessage(message);
    this.#pendingMessages += 1;
    this.#lastMessage = this.#handleMessageAfter(message, [this.#lastMessage, maps]);
  }

  /** Loads the error messages, because the network may be gone by the first error. */
  loadMessages(): void {
    void loadDescribe();
  }

  /** A new document has started: the last one's diagnostics and log are cleared. */
  beginDocument(): void {
    const { console } = this.#options;
    this.#documentCount += 1;
    this.#updateCount += 1;
    this.#hasScriptFailure = false;
    console.endPending();
    console.log.beginDocument();
    this.#keep(() => false);
  }

  /** The document receives new modules: diagnostics are cleared, and their errors in the log. */
  beginUpdate(): void {
    this.#updateCount += 1;
    this.#options.console.log.beginUpdate();
    this.#keep(() => false);
  }

  /** Files changed: load errors wait for a pause. */
  onEdit(): void {
    clearTimeout(this.#pauseTimer);
    this.#pauseTimer = setTimeout(() => {
      this.#pauseTimer = undefined;
      const delayed = this.#delayed;
      this.#delayed = [];
      for (const diagnostic of delayed) this.#add(diagnostic);
    }, typingPauseMs);
  }

  close(): void {
    clearTimeout(this.#pauseTimer);
  }

  // Messages

  async #handleMessageAfter(message: FromFrame, before: readonly unknown[]): Promise<void> {
    const [document, update] = [this.#documentCount, this.#updateCount];
    await Promise.all(before);
    if (document === this.#documentCount) {
      if (message.type === 'problem') await this.#addProblem(message.problem, update);
      else this.#handleMessage(message);
    }
    // Only now, because a message that refers to a problem has to be handled after it.
    this.#pendingMessages -= 1;
  }

  #handleMessage(message: FromFrame): void {
    const { console, compileQueue } = this.#options;
    switch (message.type) {
      case 'console':
        console.log.add(locateEntry(message.entry, compileQueue));
        break;
      case 'dropped':
        console.log.addDropped(message.count);
        break;
      case 'rejection-handled':
        console.log.removeRejection(message.rejection);
        this.#keep((diagnostic) => this.#isStillUnhandled(diagnostic, message.rejection));
        break;
      case 'load-errors-withdrawn':
        this.#keep(
          (diagnostic) =>
            diagnostic.kind !== 'resource' ||
            diagnostic.module !== undefined ||
            !message.addresses.includes(diagnostic.address ?? ''),
        );
        break;
      case 'console-response':
        console.onResponse(message.id, locateResponse(message.response, compileQueue));
        break;
      default:
        break;
    }
  }

  async #addProblem(reported: FrameProblem, update: number): Promise<void> {
    const { compileQueue, project, permissions } = this.#options;
    const { permission } = 'permission' in reported ? reported : {};
    const isAllowed = permission === undefined || permissions.isAllowed(permission);
    // If the browser or the user has refused, the page's own error says so.
    if (reported.kind === 'permission')
      return void (isAllowed || this.#add(this.#describePermission(reported)));
    if (!isAllowed) return;
    const describe = await loadDescribe();
    if (update !== this.#updateCount) return;
    const located =
      reported.kind === 'resource'
        ? {
            ...reported,
            ...(reported.location && { location: compileQueue.mapLocation(reported.location) }),
          }
        : {
            ...compileQueue.mapErrorLocation(reported, reported.stack),
            stack: compileQueue.mapStack(reported.stack),
          };
    const diagnostic = describe(located, project, compileQueue.diagnostics);
    if (!diagnostic) return;
    if (reported.kind === 'resource' && this.#pauseTimer !== undefined) {
      if (this.#delayed.length < maxDiagnostics) this.#delayed = [...this.#delayed, diagnostic];
      return;
    }
    const added = this.#add(diagnostic);
    if (added && reported.kind === 'rejection' && reported.rejection !== undefined)
      this.#recordRejection(added, reported.rejection);
  }

  #describePermission(refused: RefusedPermission): PreviewDiagnostic {
    const { compileQueue, permissions } = this.#options;
    const canAllow = permissions.canAllow();
    return {
      ...compileQueue.mapLocation(refused),
      canAllow,
      message: describeRefusal(refused.permission, canAllow),
      stack: '',
    };
  }

  // Diagnostics

  /** Adds a diagnostic, or finds the same one. Undefined if there are too many. */
  #add(diagnostic: PreviewDiagnostic): PreviewDiagnostic | undefined {
    const same = this.#diagnostics.find((each) => isSame(each, diagnostic));
    if (same || this.#diagnostics.length >= maxDiagnostics) return same;
    this.#diagnostics = [...this.#diagnostics, diagnostic];
    this.#options.onDiagnostics();
    return diagnostic;
  }

  #keep(isKept: (diagnostic: PreviewDiagnostic) => boolean): void {
    this.#delayed = this.#delayed.filter(isKept);
    const kept = this.#diagnostics.filter(isKept);
    if (kept.length === this.#diagnostics.length) return;
    this.#diagnostics = kept;
    this.#options.onDiagnostics();
  }

  #recordRejection(diagnostic: PreviewDiagnostic, rejection: number): void {
    const numbers = this.#rejections.get(diagnostic) ?? new Set();
    this.#rejections.set(diagnostic, numbers.add(rejection));
  }

  #isStillUnhandled(diagnostic: PreviewDiagnostic, handled: number): boolean {
    const numbers = this.#rejections.get(diagnostic);
    return !numbers?.delete(handled) || numbers.size > 0;
  }
}

function describeRefusal(name: PermissionName, canAllow: boolean): string {
  const use = findPermission(name)?.use ?? name;
  return canAllow
    ? `The page tried to ${use}. You haven’t allowed that for this project.`
    : `Pages can’t ${use} here: in this browser, previews have no origin of their own.`;
}

/** Maps the location and the values of a log entry to the user's files. */
function locateEntry(entry: ConsoleEntry, queue: CompileQueue): ConsoleEntry {
  const cause = isFailingModule(entry) && findSyntaxError(queue.diagnostics, entry.path);
  if (cause) {
    const { line, column } = cause;
    return { ...entry, line, column, values: withMessage(entry, cause) };
  }
  const values = entry.values.map((value) => locateValue(value, queue));
  const thrown = entry.isUncaught && entry.values.find(({ type }) => type === 'error');
  const stack = thrown && 'stack' in thrown ? thrown.stack : '';
  return { ...queue.mapErrorLocation(entry, stack), values };
}

function locateResponse(response: ConsoleResponse, queue: CompileQueue): ConsoleResponse {
  if (response.kind === 'value') return { ...response, value: locateValue(response.value, queue) };
  if (response.kind !== 'members') return response;
  return { ...response, members: locateMembers(response.members, queue) };
}

/** Maps the stacks of errors anywhere inside the value. */
function locateValue(value: ConsoleValue, queue: CompileQueue): ConsoleValue {
  if (value.type === 'stack') return { ...value, text: queue.mapStack(value.text) };
  if (!('members' in value)) return value;
  const located = { ...value, members: locateMembers(value.members, queue) };
  if (located.type === 'error') located.stack = queue.mapStack(located.stack);
  return located;
}

function locateMembers(members: readonly ConsoleMember[], queue: CompileQueue): ConsoleMember[] {
  return members.map((member) => ({ ...member, value: locateValue(member.value, queue) }));
}

/** Whether an entry may be the syntax error of a module that stands for a file that doesn't compile. */
function isFailingModule({ method, values }: ConsoleEntry): boolean {
  const isUnexpected = /^(?:Unexpected identifier|unexpected token: identifier)/;
  return (
    method === 'error' &&
    values.some((value) => value.type === 'error' && isUnexpected.test(value.message))
  );
}

/** Replaces the browser's message about such a module by the compiler's. */
function withMessage({ values }: ConsoleEntry, { message }: PreviewDiagnostic): ConsoleValue[] {
  return values.map((value) =>
    value.type === 'error' ? { ...value, message: message, stack: '' } : value,
  );
}

/**
 * Whether a diagnostic only follows from a compile error or a missing import: of its own file, whose last
 * working version runs, with other lines; or of another file, as a missing export of it, or as a module or
 * page that failed to load because of it.
 */
function isConsequence(
  diagnostic: PreviewDiagnostic,
  causes: readonly PreviewDiagnostic[],
  { findImports, isOutdated }: ProjectView,
): boolean {
  const broken = new Set<string>();
  for (const { kind, severity, path } of causes)
    if (severity === undefined && ['syntax', 'package', 'resource'].includes(kind))
      broken.add(path);
  if (broken.has(diagnostic.path) && isOutdated(diagnostic.path)) return true;
  const module = 'module' in diagnostic ? diagnostic.module : undefined;
  if (broken.size === 0 || module === undefined) return false;
  if (module === '') return causes.some(({ kind }) => kind === 'syntax');
  const modules = new Set([module]);
  for (const path of modules) {
    if (broken.has(path)) return true;
    for (const imported of findImports(path)) modules.add(imported);
  }
  return false;
}

/** Whether a script failed to load. Excludes rejected `import()`s, which the page may retry itself. */
function isScriptFailure(reported: FrameProblem): boolean {
  if (reported.kind === 'resource') return reported.by === 'script' && reported.status === 0;
  return reported.kind === 'error' && /dynamically imported module/.test(reported.message);
}

/** Loads the error messages. If that fails, the browser's own text is used and the next call tries again. */
function loadDescribe(): Promise<typeof describeRuntimeError> {
  return import('./error-messages/describe-runtime-error.ts').then(
    (loaded) => loaded.describeRuntimeError,
    () => describeAsIs,
  );
}

function describeAsIs(reported: RuntimeError): SourceDiagnostic {
  if (reported.kind !== 'resource') return reported;
  const { kind, written: address } = reported;
  const message = `${address} failed to load.`;
  return { kind, message, address, path: '', line: 0, column: 0, stack: '' };
}

function locationOf(message: FromFrame): SourceLocation | undefined {
  if (message.type === 'console') return message.entry;
  if (message.type !== 'problem') return undefined;
  return 'path' in message.problem ? message.problem : message.problem.location;
}

function isSame(a: PreviewDiagnostic, b: PreviewDiagnostic): boolean {
  return a.message === b.message && a.path === b.path && a.line === b.line && a.column === b.column;
}
