import type { RuntimeProblem } from '../problem-messages.ts';
import type { ConsoleAnswer } from '../console-messages.ts';
import type { ConsoleMember, ConsoleValue } from '../console-values.ts';
import type { CodePlace, ConsoleEntry, FromFrame } from '../protocol.ts';
import type { describeRuntime } from './describe-runtime.ts';
import type { ConsoleOfHost } from './preview-console.ts';
import type { Intake } from './intake.ts';
import type { CodeProblem, Problem } from './preview-state.ts';
import type { ProjectView } from './project-view.ts';

/** What the document that runs says of itself, with places in the files as the person wrote them. */
export interface Hearing {
  /** What went wrong in it, oldest first. */
  readonly problems: readonly Problem[];
  /** A script of the document did not come. Its browser may remember that until the next document. */
  readonly lacksScript: boolean;
  hear(message: FromFrame): void;
  /** Loads what finds words for problems: there may be no network by the first one. */
  prepare(): void;
  /** A new document has begun: what the last one said is over. */
  begin(): void;
  /** The document gets new modules: what it got wrong may be right now; what it logged stays. */
  beginUpdate(): void;
  /** The files are others: one that no file asks for any more, by the document that stays, is not missed. */
  recheck(): void;
}

/** Enough to fill a list; a page that fails in a loop adds nothing by the next one. */
const keptProblems = 100;

export interface HearingOptions {
  intake: Intake;
  console: ConsoleOfHost;
  project: ProjectView;
  onProblems(): void;
}

export function createHearing(o: HearingOptions): Hearing {
  const { intake, console } = o;
  let problems: Problem[] = [];
  /** Numbers of the unhandled rejections that a problem stands for. */
  const rejections = new WeakMap<Problem, Set<number>>();
  let lacksScript = false;
  let documents = 0;
  /** New documents and new modules: what went wrong before the last of them may be right now. */
  let renewals = 0;
  /** Messages that wait for the map of a file, and for each other, so that their order stays. */
  let waiting = 0;
  let earlier: Promise<unknown> = Promise.resolve();

  const tell = (message: FromFrame) => {
    switch (message.type) {
      case 'console':
        console.log.add(locateEntry(message.entry));
        break;
      case 'dropped':
        console.log.addDropped(message.count);
        break;
      case 'rejection-handled':
        console.log.removeRejection(message.rejection);
        keep(problems.filter((problem) => isStillUnhandled(problem, message.rejection)));
        break;
      case 'console-answer':
        console.hear(message.id, locateAnswer(message.answer));
        break;
      default:
        break;
    }
  };

  const locateEntry = (entry: ConsoleEntry): ConsoleEntry => ({
    ...intake.locate(entry),
    values: entry.values.map(locateValue),
  });

  const locateAnswer = (answer: ConsoleAnswer): ConsoleAnswer => {
    if (answer.kind === 'value') return { ...answer, value: locateValue(answer.value) };
    if (answer.kind !== 'members') return answer;
    return { ...answer, members: answer.members.map(locateMember) };
  };

  /** With the stacks of errors, wherever they are in it, as those of what was written. */
  const locateValue = (value: ConsoleValue): ConsoleValue => {
    if (value.type === 'stack') return { ...value, text: intake.locateStack(value.text) };
    if (!('members' in value)) return value;
    const located = { ...value, members: value.members.map(locateMember) };
    if (located.type === 'error') located.stack = intake.locateStack(located.stack);
    return located;
  };

  const locateMember = (member: ConsoleMember): ConsoleMember => ({
    ...member,
    value: locateValue(member.value),
  });

  const addProblem = async (said: RuntimeProblem, renewal: number) => {
    const describe = await loadWords();
    if (renewal !== renewals) return;
    const located =
      said.kind === 'resource'
        ? { ...said, ...(said.place && { place: intake.locate(said.place) }) }
        : { ...intake.locate(said), stack: intake.locateStack(said.stack) };
    const problem = describe(located, o.project, intake.problems);
    const same = problem && problems.find((each) => isSame(each, problem));
    if (!problem || (!same && problems.length >= keptProblems)) return;
    if (said.kind === 'rejection' && said.rejection !== undefined)
      noteRejection(same ?? problem, said.rejection);
    if (same) return;
    problems = [...problems, problem];
    o.onProblems();
  };

  const noteRejection = (problem: Problem, rejection: number) => {
    const numbers = rejections.get(problem) ?? new Set();
    rejections.set(problem, numbers.add(rejection));
  };
  const isStillUnhandled = (problem: Problem, handled: number) => {
    const numbers = rejections.get(problem);
    return !numbers?.delete(handled) || numbers.size > 0;
  };

  const tellAfter = async (message: FromFrame, before: readonly unknown[]) => {
    const [document, renewal] = [documents, renewals];
    await Promise.all(before);
    waiting -= 1;
    if (document !== documents) return;
    if (message.type === 'problem') await addProblem(message.problem, renewal);
    else tell(message);
  };

  const keep = (kept: readonly Problem[]) => {
    if (kept.length === problems.length) return;
    problems = [...kept];
    o.onProblems();
  };
  const clear = () => keep([]);

  return {
    get problems() {
      return problems.filter((problem) => !isConsequence(problem, intake.problems, o.project));
    },
    get lacksScript() {
      return lacksScript;
    },
    hear(message) {
      if (message.type === 'problem' && isOfScript(message.problem)) lacksScript = true;
      const place = placeOf(message);
      const maps = place && intake.isUnprepared(place.path) ? intake.prepare() : undefined;
      if (waiting === 0 && !maps && message.type !== 'problem') return tell(message);
      waiting += 1;
      earlier = tellAfter(message, [earlier, maps]);
    },
    prepare: () => void loadWords(),
    begin() {
      documents += 1;
      renewals += 1;
      lacksScript = false;
      console.abandon();
      console.log.begin();
      clear();
    },
    beginUpdate() {
      renewals += 1;
      clear();
    },
    recheck: () => keep(problems.filter((problem) => isStillAsked(problem, o.project))),
  };
}

