import {
  createFile,
  getTexts,
  listFiles,
  listTextFiles,
  readFiles,
  replaceFile,
  removeFile,
  renameFile,
  type AssetFile,
} from '@vitrine/project';
import 'fake-indexeddb/auto';
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import * as Y from 'yjs';
import { openLocalDatabase, getProjectScope, type LocalDatabase } from '../src/local-database.ts';
import { createId, toUuid } from '../src/ids.ts';
import {
  areUnsavedChangesOpen,
  openDraftStore,
  sendPendingUpdates,
  waitUntilUnsavedChangesClosed,
  type OpenDocumentOptions,
  type SendUpdates,
} from '../src/index.ts';
import { openDocumentWith, type LiveDocument } from '../src/live-document.ts';
import { openTabChannel } from '../src/tab-channel.ts';
import { connectionLost, ServerModel } from './server-model.ts';

let server: ServerModel;
let database: string;
let project: string;
const opened: LiveDocument[] = [];

beforeEach(() => {
  server = new ServerModel();
  database = `device ${createId()}`;
  project = server.add({ 'index.html': '<p>', 'style.css': 'p {}' });
});

afterEach(() => {
  for (const live of opened.splice(0)) live.dispose();
});

async function open(
  options: Partial<OpenDocumentOptions> = {},
  device?: LocalDatabase,
): Promise<LiveDocument> {
  const name = options.database ?? database;
  const live = await openDocumentWith(
    {
      database: device ?? openLocalDatabase(name),
      openTabChannel: (channel, onMessage) => openTabChannel(`${name} ${channel}`, onMessage),
    },
    {
      id: project,
      kind: 'project',
      owner: 'ada',
      send: server.send,
      load: server.load,
      database: name,
      ...options,
    },
  );
  opened.push(live);
  return live;
}

function textOf(live: LiveDocument, path = 'style.css'): Y.Text {
  const file = listTextFiles(live.doc).find((candidate) => candidate.path === path);
  if (!file) throw new Error(`there is no ${path}`);
  return file.text;
}

async function whenState(live: LiveDocument, status: string): Promise<void> {
  await expect.poll(() => live.state.status, { interval: 5, timeout: 5_000 }).toBe(status);
}

function rowsOnDevice(name = database): Promise<{ scope: string; update: Uint8Array }[]> {
  return openLocalDatabase(name).run((transaction) => transaction.objectStore('outbox').getAll());
}

async function copiesOnDevice(): Promise<number> {
  return openLocalDatabase(database).run((transaction) =>
    transaction.objectStore('copies').count(),
  );
}

/** Crashes a tab: it writes, sends and broadcasts nothing more. */
function crash(live: LiveDocument): void {
  live.dispose();
}

const png: AssetFile = { kind: 'asset', hash: 'a'.repeat(64), size: 4, mediaType: 'image/png' };

/** Calls the server like a build that reads format 1, which sees no assets. */
const sendLikeOlderBuild: SendUpdates = (call, context) => {
  const changed = call.changed.filter((file) => 'content' in file);
  return server.send({ ...call, changed, format: 1 }, context);
};

/** Renames a file in one document. */
function rename({ doc }: LiveDocument, path: string, to: string): void {
  const file = listFiles(doc).find((candidate) => candidate.path === path);
  if (!file) throw new Error(`there is no ${path}`);
  renameFile(doc, file.id, to);
}

describe('the paths of files on the server are those of the document', () => {
  test('after two users have renamed a file at once, whoever saves first', async () => {
    for (const [first, second] of [
      [0, 1],
      [1, 0],
    ] as const) {
      project = server.add({ 'index.html': '<p>', 'style.css': 'p {}' });
      const both = [await open(), await open({ owner: 'bob', database: createId() })] as const;
      // Of two concurrent changes, that of the higher id is kept.
      for (const [index, { doc }] of both.entries()) doc.clientID = index + 1;
      rename(both[0], 'style.css', 'ada.css');
      rename(both[1], 'style.css', 'bob.css');
      await both[first].flush();
      await both[second].flush();
      expect(server.filesOf(project)).toEqual(server.textOf(project));
      expect([...server.filesOf(project).keys()]).toEqual(['index.html', 'bob.css']);
    }
  });

  test('after a file is renamed whose save got no response', async () => {
    const live = await open();
    createFile(live.doc, 'a.css', 'a {}');
    server.findFault = () => 'crash after commit';
    await expect(live.flush()).rejects.toMatchObject({ code: 'offline_saved_locally' });
    server.findFault = () => undefined;
    rename(live, 'a.css', 'b.css');
    await live.flush();
    expect(server.filesOf(project)).toEqual(server.textOf(project));
  });

  test('after a name that two users chose at once is free again', async () => {
    const bob = await open({ owner: 'bob', database: createId() });
    const ada = await open();
    createFile(ada.doc, 'new.js', 'ada');
    createFile(bob.doc, 'new.js', 'bob');
    await bob.flush();
    await ada.flush();
    expect([...server.filesOf(project).keys()]).toContain('new (2).js');
    rename(bob, 'new.js', 'bob.js');
    await bob.flush();
    expect(server.filesOf(project)).toEqual(server.textOf(project));
  });
});

