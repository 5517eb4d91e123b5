/** Worker thread that compiles one file at a time. It may be terminated at any time. */
import {
  compileFile,
  createModuleContext,
  readProjectConfig,
  type CompilerLoaders,
  type ModuleContext,
  type TailwindSheets,
} from '@vitrine/compiler';
import { transformScript } from '@vitrine/compiler/native';
import { readTailwindSheets } from '@vitrine/compiler/native/tailwind';
import { getExtension } from '@vitrine/project';
import { parentPort } from 'node:worker_threads';
import type {
  CompileJob,
  CompileResult,
  FromCompileThread,
  ToCompileThread,
} from './compile-worker.ts';

const parts: CompilerLoaders = {
  loadTransform: () => Promise.resolve(transformScript),
  loadTailwindSheets: () => (sheets ??= readTailwindSheets()),
};
let sheets: Promise<TailwindSheets> | undefined;

/** Context of the last project, because files of a project tend to come together. */
let last: { key: string; context: ModuleContext } | undefined;

/** Loading of each compiler, by file extension and what else chooses it. */
const loaded = new Map<string, Promise<unknown>>();
/** A project could name any number of versions that have no compiler. */
const maxLoaded = 100;

/** The context of files before a job came. */
const initialContext = createModuleContext(readProjectConfig(new Map()), {
  origin: '',
  fullExportUrls: new Set(),
});

parentPort?.on('message', (message: ToCompileThread) => {
  // An error terminates the thread; nothing else awaits this promise.
  void (message.type === 'load' ? load(message.extension, initialContext) : answer(message.job));
});

/** The time for loading a compiler isn't the file's. */
async function answer(job: CompileJob): Promise<void> {
  const start = getCpuMs();
  const context = findContext(job);
  const contextMs = getCpuMs() - start;
  await load(getExtension(job.path), context);
  post({ type: 'started', cpuMs: getCpuMs() - contextMs });
  post({ type: 'compiled', result: await compile(job, context) });
}

function getCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** Compiles a minimal file, which loads the compiler of its language. */
function load(extension: string, context: ModuleContext): Promise<unknown> {
  const { versions, settings } = context;
  const key = JSON.stringify([extension, versions, settings.jsxImportSource]);
  const mayHaveJsx = ['js', 'jsx', 'tsx'].includes(extension);
  const file = { path: `empty.${extension}`, text: mayHaveJsx ? '<p/>' : '' };
  const loading = loaded.get(key) ?? compileFile(file, context, new Map(), parts);
  if (loaded.size >= maxLoaded) loaded.clear();
  loaded.set(key, loading);
  return loading;
}

function findContext({ contextKey, projectConfig, packages }: CompileJob): ModuleContext {
  if (last?.key !== contextKey)
    last = { key: contextKey, context: createModuleContext(projectConfig, packages) };
  return last.context;
}

async function compile({ path, text, texts }: CompileJob, context: ModuleContext) {
  const { code, map, module } = await compileFile({ path, text }, context, texts, parts);
  const result: CompileResult = { code: code ?? null, map: map ?? null, module: module ?? null };
  return result;
}

function post(message: FromCompileThread): void {
  parentPort?.postMessage(message);
}
