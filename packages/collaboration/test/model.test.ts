import {
  getTexts,
  listFiles,
  listTextFiles,
  readFiles,
  removeFile,
  renameFile,
  replaceFile,
  VitrineError,
} from '@vitrine/project';
import fc from 'fast-check';
import 'fake-indexeddb/auto';
import { describe, expect, test } from 'vitest';
import { openLocalDatabase } from '../src/local-database.ts';
import { createId } from '../src/ids.ts';
import { openDocumentWith, type LiveDocument } from '../src/live-document.ts';
import { openTabChannel } from '../src/tab-channel.ts';
import { DatabaseServer } from './database-server.ts';
import {
  connectionLost,
  readLoaded,
  ServerModel,
  type Fault,
  type ProjectServer,
} from './server-model.ts';

/*
 * Users type unique tokens into one project from two devices with up to two tabs each, while tabs are
 * killed, the network fails and the server crashes before or after its commits. At the end every
 * replica must have the same text, the server's files must match it, and each token that was shown
 * as saved, on the server or on a device, must be in it exactly once.
 */

type Step =
  | { kind: 'edit'; tab: number; at: number; file: number }
  | { kind: 'undo' | 'open' | 'kill' | 'close' | 'settle' | 'flush' | 'send'; tab: number }
  | { kind: 'asset'; tab: number; digit: string | null }
  | { kind: 'rename'; tab: number; name: string }
  | { kind: 'network'; device: number; isOn: boolean }
  | { kind: 'look'; device: number; isMade: boolean }
  | { kind: 'crash'; fault: Fault };

const tab = fc.nat(3);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('edit'), tab, at: fc.nat(100), file: fc.nat(1) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('settle', 'flush', 'send'), tab }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('open', 'kill', 'close', 'undo'), tab }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('asset'),
      tab,
      digit: fc.constantFrom('a', 'b', null),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('rename'),
      tab,
      name: fc.constantFrom('picture.png', 'photo.png', 'Photo.png'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('network'), device: fc.nat(1), isOn: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('look'), device: fc.nat(1), isMade: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('crash'),
      fault: fc.constantFrom('crash before commit', 'crash after commit'),
    }),
  },
);

/** A tab, and the save state shown for each token typed in it. */
interface Tab {
  live: LiveDocument;
  device: number;
  typed: string[];
  kill(): void;
}

class World {
  readonly #id: string;
  readonly #server: ProjectServer;
  readonly #devices = [`device ${createId()}`, `device ${createId()}`];
  readonly #online = [true, true];
  /** The response of the server when a page was rendered. A tab that opens later may start with it. */
  readonly #pages: unknown[] = [];
  readonly #tabs = new Map<number, Tab>();
  readonly #promised = new Set<string>();
  /** Tokens that were shown as saved, by device. */
  readonly #promisedOn = [new Set<string>(), new Set<string>()];
  readonly #undone = new Set<string>();
  #crash: Fault | undefined;
  #tokens = 0;

  constructor(server: ProjectServer, id: string) {
    this.#server = server;
    this.#id = id;
    server.findFault = () => {
      const fault = this.#crash;
      this.#crash = undefined;
      return fault;
    };
  }

  async take(step: Step): Promise<void> {
    if (step.kind === 'network') this.#online[step.device] = step.isOn;
    else if (step.kind === 'look') await this.#look(step.device, step.isMade);
    else if (step.kind === 'crash') this.#crash = step.fault;
    else if (step.kind === 'open') await this.#open(step.tab);
    else await this.#act(step, this.#tabs.get(step.tab));
  }