describe('an asset', () => {
  test('is saved with the update that adds it, and not again with later edits', async () => {
    const live = await open();
    createFile(live.doc, 'a.png', png);
    await live.flush();
    expect(server.filesOf(project).get('a.png')).toEqual(png);
    textOf(live).insert(0, 'x');
    await live.flush();
    expect(server.calls.map(({ changed }) => changed.map(({ path }) => path))).toEqual([
      ['a.png'],
      ['style.css'],
    ]);
  });

  test('is saved when it is replaced, renamed or removed', async () => {
    const live = await open();
    createFile(live.doc, 'a.png', png);
    await live.flush();
    replaceFile(live.doc, 'a.png', { ...png, hash: 'b'.repeat(64) });
    replaceFile(live.doc, 'style.css', { ...png, mediaType: 'text/css' });
    await live.flush();
    expect(server.filesOf(project)).toEqual(readFiles(live.doc));
    for (const { id } of listFiles(live.doc)) removeFile(live.doc, id);
    await live.flush();
    expect(server.filesOf(project).size).toBe(0);
  });

  test('is in a draft, in the project that the draft becomes, and in unsaved changes', async () => {
    const store = openDraftStore({ owner: 'ada', database });
    const draft = await store.create({
      title: 'One',
      files: [
        ['a.js', ''],
        ['a.png', png],
      ],
    });
    expect((await store.readFiles(draft.id)).get('a.png')).toEqual(png);
    const live = await open({ id: draft.id, kind: 'draft' });
    const { id } = await live.convertToProject(server.create);
    expect(server.filesOf(id)).toEqual(readFiles(live.doc));
    expect(server.filesOf(id).get('a.png')).toEqual(png);
  });

  test('makes a page of an older build reload before it can save again', async () => {
    const older = await open({ database: createId(), send: sendLikeOlderBuild });
    const live = await open();
    createFile(live.doc, 'a.png', png);
    await live.flush();
    const before = new Map(server.filesOf(project));
    textOf(older).insert(0, 'older ');
    await expect(older.flush()).rejects.toMatchObject({ code: 'save_refused' });
    expect(server.filesOf(project)).toEqual(before);
  });

  test('is saved again after an older build has sent its update without it', async () => {
    const live = await open();
    server.findFault = () => 'offline';
    createFile(live.doc, 'a.png', png);
    await expect(live.flush()).rejects.toMatchObject({ code: 'offline_saved_locally' });
    crash(live);
    server.findFault = () => undefined;
    const older = await open({ send: sendLikeOlderBuild });
    await older.flush();
    expect(server.filesOf(project).has('a.png')).toBe(false);
    await older.close();
    const again = await open();
    textOf(again).insert(0, 'x');
    await again.flush();
    expect(server.filesOf(project)).toEqual(readFiles(again.doc));
    expect(server.filesOf(project).get('a.png')).toEqual(png);
  });

  test('that an older build has saved at a path where the document has none is removed', async () => {
    server.projects.get(project)?.files.set('stale.png', png);
    const live = await open();
    textOf(live).insert(0, 'x');
    await live.flush();
    expect(server.filesOf(project).has('stale.png')).toBe(false);
  });
});

test('a draft that an older build stored opens, and takes assets', async () => {
  // A state with "index.html" and "lib/a.js", as builds before assets wrote it.
  const state = Buffer.from(
    'AQ2dxv6PCgAnAQVmaWxlcxMwbXd4Z2o1aDVidWkyc2VneG0yASgAncb+jwoABHBhdGgBdwppbmRleC5odG1sJwCdxv6PCgAEdGV4dAIEAJ3G/o8KAg48aDE+SGVsbG88L2gxPicBBWZpbGVzEzBtd3hnajVoYmgyMW5leDE5ajkBKACdxv6PChEEcGF0aAF3CGxpYi9hLmpzJwCdxv6PChEEdGV4dAIEAJ3G/o8KEwZsZXQgYTsnAQVmaWxlcxMwbXd4Z2o1aGNjaW1oNmo0aXc2ASgAncb+jwoaBHBhdGgBdwdvbGQudHh0JwCdxv6PChoEdGV4dAIEAJ3G/o8KHANvbGQoAJ3G/o8KGgdyZW1vdmVkAX0DAA==',
    'base64',
  );
  const id = createId();
  await openLocalDatabase(database).run(async (transaction) => {
    await transaction.objectStore('copies').put({
      scope: `draft ${id}`,
      state: Uint8Array.from(state),
      sha256: createHash('sha256').update(state).digest('hex'),
      revision: 1,
    });
    await transaction.objectStore('drafts').put({
      id,
      owner: null,
      title: 'Old',
      createdAt: 0,
      updatedAt: 0,
      forkedFrom: null,
    });
  });
  const live = await open({ id, kind: 'draft' });
  createFile(live.doc, 'a.png', png);
  await live.close();
  const files = await openDraftStore({ owner: null, database }).readFiles(id);
  expect(Object.fromEntries(files)).toEqual({
    'a.png': png,
    'index.html': { kind: 'text', text: '<h1>Hello</h1>' },
    'lib/a.js': { kind: 'text', text: 'let a;' },
  });
});

describe('a document in a later format', () => {
  const makeLater = () => {
    const stored = server.projects.get(project);
    if (stored) stored.format = 3;
  };

  test('isn’t opened', async () => {
    makeLater();
    await expect(open()).rejects.toMatchObject({ code: 'reload_required' });
  });

  test('rejects saves of an open page, whose edits stay on the device', async () => {
    const live = await open();
    makeLater();
    textOf(live).insert(0, 'x');
    await expect(live.flush()).rejects.toMatchObject({ code: 'reload_required' });
    expect(live.state).toMatchObject({ status: 'rejected', code: 'reload_required' });
    expect(await rowsOnDevice()).toHaveLength(1);
    expect(getTexts(server.filesOf(project)).get('style.css')).toBe('p {}');
  });
});