/**
 * Whether a problem comes of a file that does not compile, or lacks what it imports, which says so by
 * itself: an export that it lacks, or a module or page that did not load for want of it.
 */
function isConsequence(
  problem: Problem,
  causes: readonly Problem[],
  { importsOf }: ProjectView,
): boolean {
  const broken = new Set<string>();
  for (const { kind, severity, path } of causes)
    if (severity === undefined && ['syntax', 'package', 'resource'].includes(kind))
      broken.add(path);
  const module = 'module' in problem ? problem.module : undefined;
  if (broken.size === 0 || module === undefined) return false;
  if (module === '') return causes.some(({ kind }) => kind === 'syntax');
  const led = new Set([module]);
  for (const path of led) {
    if (broken.has(path)) return true;
    for (const imported of importsOf(path)) led.add(imported);
  }
  return false;
}

/** Not of a rejection: what a page imports when it likes is for the page to ask for again. */
function isOfScript(said: RuntimeProblem): boolean {
  if (said.kind === 'resource') return said.by === 'script' && said.status === 0;
  return said.kind === 'error' && /dynamically imported module/.test(said.sentence);
}

/** Where it cannot be loaded, a problem is told in the words that it came with; the next one tries again. */
function loadWords(): Promise<typeof describeRuntime> {
  return import('./describe-runtime.ts').then(
    (loaded) => loaded.describeRuntime,
    () => tellAsSaid,
  );
}

function tellAsSaid(said: RuntimeProblem): CodeProblem {
  if (said.kind !== 'resource') return said;
  const { kind, written: address } = said;
  const sentence = `${address} failed to load.`;
  return { kind, sentence, address, path: '', line: 0, column: 0, stack: '' };
}

function placeOf(message: FromFrame): CodePlace | undefined {
  if (message.type === 'console') return message.entry;
  if (message.type !== 'problem') return undefined;
  return 'path' in message.problem ? message.problem : message.problem.place;
}

/** By the name of the file: an address is written in many ways. */
function isStillAsked(problem: Problem, { read }: ProjectView): boolean {
  if (problem.kind !== 'resource' || !problem.address || problem.path === '') return true;
  const name = /[^/]*$/.exec(problem.address.replace(/[?#].*$/s, ''))?.[0] ?? '';
  return read(problem.path)?.includes(name) ?? false;
}

function isSame(a: Problem, b: Problem): boolean {
  return (
    a.sentence === b.sentence && a.path === b.path && a.line === b.line && a.column === b.column
  );
}