  async finish(): Promise<void> {
    this.#crash = undefined;
    this.#online.fill(true);
    for (const number of [0, 1, 2, 3]) await this.#open(number);
    const tabs = [...this.#tabs.values()];
    for (const tab of tabs) await this.#flush(tab);
    for (const { live } of tabs) await live.refresh();
    const context = { owner: 'owner-0', signal: new AbortController().signal };
    const server = readLoaded(await this.#server.load(this.#id, 0, context));
    for (const { live } of tabs) {
      // It may have read rows of another tab and learn only later that they were sent.
      await expect.poll(() => live.state, { interval: 5 }).toEqual({ status: 'saved' });
      expect(readFiles(live.doc)).toEqual(server);
    }
    expect(await this.#server.filesOf(this.#id)).toEqual(server);
    const text = [...getTexts(server).values()].join('');
    for (const token of this.#promised) {
      const found = text.split(token).length - 1;
      if (this.#undone.has(token)) expect(found, token).toBeLessThanOrEqual(1);
      else expect(found, token).toBe(1);
    }
    for (const { live } of tabs) await live.close();
  }

  async #act(
    step: Exclude<Step, { kind: 'network' | 'look' | 'crash' }>,
    tab?: Tab,
  ): Promise<void> {
    if (!tab) return;
    if (step.kind === 'edit') this.#type(tab, step.file, step.at);
    if (step.kind === 'undo') this.#undo(tab);
    if (step.kind === 'asset') this.#replaceAsset(tab, step.digit);
    if (step.kind === 'rename') this.#renameAsset(tab, step.name);
    if (step.kind === 'flush') await this.#flush(tab);
    if (step.kind === 'settle') await this.#settle(tab);
    if (step.kind === 'send') void tab.live.retry();
    if (step.kind === 'kill' || step.kind === 'close') this.#tabs.delete(step.tab);
    if (step.kind === 'kill') tab.kill();
    if (step.kind === 'close') await this.#close(tab);
  }

  /** Renders a page on the server with the current text, or discards the rendered one. */
  async #look(device: number, isMade: boolean): Promise<void> {
    const never = new AbortController().signal;
    const context = { owner: `owner-${device}`, signal: never };
    const fault = this.#crash;
    this.#crash = undefined;
    this.#pages[device] = isMade ? await this.#server.load(this.#id, 0, context) : undefined;
    this.#crash = fault;
  }

  async #open(number: number): Promise<void> {
    const device = number % 2;
    if (this.#tabs.has(number)) return;
    const name = this.#devices[device] ?? '';
    const { parts, kill, isDead } = mortalParts(name);
    const mortal = <T>(call: () => Promise<T>): Promise<T> => {
      if (isDead()) return new Promise(() => {});
      return this.#online[device] ? call() : Promise.reject(connectionLost());
    };
    try {
      const live = await openDocumentWith(parts, {
        id: this.#id,
        kind: 'project',
        owner: `owner-${device}`,
        database: name,
        send: (call, context) => mortal(() => this.#server.send(call, context)),
        load: (id, since, context) => mortal(() => this.#server.load(id, since, context)),
        initialResponse: this.#pages[device],
      });
      this.#tabs.set(number, { live, device, typed: [], kill: () => (kill(), live.dispose()) });
      if (this.#online[device] && !this.#crash) await this.#expectKept(device, live);
    } catch (error) {
      // Offline without a local copy: the page would show an error and offer to retry.
      if (this.#online[device] && !isServerFault(error)) throw error;
    }
  }

  /** Checks that a new tab shows what its device has stored, including what another tab has sent. */
  async #expectKept(device: number, live: LiveDocument): Promise<void> {
    const kept = [...(this.#promisedOn[device] ?? [])].filter((token) => !this.#undone.has(token));
    const findMissing = () => {
      const text = [...getTexts(readFiles(live.doc)).values()].join('');
      return kept.filter((token) => !text.includes(token));
    };
    await expect.poll(findMissing, { interval: 5 }).toEqual([]);
  }

  #promise({ device }: Tab, tokens: readonly string[]): void {
    for (const token of tokens) {
      this.#promised.add(token);
      this.#promisedOn[device]?.add(token);
    }
  }

  #type(tab: Tab, file: number, at: number): void {
    const text = listTextFiles(tab.live.doc)[file]?.text;
    if (!text) throw new Error('the project has lost a file');
    const ends = [0, ...[...text.toString().matchAll(/>/g)].map(({ index }) => index + 1)];
    const token = `<${this.#tokens++}>`;
    tab.live.getUndoManager(text).addTrackedOrigin('typing');
    tab.live.doc.transact(() => text.insert(ends[at % ends.length] ?? 0, token), 'typing');
    tab.typed.push(token);
  }

  /** Adds, replaces or removes a picture. */
  #replaceAsset({ live: { doc } }: Tab, digit: string | null): void {
    const path = 'picture.png';
    const found = listFiles(doc).find((file) => file.path === path);
    if (digit === null) return found && removeFile(doc, found.id);
    const hash = digit.repeat(64);
    replaceFile(doc, path, { kind: 'asset', hash, size: 4, mediaType: 'image/png' });
  }

  /** Renames a picture, unless the name is taken. */
  #renameAsset({ live: { doc } }: Tab, name: string): void {
    const files = listFiles(doc);
    const found = files.find(({ kind }) => kind === 'asset');
    if (found && files.every(({ path }) => path.toLowerCase() !== name.toLowerCase()))
      renameFile(doc, found.id, name);
  }

  #undo(tab: Tab): void {
    for (const { text } of listTextFiles(tab.live.doc)) {
      const before = text.toString();
      tab.live.getUndoManager(text).undo();
      const after = text.toString();
      const gone = [...before.matchAll(/<\d+>/g)]
        .map(([token]) => token)
        .filter((token) => !after.includes(token));
      for (const token of gone) {
        expect(tab.typed, 'undo takes back only what this tab typed').toContain(token);
        this.#undone.add(token);
      }
    }
  }

  async #flush(tab: Tab): Promise<void> {
    const typed = [...tab.typed];
    try {
      await tab.live.flush();
    } catch (error) {
      expect(error).toMatchObject({ code: 'offline_saved_locally' });
    }
    this.#promise(tab, typed);
  }

  /** Waits until the save state settles, as a user would. */
  async #settle(tab: Tab): Promise<void> {
    const typed = [...tab.typed];
    await expect.poll(() => tab.live.state.status, { interval: 5 }).toMatch(/saved|offline/);
    this.#promise(tab, typed);
  }