describe('a project edit', () => {
  test('is stored on the device before it is sent, and removed once acknowledged', async () => {
    const onDeviceWhenSent: number[] = [];
    const live = await open({
      send: async (call, context) => {
        onDeviceWhenSent.push((await rowsOnDevice()).length);
        return server.send(call, context);
      },
    });
    textOf(live).insert(0, 'a {}');
    expect(live.state.status).toBe('saving');
    await whenState(live, 'saved');
    expect(onDeviceWhenSent).toEqual([1]);
    expect(await rowsOnDevice()).toEqual([]);
    expect(getTexts(server.filesOf(project)).get('style.css')).toBe('a {}p {}');
  });

  test('is on the device within 250 ms and sent within a second', async () => {
    const live = await open();
    const start = performance.now();
    textOf(live).insert(0, 'a');
    await expect.poll(async () => (await rowsOnDevice()).length, { interval: 5 }).toBe(1);
    expect(performance.now() - start).toBeLessThan(250);
    await expect.poll(() => server.calls.length, { interval: 5, timeout: 2_000 }).toBe(1);
    expect(performance.now() - start).toBeLessThan(1_000);
  });

  test('made during a save is sent after a pause in typing, not after each response', async () => {
    const sentAt: number[] = [];
    const live = await open({
      send: (call, context) => {
        sentAt.push(performance.now());
        if (sentAt.length < 3) textOf(live).insert(0, 'b');
        return server.send(call, context);
      },
    });
    textOf(live).insert(0, 'a');
    await whenState(live, 'saved');
    expect(getTexts(server.filesOf(project)).get('style.css')).toBe('bbap {}');
    const [first = 0, second = 0, third = 0] = sentAt;
    expect(Math.min(second - first, third - second)).toBeGreaterThan(300);
  });

  test('made during a save is sent before the document is closed', async () => {
    const live = await open({
      send: (call, context) => {
        if (server.calls.length === 0) {
          textOf(live).insert(0, 'b');
          closed = live.close();
        }
        return server.send(call, context);
      },
    });
    let closed: Promise<void> | undefined;
    textOf(live).insert(0, 'a');
    await expect.poll(() => closed !== undefined, { interval: 5, timeout: 2_000 }).toBe(true);
    await closed;
    expect(getTexts(server.filesOf(project)).get('style.css')).toBe('bap {}');
  });

  test('that another tab sent after the page was rendered is shown when the page opens', async () => {
    const first = await open();
    textOf(first).insert(0, 'a {}');
    const signal = new AbortController().signal;
    const loaded = await server.load(project, 0, { owner: 'ada', signal });
    await first.flush();
    await first.close();
    const second = await open({ initialResponse: loaded });
    await expect.poll(() => textOf(second).toString(), { interval: 5 }).toBe('a {}p {}');
  });

  test('undone after another tab has sent it is removed from the stored files too', async () => {
    const first = await open();
    server.findFault = () => 'offline';
    textOf(first).insert(0, 'a {}');
    await whenState(first, 'offline');
    server.findFault = () => undefined;
    const second = await open();
    await second.flush();
    textOf(first).delete(0, 4);
    await first.flush();
    expect(getTexts(server.textOf(project)).get('style.css')).toBe('p {}');
    expect(getTexts(server.filesOf(project)).get('style.css')).toBe('p {}');
  });

  test('sent by another tab is loaded together with the updates it was merged with', async () => {
    const first = await open({ send: () => Promise.reject(connectionLost()) });
    const elsewhere = await open({ database: `device ${createId()}` });
    textOf(elsewhere).insert(0, 'b {}');
    await elsewhere.flush();
    textOf(first).insert(4, ' /* a */');
    await whenState(first, 'offline');
    const second = await open();
    await second.flush();
    // It retries after the pause that follows a failure.
    await expect
      .poll(() => textOf(first).toString(), { interval: 5, timeout: 5_000 })
      .toBe('b {}p {} /* a */');
    await whenState(first, 'saved');
  });

  test('is sent with the changed and removed files only', async () => {
    const live = await open();
    const html = textOf(live, 'index.html');
    html.insert(0, '<b>');
    createFile(live.doc, 'a.js', '');
    await live.flush();
    expect(server.calls.at(-1)?.changed.map(({ path }) => path)).toEqual(['a.js', 'index.html']);
    live.doc.getMap('files').forEach((_entry, id) => {
      if (listFiles(live.doc).some((file) => file.id === id && file.path === 'a.js')) {
        live.doc.getMap('files').delete(id);
      }
    });
    await live.flush();
    expect(server.calls.at(-1)?.removed).toEqual(['a.js']);
    expect(server.filesOf(project)).toEqual(readFiles(live.doc));
  });

  test('is stored once when its response was lost', async () => {
    const faults = ['crash after commit', 'crash after commit'] as const;
    let call = 0;
    const live = await open();
    server.findFault = () => faults[call++];
    textOf(live).insert(0, 'x');
    await expect(live.flush()).rejects.toMatchObject({ code: 'offline_saved_locally' });
    textOf(live).insert(0, 'y');
    await expect(live.flush()).rejects.toMatchObject({ code: 'offline_saved_locally' });
    await live.flush();
    expect(server.projects.get(project)?.log).toHaveLength(2);
    expect(getTexts(server.textOf(project)).get('style.css')).toBe('yxp {}');
  });

  test('sent twice does not mark a newer text as stored', async () => {
    const live = await open();
    const offline = () => Promise.reject(connectionLost());
    const other = await open({ send: offline });
    server.findFault = () => 'crash after commit';
    textOf(live).insert(0, 'one ');
    await expect(live.flush()).rejects.toMatchObject({ code: 'offline_saved_locally' });
    server.findFault = () => undefined;
    textOf(other).insert(0, 'two ');
    await expect(other.flush()).rejects.toMatchObject({ code: 'offline_saved_locally' });
    await expect.poll(() => textOf(live).toString()).toContain('two ');
    await live.flush();
    expect(getTexts(server.textOf(project)).get('style.css')).toContain('two ');
    expect(server.filesOf(project)).toEqual(server.textOf(project));
  });

  test('does not hide updates of others when its response was lost', async () => {
    const live = await open();
    const other = await open({ database: `${database} elsewhere`, owner: 'ben' });
    let isLost = true;
    server.findFault = () => (isLost ? 'crash after commit' : undefined);
    textOf(live).insert(0, 'mine');
    await expect(live.flush()).rejects.toMatchObject({ code: 'offline_saved_locally' });
    isLost = false;
    textOf(other).insert(0, 'theirs');
    await other.flush();
    await live.flush();
    await live.refresh();
    expect(readFiles(live.doc)).toEqual(server.textOf(project));
    textOf(live).insert(0, '!');
    await live.flush();
    expect(server.filesOf(project)).toEqual(server.textOf(project));
  });

  test('that undoes a just saved edit of another user reaches the stored files', async () => {
    const live = await open();
    const other = await open({ database: `${database} elsewhere`, owner: 'ben' });
    textOf(other).insert(0, 'theirs');
    await other.flush();
    await live.refresh();
    textOf(live).delete(0, 'theirs'.length);
    await live.flush();
    expect(getTexts(server.filesOf(project)).get('style.css')).toBe('p {}');
  });

  test('acknowledged after a concurrent save of another user reaches the stored files', async () => {
    const answered = Promise.withResolvers<void>();
    const committed = Promise.withResolvers<void>();
    const live = await open({
      send: async (...call) => {
        const answer = await server.send(...call);
        committed.resolve();
        await answered.promise;
        return answer;
      },
    });
    const other = await open({ database: `${database} elsewhere`, owner: 'ben' });
    textOf(live).insert(0, 'mine');
    const sent = live.flush();
    await committed.promise;
    textOf(other).insert(0, 'theirs');
    await other.flush();
    const followed = live.refresh();
    // Long enough for the update to be applied if it did not wait.
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    answered.resolve();
    await Promise.all([sent, followed]);
    textOf(live).delete(textOf(live).toString().indexOf('theirs'), 'theirs'.length);
    await live.flush();
    expect(server.filesOf(project)).toEqual(server.textOf(project));
  });

  test('is not loaded again after a notification about it', async () => {
    let loads = 0;
    const live = await open({
      load: (...call) => {
        loads++;
        return server.load(...call);
      },
    });
    const other = await open({ database: `${database} elsewhere`, owner: 'ben' });
    textOf(live).insert(0, 'mine');
    await live.flush();
    const before = loads;
    await live.refresh(1);
    expect(loads).toBe(before);
    textOf(other).insert(0, 'theirs');
    await other.flush();
    await live.refresh(2);
    expect(readFiles(live.doc)).toEqual(server.textOf(project));
    await live.refresh(2);
    expect(loads).toBe(before + 1);
  });

  test('made by an observer during a remote update is stored as well', async () => {
    const live = await open();
    const other = await open({ database: `${database} elsewhere`, owner: 'ben' });
    const html = textOf(live, 'index.html');
    let isDone = false;
    textOf(live).observe(() => {
      if (!isDone) html.insert(0, 'counted');
      isDone = true;
    });
    textOf(other).insert(0, 'theirs');
    await other.flush();
    await live.refresh();
    await live.flush();
    expect(getTexts(server.textOf(project)).get('index.html')).toBe('counted<p>');
  });
});

