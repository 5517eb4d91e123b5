import { toTextFiles } from '@vitrine/project';
import { afterEach, expect, test, vi } from 'vitest';
import { CompileQueue } from '../../src/host/compile-queue.ts';
import {
  compilerFailure,
  passthroughOutput,
  type CompileOutput,
  type ProjectCompiler,
} from '../../src/host/project-compiler.ts';
import { ModuleStore } from '../../src/host/module-store.ts';

afterEach(() => void vi.useRealTimers());

/** A compiler whose results are released by the test. */
function createSlowCompiler() {
  const waiting: { path: string; text: string; finish(file: CompileOutput): void }[] = [];
  const compiler: ProjectCompiler = {
    prepareForEdits: () => undefined,
    changeFiles: () => false,
    compile: (path, text) =>
      new Promise((finish) => {
        waiting.push({ path, text, finish });
      }),
    close: () => undefined,
  };
  const finishAs = async (wanted: string, file: CompileOutput) => {
    const at = waiting.findIndex(({ text }) => text === wanted);
    const [found] = waiting.splice(at, 1);
    if (at < 0 || !found) throw new Error(`nobody asked for ${wanted}`);
    found.finish(file);
    await new Promise((resolve) => setImmediate(resolve));
  };
  const finish = (wanted: string, code = `// ${wanted}`) =>
    finishAs(wanted, { ...passthroughOutput, code });
  return { compiler, finish, finishAs, waiting };
}

function createProject(files: Record<string, string>) {
  const moduleStore = new ModuleStore(toTextFiles(Object.entries(files)));
  const { compiler, ...done } = createSlowCompiler();
  const compileQueue = new CompileQueue({
    moduleStore,
    compiler,
    loadAsset: async () => new Blob(),
    onDiagnostics: () => undefined,
    onCommitted: () => undefined,
  });
  const edit = (changed: Record<string, string>) => {
    compileQueue.enqueue({ changed: toTextFiles(Object.entries(changed)), removed: [] }, true);
  };
  return { moduleStore, compileQueue, edit, ...done };
}

test('an edit of a compiled page is committed while pages are being checked', async () => {
  const page = (word: string) => `<script type="text/typescript" lang="ts">'${word}'</script>`;
  const { moduleStore, compileQueue, edit, finish } = createProject({ 'index.html': page('old') });
  edit({ 'index.html': page('new') });
  compileQueue.checkPages();
  await finish(page('new'));
  expect(moduleStore.readOutput('index.html')).toBe(`// ${page('new')}`);
});

test('an edit is committed even if another file of an earlier edit compiles later', async () => {
  const { moduleStore, edit, finish } = createProject({ 'a.ts': 'a0', 'b.ts': 'b0' });
  edit({ 'a.ts': 'a1', 'b.ts': 'b1' });
  await finish('a1');
  edit({ 'a.ts': 'a2' });
  await finish('b1');
  await finish('a2');
  expect(moduleStore.readOutput('a.ts')).toBe('// a2');
});

test('a page that links a new file waits until that has compiled', async () => {
  const { moduleStore, edit, finish } = createProject({ 'index.html': 'old' });
  edit({ 'style.scss': 'h1 {}' });
  edit({ 'index.html': 'linked' });
  edit({ 'index.html': 'linked, and more' });
  expect(moduleStore.readOutput('index.html')).toBe('old');
  await finish('h1 {}');
  expect(moduleStore.readOutput('style.scss')).toBe('// h1 {}');
  expect(moduleStore.readOutput('index.html')).toBe('linked, and more');
  edit({ 'style.scss': 'h2 {}' });
  edit({ 'index.html': 'at once' });
  expect(moduleStore.readOutput('index.html')).toBe('at once');
});

/** A module that compiles synchronously with each keystroke. */
async function createTyped(...states: string[]) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const code = (name: string) => `const count = 1; export default () => ${name};`;
  const project = createProject({ 'a.js': code('count'), 'b.js': '' });
  for (const state of states) {
    project.edit({ 'a.js': code(state) });
    await project.finish(code(state), code(state));
  }
  return { ...project, code, shown: () => project.moduleStore.read('a.js') };
}

test('an incomplete identifier is committed after a pause in typing', async () => {
  const { shown, code } = await createTyped('cou');
  expect(shown()).toBe(code('count'));
  vi.advanceTimersByTime(600);
  expect(shown()).toBe(code('cou'));
});

test('a complete identifier is committed at once, and the incomplete one never', async () => {
  const { moduleStore, shown, code } = await createTyped('conso', 'console');
  expect(shown()).toBe(code('console'));
  const { version } = moduleStore;
  vi.advanceTimersByTime(10_000);
  expect(moduleStore.version).toBe(version);
});