  async #close(tab: Tab): Promise<void> {
    await tab.live.close();
    this.#promise(tab, tab.typed);
  }
}

/** The real database and tab channel, which stop in the middle of any work when the tab is killed. */
function mortalParts(name: string) {
  const device = openLocalDatabase(name);
  let isDead = false;
  let kill = () => {};
  const death = new Promise<void>((resolve) => {
    kill = () => {
      isDead = true;
      resolve();
    };
  });
  const parts: Parameters<typeof openDocumentWith>[0] = {
    database: { run: (work) => (isDead ? new Promise(() => {}) : device.run(work)) },
    openTabChannel: (channel, onMessage) => {
      const tabs = openTabChannel(`${name} ${channel}`, (message) => isDead || onMessage(message));
      return {
        ...tabs,
        runExclusively: (work) => tabs.runExclusively(() => Promise.race([work(), death])),
      };
    },
  };
  return { parts, kill, isDead: () => isDead };
}

/** Whether an error is one of the faults injected by the test. */
function isServerFault(error: unknown): boolean {
  return (
    error instanceof VitrineError &&
    ['server_unreachable', 'backend_unreachable'].includes(error.code)
  );
}

/** Another tab's asset is removed in this one before its saved update has come. */
const removedBeforeItCame: Step[] = [
  { kind: 'asset', tab: 1, digit: 'a' },
  { kind: 'asset', tab: 0, digit: 'a' },
  { kind: 'asset', tab: 1, digit: null },
];

/** A picture gets two names at the same time, each of which one of the devices has never seen. */
const renamedTwice: Step[] = [
  { kind: 'asset', tab: 0, digit: 'a' },
  { kind: 'flush', tab: 0 },
  { kind: 'send', tab: 1 },
  { kind: 'settle', tab: 1 },
  { kind: 'rename', tab: 0, name: 'photo.png' },
  { kind: 'rename', tab: 1, name: 'photo.png' },
];

/** Runs random edits by several users, `runs` times. */
async function editAtRandom(server: ProjectServer, runs: number): Promise<void> {
  const steps = fc.array(step, { maxLength: 40, size: 'max' });
  const property = fc.asyncProperty(steps, async (taken) => {
    const world = new World(server, await server.add({ 'a.js': '', 'b.css': '' }));
    await world.take({ kind: 'open', tab: 0 });
    await world.take({ kind: 'open', tab: 1 });
    for (const each of taken) await world.take(each);
    await world.finish();
  });
  await fc.assert(property, { numRuns: runs, examples: [[removedBeforeItCame], [renamedTwice]] });
}

describe('everything shown as saved is in every replica exactly once at the end', () => {
  test('on a model of the server', { timeout: 60_000 }, () => editAtRandom(new ServerModel(), 60));

  test('on PostgreSQL', { timeout: 60_000 }, async () => {
    const server = await DatabaseServer.open();
    try {
      await editAtRandom(server, 20);
    } finally {
      await server.close();
    }
  });
});