describe('when saving does not work', () => {
  test('edits stay on this device, survive a crash, and are sent when the server is back', async () => {
    const live = await open();
    server.findFault = () => 'offline';
    textOf(live).insert(0, 'x');
    await whenState(live, 'offline');
    textOf(live).insert(0, 'y');
    await expect(live.flush()).rejects.toMatchObject({ code: 'offline_saved_locally' });
    await expect.poll(copiesOnDevice).toBe(1);
    crash(live);
    const again = await open();
    expect(textOf(again).toString()).toBe('yxp {}');
    await whenState(again, 'offline');
    server.findFault = () => undefined;
    await again.retry();
    expect(again.state.status).toBe('saved');
    expect(getTexts(server.filesOf(project)).get('style.css')).toBe('yxp {}');
    await expect.poll(copiesOnDevice).toBe(0);
    expect(await rowsOnDevice()).toEqual([]);
  });

  test('sending is retried automatically after a second', async () => {
    const live = await open();
    let failures = 1;
    server.findFault = () => (failures-- > 0 ? 'crash before commit' : undefined);
    textOf(live).insert(0, 'x');
    await whenState(live, 'offline');
    await whenState(live, 'saved');
  });

  test('a rejected save reports its code, keeps the edits, and recovers when the cause is gone', async () => {
    const live = await open();
    server.refusal = 'not_allowed';
    textOf(live).insert(0, 'x');
    await expect(live.flush()).rejects.toMatchObject({ code: 'not_allowed' });
    expect(live.state).toMatchObject({ status: 'rejected', code: 'not_allowed' });
    expect(await rowsOnDevice()).toHaveLength(1);
    server.refusal = undefined;
    await live.retry();
    expect(live.state.status).toBe('saved');
  });

  test('a device that can’t store edits is reported, and the server still gets them', async () => {
    const broken: LocalDatabase = {
      run: () => Promise.reject(new DOMException('', 'QuotaExceededError')),
    };
    const live = await open({}, broken);
    const states: string[] = [];
    live.subscribe(() => states.push(live.state.status));
    textOf(live).insert(0, 'x');
    await live.flush();
    expect(states).toContain('not-stored');
    expect(live.canSaveLocally).toBe(false);
    expect(live.state.status).toBe('saved');
    expect(getTexts(server.filesOf(project)).get('style.css')).toBe('xp {}');
  });

  test('a device that recovers stores the edits it had missed', async () => {
    const real = openLocalDatabase(database);
    let isFull = true;
    const device: LocalDatabase = {
      run: (work) => (isFull ? Promise.reject(new Error('full')) : real.run(work)),
    };
    server.findFault = () => undefined;
    const live = await open({}, device);
    server.findFault = () => 'offline';
    textOf(live).insert(0, 'x');
    await whenState(live, 'not-stored');
    isFull = false;
    textOf(live).insert(0, 'y');
    await whenState(live, 'offline');
    crash(live);
    server.findFault = () => undefined;
    expect(textOf(await open()).toString()).toBe('yxp {}');
  });
});

