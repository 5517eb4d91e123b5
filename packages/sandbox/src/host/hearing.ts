import type { CodePlace, FromFrame } from '../protocol.ts';
import type { ConsoleLog } from './console-log.ts';
import type { Intake } from './intake.ts';
import type { Problem } from './preview-state.ts';

/** What the document that runs says of itself, with places in the files as the person wrote them. */
export interface Hearing {
  /** What went wrong in it, oldest first. */
  readonly problems: readonly Problem[];
  hear(message: FromFrame): void;
  /** A new document has begun: what the last one said is over. */
  begin(): void;
  /** The document gets new modules: what it got wrong may be right now; what it logged stays. */
  beginUpdate(): void;
}

/** Enough to fill a list; a page that fails in a loop adds nothing by the next one. */
const keptProblems = 100;

export function createHearing(o: { intake: Intake; log: ConsoleLog; onProblems(): void }): Hearing {
  const { intake, log } = o;
  let problems: Problem[] = [];
  let documents = 0;
  /** Messages that wait for the map of a file, and for each other, so that their order stays. */
  let waiting = 0;
  let earlier: Promise<unknown> = Promise.resolve();

  const tell = (message: FromFrame) => {
    switch (message.type) {
      case 'console':
        log.add(intake.locate(message.entry));
        break;
      case 'dropped':
        log.addDropped(message.count);
        break;
      case 'problem':
        if (problems.length < keptProblems) addProblem(message.problem);
        break;
      default:
        break;
    }
  };

  const addProblem = (said: Extract<FromFrame, { type: 'problem' }>['problem']) => {
    // A file that does not compile says so by itself, and better.
    if (intake.problems.some(({ kind, path }) => kind === 'syntax' && path === said.path)) return;
    problems = [...problems, { ...intake.locate(said), stack: intake.locateStack(said.stack) }];
    o.onProblems();
  };

  const tellAfterMaps = async (message: FromFrame, document: number, before: Promise<unknown>) => {
    await Promise.all([before, intake.prepare()]);
    waiting -= 1;
    if (document === documents) tell(message);
  };

  const clear = () => {
    if (problems.length === 0) return;
    problems = [];
    o.onProblems();
  };

  return {
    get problems() {
      return problems;
    },
    hear(message) {
      const place = placeOf(message);
      if (waiting === 0 && !(place && intake.isUnprepared(place.path))) return tell(message);
      waiting += 1;
      earlier = tellAfterMaps(message, documents, earlier);
    },
    begin() {
      documents += 1;
      log.clear();
      clear();
    },
    beginUpdate: clear,
  };
}

function placeOf(message: FromFrame): CodePlace | undefined {
  if (message.type === 'console') return message.entry;
  return message.type === 'problem' ? message.problem : undefined;
}
