/**
 * TypeScript's language service in a thread of its own, for the projects of one page: it can be
 * slow, hang or die, and typing goes on. What it knows of a project it is sent.
 */
import { answer, createAnswers, createUnderstanding } from './answers.ts';
import { markDeprecated, takeComments } from './comments.ts';
import { byName, libs } from './libs.ts';
import type { Ask, Kind, LanguageMessage, LanguageRequest } from './messages.ts';
import { fetchTypes, joinTypes } from './package-types.ts';
import { ProjectHost } from './project-host.ts';

/** So long nobody is heard while it gets ready. */
const deafMs = 30;
/** Whoever asks before the packages are here waits so long for them. */
const packagesPatienceMs = 1_000;

const host = new ProjectHost(libs);
const understanding = createUnderstanding(host);
const answers = createAnswers(understanding);
/** Those that tell of comments, or show where something is among them. */
const telling: ReadonlySet<Kind> = new Set<Kind>([
  'completion',
  'definitions',
  'description',
  'signature',
  'source',
]);
/** Resolves when those of the language are here, once they have been asked for. */
let comments: Promise<void> | undefined;
/** Address → its declarations, kept while the project has the package. */
let known = new Map<string, ReadonlyMap<string, string> | null>();
/** Those that were asked for last. */
let wanted: readonly (readonly [string, string])[] = [];
/** Resolves when those that were asked for last are here. */
let packages: Promise<void> = Promise.resolve();

onmessage = ({ data }: MessageEvent<LanguageRequest>) => {
  switch (data.type) {
    case 'files':
      host.changeFiles(data.changed, data.removed);
      return undefined;
    case 'packages':
      packages = takePackages(data.addresses);
      return undefined;
    case 'ask':
      return void settle(data.id, data.ask);
  }
};

void prepare();

/** Reads what every project needs while its files and packages are on their way. */
async function prepare(): Promise<void> {
  let heardMs = performance.now();
  for (const _ of understanding.prepare()) {
    if (performance.now() - heardMs < deafMs) continue;
    await new Promise((resolve) => setTimeout(resolve));
    heardMs = performance.now();
  }
}

async function settle(id: number, ask: Ask): Promise<void> {
  await Promise.race([packages, new Promise((resolve) => setTimeout(resolve, packagesPatienceMs))]);
  if (telling.has(ask.kind)) await loadComments();
  try {
    say({ type: 'answer', id, answer: answer(answers, ask) });
  } catch (error) {
    // An edge: the language service has mistakes of its own, and the next question may go well.
    say({ type: 'failed', id, reason: String(error) });
  }
  // Whoever asks next may need them, and the first answer came sooner without.
  setTimeout(markDeprecated);
  void loadComments();
}

/** Without the network nothing is told of them, until somebody asks again. */
function loadComments(): Promise<void> {
  return (comments ??= import('./lib-comments.ts').then(
    (loaded) => takeComments(byName(loaded.comments)),
    () => (comments = undefined),
  ));
}

async function takePackages(addresses: readonly (readonly [string, string])[]): Promise<void> {
  wanted = addresses;
  const before = known;
  const loaded = await Promise.all(
    addresses.map(async ([name, address]) => {
      const types = before.get(address) ?? (await fetchTypes(address).catch(unlessOffline));
      return [name, address, types] as const;
    }),
  );
  // They have been sent anew meanwhile.
  if (addresses !== wanted) return;
  known = new Map(loaded.map(([, address, types]) => [address, types]));
  const { files, names } = joinTypes(new Map(loaded.map(([name, , types]) => [name, types])));
  host.setPackages(files, names);
  say({ type: 'packages' });
}

/** Without the network a package is anything, until its address is sent again. */
function unlessOffline(error: unknown): null {
  if (!(error instanceof TypeError)) throw error;
  return null;
}

function say(message: LanguageMessage): void {
  postMessage(message);
}