describe('a damaged update', () => {
  test('on the device is quarantined and reported, and the rest opens', async () => {
    const live = await open();
    server.findFault = () => 'offline';
    textOf(live).insert(0, 'x');
    await whenState(live, 'offline');
    await expect.poll(copiesOnDevice).toBe(1);
    crash(live);
    await openLocalDatabase(database).run(async (transaction) => {
      const store = transaction.objectStore('outbox');
      for (const row of await store.getAll()) {
        row.update[3] = (row.update[3] ?? 0) ^ 1;
        await store.put(row);
      }
      await transaction.objectStore('copies').clear();
    });
    server.findFault = () => undefined;
    const again = await open();
    expect(again.damagedUpdates).toMatchObject([{ where: 'device', reason: /checksum/ }]);
    expect(textOf(again).toString()).toBe('p {}');
    textOf(again).insert(0, 'z');
    await again.flush();
    expect(getTexts(server.filesOf(project)).get('style.css')).toBe('zp {}');
  });

  test('on the device does not hold back the edits after it', async () => {
    const live = await open();
    server.findFault = () => 'offline';
    for (const text of ['1', '2', '3']) {
      textOf(live, text === '2' ? 'index.html' : 'style.css').insert(0, text);
      await expect(live.flush()).rejects.toMatchObject({ code: 'offline_saved_locally' });
    }
    await expect.poll(copiesOnDevice).toBe(1);
    crash(live);
    await openLocalDatabase(database).run(async (transaction) => {
      const store = transaction.objectStore('outbox');
      const row = (await store.getAll())[0];
      if (!row) throw new Error('nothing is on the device');
      row.update[3] = (row.update[3] ?? 0) ^ 1;
      await store.put(row);
    });
    server.findFault = () => undefined;
    const again = await open();
    await again.flush();
    expect(again.state.status).toBe('saved');
    expect(await rowsOnDevice()).toEqual([]);
    expect(server.projects.get(project)?.log).toHaveLength(2);
  });

  test('on the server is skipped and reported, and the rest opens', async () => {
    const live = await open();
    textOf(live, 'index.html').insert(0, 'x');
    await live.flush();
    const entry = server.projects.get(project)?.log[0];
    if (!entry) throw new Error('nothing was stored');
    entry.update = Buffer.from('AcCU3g8FAA==', 'base64').toString('base64');
    const again = await open({ database: `${database} elsewhere` });
    expect(again.damagedUpdates).toMatchObject([{ where: 'server', reason: /checksum/ }]);
    expect(textOf(again).toString()).toBe('p {}');
  });
});

describe('users who share a browser', () => {
  test('never send or see each other’s edits', async () => {
    const ada = await open();
    server.findFault = () => 'offline';
    textOf(ada).insert(0, 'private');
    await whenState(ada, 'offline');
    await ada.close();
    server.findFault = () => undefined;
    const ben = await open({ owner: 'ben' });
    expect(textOf(ben).toString()).toBe('p {}');
    textOf(ben).insert(0, 'b');
    await ben.close();
    expect(getTexts(server.textOf(project)).get('style.css')).toBe('bp {}');
    expect(
      await sendPendingUpdates({ owner: 'ben', send: server.send, load: server.load, database }),
    ).toEqual([]);
    expect(getTexts(server.textOf(project)).get('style.css')).toBe('bp {}');
    const owners: string[] = [];
    const left = await sendPendingUpdates({
      owner: 'ada',
      send: (call, context) => (owners.push(context.owner), server.send(call, context)),
      load: server.load,
      database,
    });
    expect(left).toEqual([]);
    expect(new Set(owners)).toEqual(new Set(['ada']));
    expect(getTexts(server.textOf(project)).get('style.css')).toContain('private');
  });
});