test('an identifier that another script contains counts as complete', async () => {
  const { edit, finish, shown, code } = await createTyped();
  edit({ 'b.js': 'function draw() {}' });
  await finish('function draw() {}');
  edit({ 'a.js': code('dra') });
  await finish(code('dra'), code('dra'));
  expect(shown()).toBe(code('count'));
  edit({ 'a.js': code('draw') });
  await finish(code('draw'), code('draw'));
  expect(shown()).toBe(code('draw'));
});

test('an incomplete identifier is committed with an edit of another file, or when the user runs the project', async () => {
  const { edit, finish, compileQueue, shown, code } = await createTyped('cou');
  edit({ 'b.js': '1' });
  await finish('1');
  expect(shown()).toBe(code('cou'));
  edit({ 'a.js': code('coun') });
  await finish(code('coun'), code('coun'));
  expect(shown()).toBe(code('cou'));
  compileQueue.commitHeld();
  expect(shown()).toBe(code('coun'));
});

test('a file whose compiler failed to load is compiled once the network is back', async () => {
  const { moduleStore, compileQueue, edit, finish, finishAs } = createProject({ 'a.ts': 'a0' });
  edit({ 'a.ts': 'a1' });
  await finishAs('a1', compilerFailure('no network'));
  expect(compileQueue.diagnostics).toHaveLength(1);
  compileQueue.retry();
  await finish('a1');
  expect(moduleStore.readOutput('a.ts')).toBe('// a1');
  expect(compileQueue.diagnostics).toEqual([]);
  compileQueue.close();
});

test('a file whose compiler failed to load is retried with increasing delays', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { compileQueue, edit, finishAs, waiting } = createProject({ 'a.ts': 'a0' });
  edit({ 'a.ts': 'a1' });
  for (const ms of [1_000, 2_000, 4_000]) {
    await finishAs('a1', compilerFailure('no server'));
    vi.advanceTimersByTime(ms - 1);
    expect(waiting).toHaveLength(0);
    vi.advanceTimersByTime(1);
    expect(waiting).toHaveLength(1);
  }
  compileQueue.close();
});

test('a file that timed out waits until the user runs the project', async () => {
  const { compileQueue, edit, finishAs, waiting } = createProject({ 'a.ts': 'a0' });
  edit({ 'a.ts': 'a1' });
  await finishAs('a1', { ...compilerFailure('it took too long'), isStuck: true });
  compileQueue.retry();
  expect(waiting).toHaveLength(0);
});

const withError = { ...passthroughOutput, problems: [{ message: 'No.', line: 1, column: 1 }] };

test('a syntax error says whether an earlier version of its file runs', async () => {
  const { compileQueue, edit, finish, finishAs } = createProject({ 'a.ts': 'bad', 'b.ts': 'good' });
  const earlier = () => compileQueue.diagnostics.map(({ path, ...rest }) => [path, rest]);
  const runsEarlier = { runsEarlierVersion: true };
  const prepared = compileQueue.prepare();
  await finishAs('bad', withError);
  await finish('good');
  await prepared;
  // What the page was opened with, and other errors in the same file.
  expect(earlier()).toEqual([['a.ts', expect.not.objectContaining(runsEarlier)]]);
  edit({ 'a.ts': 'worse' });
  await finishAs('worse', withError);
  expect(earlier()).toEqual([['a.ts', expect.not.objectContaining(runsEarlier)]]);
  edit({ 'a.ts': 'better' });
  await finish('better');
  edit({ 'a.ts': 'bad again', 'new.ts': 'bad too' });
  await finishAs('bad again', withError);
  await finishAs('bad too', withError);
  expect(earlier()).toEqual([
    ['a.ts', expect.objectContaining(runsEarlier)],
    ['new.ts', expect.not.objectContaining(runsEarlier)],
  ]);
});

test('a missing package is an error only in files that a page loads', async () => {
  const { compileQueue, edit, finish, finishAs } = createProject({ 'index.html': '<h1>Hi</h1>' });
  const missing = { packageName: 'left-pad', specifier: 'left-pad', line: 1, column: 1 };
  const failing = { ...passthroughOutput, missing: [missing] };
  const list = () =>
    compileQueue.diagnostics.map(({ path, severity }) => `${path} ${severity ?? 'error'}`);
  edit({ 'scripts/setup.js': 'setup' });
  await finishAs('setup', failing);
  expect(list()).toEqual(['scripts/setup.js warning']);
  const main = `new Worker(new URL('./worker.js', import.meta.url))`;
  edit({ 'js/worker.js': 'worker', 'js/main.js': main });
  await finishAs('worker', failing);
  await finish(main, main);
  expect(list()).toEqual(['scripts/setup.js warning']);
  const page = '<script type="module" src="js/main.js"></script>';
  edit({ 'index.html': page });
  await finish(page, page);
  expect(list()).toEqual(['js/worker.js error']);
});