describe('a user who may not save to a project', () => {
  const visit = (owner: string | null = null, device?: LocalDatabase) => {
    const unsavedOf = { project, slug: 'slug', title: 'Hers', owner };
    return open({ owner, send: undefined as never, unsavedOf }, device);
  };
  const store = (owner: string | null = null) => openDraftStore({ owner, database });

  test('has edits stored on the device from the first one on, and not listed among drafts', async () => {
    const live = await visit();
    expect(live.state.status).toBe('saved');
    expect(await store().listUnsavedChanges()).toEqual([]);
    textOf(live).insert(0, 'x');
    expect(live.state.status).toBe('unsaved');
    await live.flush();
    textOf(live).insert(1, 'y');
    await live.flush();
    crash(live);
    expect(server.calls).toEqual([]);
    expect(await store().list()).toEqual([]);
    const [unsaved, ...others] = await store().listUnsavedChanges();
    expect(others).toEqual([]);
    expect(unsaved).toMatchObject({ project, slug: 'slug', title: 'Hers' });
    const files = await store().readFiles(unsaved?.id ?? '');
    expect([...getTexts(files)]).toEqual([
      ['index.html', '<p>'],
      ['style.css', 'xyp {}'],
    ]);
  });

  test('receives updates of others until the first edit, and none after it', async () => {
    const [live, ada] = [await visit('vic'), await open()];
    textOf(ada).insert(0, '1');
    await ada.flush();
    await live.refresh();
    expect(textOf(live).toString()).toBe('1p {}');
    textOf(live).insert(0, 'mine');
    textOf(ada).insert(0, '2');
    await ada.flush();
    await live.refresh();
    expect(textOf(live).toString()).toBe('mine1p {}');
  });

  test('does not see unsaved changes of another signed-in user', async () => {
    const live = await visit('vic');
    textOf(live).insert(0, 'x');
    await live.close();
    expect(await store('vic').listUnsavedChanges()).toHaveLength(1);
    expect(await store('ben').listUnsavedChanges()).toEqual([]);
    expect(await store().listUnsavedChanges()).toEqual([]);
  });

  test('can turn the changes into a draft, and that into a project', async () => {
    const live = await visit();
    textOf(live).insert(0, 'x');
    const id = (await live.detachUnsavedChanges()) ?? '';
    await store('vic').convertToDraft(id);
    expect(await store('vic').listUnsavedChanges()).toEqual([]);
    expect(await store('vic').list()).toMatchObject([{ id, title: 'Hers', forkedFrom: project }]);
    const draft = await open({ id, kind: 'draft', owner: 'vic' });
    const created = await draft.convertToProject(server.create);
    expect(getTexts(server.filesOf(created.id)).get('style.css')).toBe('xp {}');
  });

  test('starts new changes with the first edit after detaching', async () => {
    const live = await visit();
    textOf(live).insert(0, 'x');
    const first = await live.detachUnsavedChanges();
    expect(live.state.status).toBe('saved');
    textOf(live).insert(0, 'y');
    await live.flush();
    expect(live.unsavedId).not.toBe(first);
    expect(await store().listUnsavedChanges()).toHaveLength(2);
  });

  test('can restore discarded changes', async () => {
    const live = await visit();
    textOf(live).insert(0, 'x');
    const id = (await live.detachUnsavedChanges()) ?? '';
    const restore = await store().remove(id);
    expect(await store().listUnsavedChanges()).toEqual([]);
    await restore();
    expect((await store().listUnsavedChanges()).map((one) => one.id)).toEqual([id]);
    expect(getTexts(await store().readFiles(id)).get('style.css')).toBe('xp {}');
  });

  test('finds changes in use while a tab edits them, and unused once it is closed', async () => {
    const live = await visit();
    textOf(live).insert(0, 'x');
    const id = live.unsavedId ?? '';
    expect(await areUnsavedChangesOpen(id)).toBe(true);
    const unused = waitUntilUnsavedChangesClosed(id, AbortSignal.timeout(5_000));
    await live.close();
    await unused;
    expect(await areUnsavedChangesOpen(id)).toBe(false);
  });

  test('stores changes again with the next edit after another tab removed them', async () => {
    const live = await visit();
    textOf(live).insert(0, 'x');
    await live.flush();
    await store().remove(live.unsavedId ?? '');
    textOf(live).insert(0, 'y');
    await live.flush();
    crash(live);
    const [unsaved] = await store().listUnsavedChanges();
    expect(getTexts(await store().readFiles(unsaved?.id ?? '')).get('style.css')).toBe('yxp {}');
  });

  test('has many edits compacted into one complete copy', async () => {
    const live = await visit();
    for (let round = 0; round < 210; round++) {
      textOf(live).insert(0, 'x');
      await live.flush();
    }
    expect((await rowsOnDevice()).length).toBeLessThan(200);
    const [unsaved] = await store().listUnsavedChanges();
    const files = await store().readFiles(unsaved?.id ?? '');
    expect(getTexts(files).get('style.css')).toBe(`${'x'.repeat(210)}p {}`);
  });

  test('is warned if the device can’t store edits, and has them stored once it can', async () => {
    const real = openLocalDatabase(database);
    let isFull = true;
    const live = await visit(null, {
      run: (work) => (isFull ? Promise.reject(new Error('full')) : real.run(work)),
    });
    textOf(live).insert(0, 'x');
    await whenState(live, 'not-stored');
    await expect(live.flush()).rejects.toMatchObject({ code: 'not_kept' });
    await expect(live.detachUnsavedChanges()).rejects.toMatchObject({ code: 'not_kept' });
    isFull = false;
    textOf(live).insert(0, 'y');
    await live.flush();
    expect(live.state.status).toBe('unsaved');
    const [unsaved] = await store().listUnsavedChanges();
    expect(getTexts(await store().readFiles(unsaved?.id ?? '')).get('style.css')).toBe('yxp {}');
  });
});

describe('tabs of one browser', () => {
  test('see each other’s edits, and send each of them once', async () => {
    const [one, two] = [await open(), await open()];
    textOf(one).insert(0, '1');
    textOf(two, 'index.html').insert(0, '2');
    await expect.poll(() => textOf(two).toString()).toBe('1p {}');
    await expect.poll(() => textOf(one, 'index.html').toString()).toBe('2<p>');
    await Promise.all([one.flush(), two.flush()]);
    await whenState(one, 'saved');
    await whenState(two, 'saved');
    expect(server.projects.get(project)?.log).toHaveLength(2);
    expect(server.filesOf(project)).toEqual(readFiles(one.doc));
  });

  test('send the pending updates of a killed tab', async () => {
    const [one, two] = [await open(), await open()];
    textOf(one).insert(0, '1');
    await expect.poll(async () => (await rowsOnDevice()).length, { interval: 5 }).toBe(1);
    crash(one);
    await expect.poll(() => server.calls.length, { timeout: 2_000 }).toBe(1);
    await whenState(two, 'saved');
    expect(getTexts(server.filesOf(project)).get('style.css')).toBe('1p {}');
  });
});

test('undo reverts only edits of this tab', async () => {
  const [one, two] = [
    await open(),
    await open({ database: `${database} elsewhere`, owner: 'ben' }),
  ];
  const text = textOf(one);
  one.getUndoManager(text).addTrackedOrigin('typing');
  one.doc.transact(() => text.insert(0, 'mine '), 'typing');
  await one.flush();
  await two.refresh();
  textOf(two).insert(5, 'theirs ');
  await two.flush();
  await one.refresh();
  one.getUndoManager(text).undo();
  expect(text.toString()).toBe('theirs p {}');
  await one.flush();
  expect(getTexts(server.textOf(project)).get('style.css')).toBe('theirs p {}');
});

describe('a draft', () => {
  const files: [string, string][] = [['a.js', 'let a;']];
  const draftOptions = (id: string): Partial<OpenDocumentOptions> => ({ id, kind: 'draft' });

  test('survives a crash right after it is shown as saved', async () => {
    const draft = await openDraftStore({ owner: 'ada', database }).create({ title: 'One', files });
    const live = await open(draftOptions(draft.id));
    textOf(live, 'a.js').insert(6, ' let b;');
    expect(live.state.status).toBe('saving');
    await whenState(live, 'draft-saved-locally');
    crash(live);
    expect(textOf(await open(draftOptions(draft.id)), 'a.js').toString()).toBe('let a; let b;');
  });

  test('stays complete in two tabs that both edit and compact it', async () => {
    const draft = await openDraftStore({ owner: null, database }).create({ title: 'One', files });
    const [one, two] = [await open(draftOptions(draft.id)), await open(draftOptions(draft.id))];
    textOf(one, 'a.js').insert(0, '1');
    textOf(two, 'a.js').insert(0, '2');
    await Promise.all([one.close(), two.close()]);
    const text = textOf(await open(draftOptions(draft.id)), 'a.js').toString();
    expect([...text].sort().join('')).toBe([...'12let a;'].sort().join(''));
  });

  test('with many edits in two tabs is compacted into one complete copy', async () => {
    const draft = await openDraftStore({ owner: null, database }).create({ title: 'One', files });
    const tabs = [await open(draftOptions(draft.id)), await open(draftOptions(draft.id))];
    for (let round = 0; round < 210; round++) {
      for (const live of tabs) {
        textOf(live, 'a.js').insert(0, 'x');
        await live.flush();
      }
    }
    for (const live of tabs) await live.close();
    expect((await rowsOnDevice()).length).toBeLessThan(420);
    const again = await open(draftOptions(draft.id));
    expect(textOf(again, 'a.js').toString()).toBe(`${'x'.repeat(420)}let a;`);
  });

  test('is as old as its last edit, also once it is compacted', async () => {
    const store = openDraftStore({ owner: null, database });
    const draft = await store.create({ title: 'One', files });
    const live = await open(draftOptions(draft.id));
    textOf(live, 'a.js').insert(0, '1');
    await live.flush();
    const [edited] = await store.list();
    await vi.waitUntil(() => Date.now() > (edited?.updatedAt.getTime() ?? 0), { interval: 1 });
    await live.close();
    expect(await rowsOnDevice()).toEqual([]);
    expect(await store.list()).toEqual([edited]);
  });

  test('is listed only for its owner, and can be claimed if it has none', async () => {
    const nobody = openDraftStore({ owner: null, database });
    const [ada, ben] = ['ada', 'ben'].map((owner) => openDraftStore({ owner, database }));
    if (!ada || !ben) throw new Error('two stores');
    const early = await nobody.create({ title: 'Early', files });
    await ada.create({ title: 'Hers', files });
    expect((await ben.list()).map(({ title, isUnclaimed }) => [title, isUnclaimed])).toEqual([
      ['Early', true],
    ]);
    await ada.claim([early.id]);
    expect((await ada.list()).map(({ title }) => title).sort()).toEqual(['Early', 'Hers']);
    expect(await ben.list()).toEqual([]);
    expect(await nobody.list()).toEqual([]);
    await expect(open({ ...draftOptions(early.id), owner: 'ben' })).rejects.toMatchObject({
      code: 'not_found_or_private',
    });
    await expect(ben.remove(early.id)).rejects.toMatchObject({ code: 'not_found_or_private' });
    await ada.rename(early.id, 'Later');
    expect((await ada.list()).map(({ title }) => title).sort()).toEqual(['Hers', 'Later']);
    await ada.remove(early.id);
    await expect(open(draftOptions(early.id))).rejects.toMatchObject({
      code: 'not_found_or_private',
    });
  });

  test('works in memory and says so if the device can’t store it', async () => {
    const broken: LocalDatabase = { run: () => Promise.reject(new Error('private window')) };
    const live = await open(
      { ...draftOptions(createId()), initialDraft: { title: 'One', files } },
      broken,
    );
    await whenState(live, 'not-stored');
    expect(textOf(live, 'a.js').toString()).toBe('let a;');
    await expect(live.flush()).rejects.toMatchObject({ code: 'not_kept' });
  });

  test('is converted to a project with the same document, including edits made meanwhile', async () => {
    const store = openDraftStore({ owner: 'ada', database });
    const draft = await store.create({ title: 'One', files });
    const live = await open(draftOptions(draft.id));
    const text = textOf(live, 'a.js');
    text.insert(6, ' let b;');
    await live.convertToProject(async (payload) => {
      text.insert(0, '// meanwhile\n');
      return server.create(payload);
    });
    expect(live.kind).toBe('project');
    text.insert(0, '// after\n');
    await live.flush();
    const id = server.made.get(toUuid(draft.id)) ?? '';
    expect(live.id).toBe(id);
    expect(new Set(server.calls.map((call) => call.project))).toEqual(new Set([id]));
    expect(getTexts(server.textOf(id)).get('a.js')).toBe('// after\n// meanwhile\nlet a; let b;');
    expect(server.filesOf(id)).toEqual(server.textOf(id));
    expect(await store.list()).toEqual([]);
    expect(await rowsOnDevice()).toEqual([]);
  });

  test('becomes a single project after a lost response and further edits', async () => {
    const draft = await openDraftStore({ owner: 'ada', database }).create({ title: 'One', files });
    const live = await open(draftOptions(draft.id));
    server.findFault = () => 'crash after commit';
    await expect(live.convertToProject(server.create)).rejects.toMatchObject({
      code: 'server_unreachable',
    });
    server.findFault = () => undefined;
    expect(live.kind).toBe('draft');
    textOf(live, 'a.js').insert(0, 'more ');
    await whenState(live, 'draft-saved-locally');
    crash(live);
    const again = await open(draftOptions(draft.id));
    await again.convertToProject(server.create);
    await again.flush();
    expect(server.projects.size).toBe(2);
    expect(getTexts(server.textOf(toUuid(draft.id))).get('a.js')).toBe('more let a;');
    expect(getTexts(server.filesOf(toUuid(draft.id))).get('a.js')).toBe('more let a;');
  });

  test('loses nothing when the server has an earlier text unknown to this device', async () => {
    const draft = await openDraftStore({ owner: 'ada', database }).create({ title: 'One', files });
    const live = await open(draftOptions(draft.id));
    const id = toUuid(draft.id);
    const earlier = Buffer.from(Y.encodeStateAsUpdate(live.doc));
    await server.create({
      id,
      files: [...getTexts(readFiles(live.doc))].map(([path, content]) => ({ path, content })),
      state: earlier.toString('base64'),
      state_sha256: createHash('sha256').update(earlier).digest('hex'),
    });
    textOf(live, 'a.js').insert(0, 'later ');
    await live.convertToProject(server.create);
    await live.flush();
    expect(getTexts(server.textOf(id)).get('a.js')).toBe('later let a;');
    expect(server.filesOf(id)).toEqual(server.textOf(id));
  });

  test('is converted in other tabs too', async () => {
    const draft = await openDraftStore({ owner: 'ada', database }).create({ title: 'One', files });
    const [one, two] = [await open(draftOptions(draft.id)), await open(draftOptions(draft.id))];
    await one.convertToProject(server.create);
    textOf(two, 'a.js').insert(0, 'two ');
    await expect.poll(() => two.kind).toBe('project');
    await two.flush();
    expect(getTexts(server.textOf(toUuid(draft.id))).get('a.js')).toBe('two let a;');
    expect(two.id).toBe(one.id);
    expect(new Set(server.calls.map((call) => call.project))).toEqual(new Set([one.id]));
    crash(one);
    crash(two);
    const reopened = await open(draftOptions(draft.id));
    expect([reopened.kind, reopened.id]).toEqual(['project', one.id]);
  });

  test('converted in two tabs at once is one project, which both save to', async () => {
    const draft = await openDraftStore({ owner: 'ada', database }).create({ title: 'One', files });
    const tabs = [await open(draftOptions(draft.id)), await open(draftOptions(draft.id))] as const;
    const [one, two] = tabs;
    textOf(one, 'a.js').insert(0, 'one ');
    textOf(two, 'a.js').insert(0, 'two ');
    await Promise.all(tabs.map((tab) => tab.convertToProject(server.create)));
    expect([one.kind, two.kind, two.id]).toEqual(['project', 'project', one.id]);
    textOf(one, 'a.js').insert(0, 'more ');
    for (const tab of tabs) await tab.flush();
    const { id } = one;
    await expect.poll(() => [...getTexts(server.textOf(id))].join()).toContain('more ');
    for (const tab of tabs) await tab.refresh();
    expect(server.filesOf(id)).toEqual(server.textOf(id));
    for (const { doc } of tabs) expect(readFiles(doc)).toEqual(server.filesOf(id));
    expect(getTexts(server.filesOf(id)).get('a.js')).toMatch(/^more (one two|two one) let a;$/);
    expect(await rowsOnDevice()).toEqual([]);
    // Nothing goes on sending what is sent.
    const sent = server.calls.length;
    textOf(two, 'a.js').insert(0, 'last ');
    await two.flush();
    expect(server.calls).toHaveLength(sent + 1);
  });

  test('converted by an earlier version of the code is found by its idempotency key', async () => {
    const draft = await openDraftStore({ owner: 'ada', database }).create({ title: 'One', files });
    const key = toUuid(draft.id);
    const begun = await open(draftOptions(draft.id));
    await begun.convertToProject(server.create);
    crash(begun);
    await openLocalDatabase(database).run(async (transaction) => {
      const record = await transaction.objectStore('drafts').get(draft.id);
      if (!record) throw new Error('the record of the draft is gone');
      const { projectId: _, ...earlier } = record;
      await transaction.objectStore('drafts').put(earlier);
    });
    const reopened = await open(draftOptions(draft.id));
    textOf(reopened, 'a.js').insert(0, 'more ');
    await reopened.flush();
    expect(server.calls.map((call) => call.project)).toEqual([key]);
    expect(getTexts(server.textOf(server.made.get(key) ?? '')).get('a.js')).toBe('more let a;');
  });
});

test('rows are stored under their owner and project', async () => {
  const live = await open();
  server.findFault = () => 'offline';
  textOf(live).insert(0, 'x');
  await whenState(live, 'offline');
  expect((await rowsOnDevice()).map(({ scope }) => scope)).toEqual([
    getProjectScope('ada', project),
  ]);
});
